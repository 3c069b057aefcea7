import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { baseEnvironment } from '../../agents/run/agentLaunch.ts';
import {
	openRelayAt,
	type Provided,
	placeInside,
	type RelayAnswers,
	type RunPlace,
	runAt,
} from '../../agents/run/runPlace.ts';
import { describeError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { oneLine } from '../../base/plainText.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import type { Checkout } from './checkout.ts';
import { unmetDependencies } from './dependencies/packageManifest.ts';
import { filesOfFolder } from './dependencies/treeFiles.ts';
import type { TaskDependencies } from './taskDependencies.ts';
import type { ProgramLog } from './taskLog.ts';
import { listed } from './taskNames.ts';
import { packageSchema } from './testCommand.ts';

/** The folder of copies within the one of an execution. */
export const TESTS_FOLDER = 'tests';

const STEP = 'running_tests';
const LIMIT_MS = 15 * 60_000;
const PACKAGE = 'package.json';
/** The length of a command in sentences. */
const MAXIMUM_SHOWN = 500;

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

/** A command that runs in a clean copy of the files of a commit. */
export interface CommandRun {
	checkout: Checkout;
	commit: string;
	command: string;
	/** The commit whose package scripts take the place of those of `commit`, so that no agent chooses them. */
	scriptsOf?: string | undefined;
	/** The time for the command; 15 minutes by default. */
	limitMs?: number | undefined;
}

export interface CommandEnd {
	outcome: TestOutcome | 'no-tests';
	sentence: string;
}

/** The folders of a copy, and its dependencies. */
export interface TestPlace {
	/**
	 * The folders in which the command runs: new ones, created here, because the files that an agent left in its tree and
	 * its home could decide the result. It reaches no model and no network there.
	 */
	place: Omit<RunPlace, 'relay'>;
	/**
	 * Provides the dependencies there, again without those of the agent. `onLimit` receives a sentence if that exceeds
	 * the limits on the machine's resources. Rejects with the signal's reason.
	 */
	provide(onLimit: (sentence: string) => void, signal: AbortSignal): Promise<Provided>;
}

interface TestPlaceOptions {
	/** The folder for the copy, which does not exist. */
	folder: string;
	/** The place at which an agent of the task runs. */
	like: Omit<RunPlace, 'tree' | 'home'>;
	dependencies: TaskDependencies;
	/** Answers an installation, and nothing else. Without it, nothing is installed. */
	answers: RelayAnswers | undefined;
}

export function testPlaceIn({ folder, like, dependencies, answers }: TestPlaceOptions): TestPlace {
	const own = { tree: path.join(folder, 'tree'), home: path.join(folder, 'home') };
	// A command may write where an agent may not.
	const place = { ...like, ...own, lent: [], variables: {}, relay: undefined };
	return {
		place,
		async provide(onLimit, signal) {
			const relay = answers && (await openRelayAt(place, answers));
			return dependencies.provide({ ...place, relay }, onLimit, signal).finally(() => relay?.close());
		},
	};
}

/**
 * Writes the copy, provides its dependencies, and runs the command in it. Rejects if the copy cannot be written, and
 * with the signal's reason.
 */
export async function runInCopy(
	run: CommandRun,
	where: TestPlace,
	log: ProgramLog,
	signal: AbortSignal,
): Promise<CommandEnd> {
	await prepare(run, where.place, log);
	return runCommand(run, where, log, signal);
}

/** Writes the commit's files, with the package scripts from before the work if they are asked for. */
async function prepare(
	{ checkout, commit, scriptsOf }: CommandRun,
	place: TestPlace['place'],
	log: ProgramLog,
): Promise<void> {
	for (const folder of [place.tree, place.home]) {
		await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
		// An existing folder may hold files that would decide how the tests end.
		await mkdir(folder, { mode: 0o700 });
	}
	await checkout.exportTo(place.tree, commit);
	if (scriptsOf === undefined) {
		return;
	}
	const [before, now] = [await checkout.textAt(scriptsOf, PACKAGE), await checkout.textAt(commit, PACKAGE)];
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

async function runCommand(
	{ command, limitMs = LIMIT_MS }: CommandRun,
	{ place: folders, provide }: TestPlace,
	log: ProgramLog,
	signal: AbortSignal,
): Promise<CommandEnd> {
	const shown = oneLine(command, MAXIMUM_SHOWN);
	let limit: AbortSignal | undefined;
	let end = Buffer.alloc(0);
	const over = new AbortController();
	const onLimit = (sentence: string) => over.abort(sentence);
	const failed = (sentence: string) => ({ outcome: 'failed', sentence }) as const;
	try {
		const provided = await provide(onLimit, AbortSignal.any([signal, over.signal]));
		const place = { ...folders, ...provided, relay: undefined };
		limit = AbortSignal.timeout(limitMs);
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
		if (exitCode === 0) {
			return NO_TESTS.test(end.subarray(-MAXIMUM_SUMMARY).toString())
				? { outcome: 'no-tests', sentence: `"${shown}" ran no test, so nothing is known of the tests.` }
				: { outcome: 'passed', sentence: `"${shown}" ended well.` };
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
			return { outcome: 'not-run', sentence: `"${shown}" could not be run here, so it shows nothing.${why}` };
		}
		return failed(
			exitCode === undefined ? `"${shown}" was ended by a signal.` : `"${shown}" ended with exit code ${exitCode}.`,
		);
	} catch (error) {
		signal.throwIfAborted();
		if (limit?.aborted) {
			return failed(`"${shown}" did not end within ${limitMs / 60_000} minutes and was stopped.`);
		}
		if (over.signal.aborted) {
			return failed(String(over.signal.reason));
		}
		return { outcome: 'not-run', sentence: `"${shown}" could not be started (${describeError(error)}).` };
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
