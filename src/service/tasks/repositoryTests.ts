import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { baseEnvironment } from '../../agents/run/agentLaunch.ts';
import { type Provided, placeInside, type RunPlace, runAt } from '../../agents/run/runPlace.ts';
import { describeError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { isTestFile } from '../../base/testFile.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import type { Checkout } from './checkout.ts';
import { unmetDependencies } from './dependencies/packageManifest.ts';
import { filesOfFolder } from './dependencies/treeFiles.ts';
import type { TaskLog } from './taskLog.ts';
import { listed } from './taskNames.ts';

const STEP = 'running_tests';
const LIMIT_MS = 15 * 60_000;
const GIT_MS = 60_000;
const PACKAGE = 'package.json';

/** Matches the summary of test runners that found no tests and still exited without an error. */
const NO_TESTS = /^(?:# tests|ℹ tests|Ran) 0\b/m;
/** The number of bytes at the end of the output in which the summary is searched for. */
const MAXIMUM_SUMMARY = 4_096;
/** The length of the end of the output in which names of missing packages are searched for. */
const MAXIMUM_END = 64 * 1024;

/** The exit codes with which a shell reports that it could not run a command. */
const NOT_RUN: ReadonlySet<number | undefined> = new Set([126, 127]);

/** Messages of programs that cannot find a package or its executable. */
const NOT_FOUND =
	/Cannot find (?:module|package) ['"]((?:@[^/'"\s]+\/)?[^/'"\s]+)|Failed to resolve import ['"]((?:@[^/'"\s]+\/)?[^/'"\s]+)/g;

/** The work of an agent that is to be tested. */
export interface WorkToTest {
	checkout: Checkout;
	/** The commit where the branch began. The command is taken from it, so that no agent chooses how it is judged. */
	base: string;
	/** The commit of the agent's work. */
	commit: string;
}

/** The folders in which tests run, and their dependencies. */
export interface TestPlace {
	/**
	 * The folders in which the tests run: new ones, created here, because the files that an agent left in its tree and
	 * its home could decide the result. The tests reach no model and no network there.
	 */
	place: Omit<RunPlace, 'relay'>;
	/**
	 * Provides the dependencies there, again without those of the agent. `onLimit` receives a sentence if that exceeds
	 * the limits on the machine's resources. Rejects with the signal's reason.
	 */
	provide(onLimit: (sentence: string) => void, signal: AbortSignal): Promise<Provided>;
}

export interface TestResult {
	/** The outcome, or null if it is not known: the repository does not say how it is tested, or there were no tests. */
	tests: TestOutcome | null;
	/** The number of test files that the work changed. */
	testFilesChanged: number;
}

/**
 * Runs the repository's tests once more after an agent has ended, because the agent's own account of them may be wrong.
 * Never rejects: the branch exists, whatever the result of the tests. A task that is stopped meanwhile has no result.
 *
 * A pass means that the command from before the work succeeded on the files of the commit alone. The commit still
 * decides that through its tests and their settings, which the work may have changed.
 */
export async function runRepositoryTests(
	work: WorkToTest,
	where: TestPlace,
	log: TaskLog,
	signal: AbortSignal,
): Promise<TestResult> {
	try {
		// The task, and with it its signal, may be stopped at any time.
		const checkout = work.checkout.withSignal(AbortSignal.timeout(GIT_MS));
		return await testOnce({ ...work, checkout }, where, log, signal);
	} catch (error) {
		notPrepared(log, error);
		return { tests: null, testFilesChanged: 0 };
	}
}

async function testOnce(work: WorkToTest, where: TestPlace, log: TaskLog, signal: AbortSignal): Promise<TestResult> {
	const { checkout, base, commit } = work;
	const changed = (await checkout.changedFiles(base, commit)).filter(isTestFile);
	if (changed.length > 0) {
		log.step(STEP, `The work has changed files of tests: ${listed(changed)}.`, 'warning');
	}
	const found = await findTestCommand(name => checkout.textAt(base, name));
	const testFilesChanged = changed.length;
	if (found === undefined || signal.aborted) {
		return { tests: null, testFilesChanged };
	}
	log.step(STEP, `Running the tests once more: "${found.command}", as ${found.source} says where the branch began…`);
	const tests = await prepare(work, where.place, log).then(
		() => runTests(found.command, where, log, signal),
		(error: unknown) => {
			notPrepared(log, error);
			return 'not-run' as const;
		},
	);
	return { tests, testFilesChanged };
}

function notPrepared(log: TaskLog, error: unknown): void {
	log.step(STEP, `The tests could not be prepared (${describeError(error)}), so nothing is known of them.`, 'warning');
}

