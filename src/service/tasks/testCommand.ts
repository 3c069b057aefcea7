import * as z from 'zod';
import { parseJson } from '../../base/json.ts';

export interface TestCommand {
	command: string;
	source: string;
}

/** The script that `npm init` writes if there are no tests. */
const PLACEHOLDER = /no test specified/;

const MAXIMUM_COMMAND = 500;

/** The command that runs a package's `test` script, by the lockfile beside it. */
const MANAGERS = [
	['pnpm-lock.yaml', 'pnpm test'],
	['yarn.lock', 'yarn test'],
	['bun.lock', 'bun run test'],
	['bun.lockb', 'bun run test'],
] as const;

export const packageSchema = z.looseObject({ scripts: z.looseObject({ test: z.string().optional() }).optional() });

/**
 * Finds the command by which a repository says it is tested: in its AGENTS.md, else the `test` script of its package.
 * `read` returns a file of the repository as it was before the agent's work, or undefined.
 */
export async function findTestCommand(
	read: (name: string) => Promise<string | undefined>,
): Promise<TestCommand | undefined> {
	const told = commandIn((await read('AGENTS.md')) ?? '');
	if (told !== undefined) {
		return { command: told, source: 'AGENTS.md' };
	}
	const script = packageSchema.safeParse(parseJson((await read('package.json')) ?? '')).data?.scripts?.test;
	if (script === undefined || script.trim() === '' || PLACEHOLDER.test(script)) {
		return undefined;
	}
	for (const [lockfile, command] of MANAGERS) {
		if ((await read(lockfile)) !== undefined) {
			return { command, source: 'package.json' };
		}
	}
	return { command: 'npm test', source: 'package.json' };
}

/** A line that forbids a command does not say how to test. */
const FORBIDS = /\b(?:never|not|don['’]t|avoid)\b/i;
/** Matches the names of test commands. Other code in a line about tests is often about their preparation. */
const TESTS = /test|check|spec|verify|\b(?:tox|nox|jest|mocha|ava|rake|ctest)\b/i;

/** Returns the first command that appears as code in a line about tests, such as "Run the tests with `make check`". */
function commandIn(text: string): string | undefined {
	for (const line of text.split(/\r?\n/)) {
		// A single word is more likely the name of a file or folder.
		const words = line.replace(/`[^`]*`/g, '');
		const isAbout = /\btests?\b/i.test(words) && !FORBIDS.test(words);
		const codes = isAbout ? [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.trim()) : [];
		const code = codes.find(candidate => TESTS.test(candidate) && /\s/.test(candidate));
		if (code && code.length <= MAXIMUM_COMMAND) {
			return code;
		}
	}
	return undefined;
}