/** Writes the commit's files, with the package scripts from before the work, as an agent may have changed those. */
async function prepare({ checkout, base, commit }: WorkToTest, place: TestPlace['place'], log: TaskLog): Promise<void> {
	for (const folder of [place.tree, place.home]) {
		await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
		// An existing folder may hold files that would decide how the tests end.
		await mkdir(folder, { mode: 0o700 });
	}
	await checkout.exportTo(place.tree, commit);
	const [before, now] = [await checkout.textAt(base, PACKAGE), await checkout.textAt(commit, PACKAGE)];
	const file = path.join(place.tree, PACKAGE);
	const isThere = await lstat(file).then(
		() => true,
		() => false,
	);
	// A package file that is too large to read here still has scripts for a package manager.
	const text = before === undefined || !isThere ? undefined : withScriptsOf(before, now ?? '');
	if (text !== undefined) {
		log.step(STEP, `The work has changed the scripts of ${PACKAGE}. The tests run with those before it.`, 'warning');
		// Whatever the commit has at this path, no link is followed.
		await rm(file, { recursive: true, force: true });
		await writeFile(file, text, { flag: 'wx' });
	}
}

async function runTests(
	command: string,
	{ place: folders, provide }: TestPlace,
	log: TaskLog,
	signal: AbortSignal,
): Promise<TestOutcome | null> {
	let limit: AbortSignal | undefined;
	let end = Buffer.alloc(0);
	const over = new AbortController();
	const onLimit = (sentence: string) => over.abort(sentence);
	const failed = (sentence: string): TestOutcome => {
		log.step(STEP, sentence, 'warning');
		return 'failed';
	};
	try {
		const provided = await provide(onLimit, AbortSignal.any([signal, over.signal]));
		const place = { ...folders, ...provided, relay: undefined };
		limit = AbortSignal.timeout(LIMIT_MS);
		const { exitCode } = await runAt(place, {
			command: '/bin/sh',
			args: ['-c', command],
			env: baseEnvironment(placeInside(place)),
			signal: AbortSignal.any([signal, limit, over.signal]),
			onLimit,
			onOutput: (stream, bytes) => {
				end = Buffer.concat([end, bytes.subarray(-MAXIMUM_END)]).subarray(-MAXIMUM_END);
				log.output(STEP, stream, bytes);
			},
		}).finally(() => log.outputEnd(STEP));
		if (exitCode === 0 && NO_TESTS.test(end.subarray(-MAXIMUM_SUMMARY).toString())) {
			log.step(STEP, `"${command}" ran no test, so nothing is known of the tests.`, 'warning');
			return null;
		}
		if (exitCode === 0) {
			log.step(STEP, 'Tests passed.', 'success');
			return 'passed';
		}
		const unmet = await unmetAt(place);
		const isLacking = [...end.toString().matchAll(NOT_FOUND)].some(([, one, other]) =>
			unmet.some(wanted => wanted.startsWith(`${one ?? other}@`)),
		);
		if (NOT_RUN.has(exitCode) || isLacking) {
			const why =
				unmet.length === 0
					? ''
					: ` ${PACKAGE} names what is not there: ${listed(unmet)}. Install it in your folder, or let the next task install its dependencies.`;
			log.step(STEP, `"${command}" could not be run here, so nothing is known of the tests.${why}`, 'warning');
			return 'not-run';
		}
		return failed(
			exitCode === undefined
				? `Tests failed: "${command}" was ended by a signal.`
				: `Tests failed: "${command}" ended with exit code ${exitCode}.`,
		);
	} catch (error) {
		if (signal.aborted) {
			log.step(STEP, 'The tests were stopped before their end.', 'warning');
			return null;
		}
		if (limit?.aborted) {
			return failed(`Tests failed: "${command}" did not end within ${LIMIT_MS / 60_000} minutes and was stopped.`);
		}
		if (over.signal.aborted) {
			return failed(`Tests failed: ${over.signal.reason}`);
		}
		log.step(STEP, `"${command}" could not be started (${describeError(error)}).`, 'warning');
		return 'not-run';
	}
}

/** Returns the requirements of the package at a place that programs there cannot find, such as `mocha@^11.0.0`. */
async function unmetAt({ tree, lent = [] }: Omit<RunPlace, 'relay'>): Promise<string[]> {
	const read = filesOfFolder(tree);
	if ((await read('.pnp.cjs')) !== undefined) {
		// Plug'n'Play finds packages elsewhere.
		return [];
	}
	const shown = lent.filter(({ at }) => at === 'node_modules').map(({ source }) => source);
	return unmetDependencies(await read(PACKAGE), [path.join(tree, 'node_modules'), ...shown]);
}

interface TestCommand {
	/** A shell command line. */
	command: string;
	/** The file that names the command. */
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

const packageSchema = z.looseObject({ scripts: z.looseObject({ test: z.string().optional() }).optional() });

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

/**
 * Returns the text of the package `now` with the scripts of `before`, or undefined if it has them already. Both are
 * texts of a `package.json`; an unreadable one has no scripts.
 */
function withScriptsOf(before: string, now: string): string | undefined {
	const [earlier, later] = [before, now].map(text => packageSchema.safeParse(parseJson(text)).data);
	if (earlier === undefined || JSON.stringify(earlier.scripts) === JSON.stringify(later?.scripts)) {
		return undefined;
	}
	return JSON.stringify({ ...later, scripts: earlier.scripts }, null, 2);
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
