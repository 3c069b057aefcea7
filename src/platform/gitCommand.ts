// Git in the editor. When Errand reads, no hook and no filter runs, whoever configured it, no submodule is followed,
// and nothing is written except Errand's own references (`refs/errand/…`), not even the index. A branch is pushed
// through the editor's git extension, as the user would. Staging for a scratch branch runs the user's own filters, and
// those of the repository only after the user has agreed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
	CHECKING_OUT,
	emptyFilters,
	type FoundSetting,
	filtersOf,
	findTransportProgram,
	findUnsafeName,
	LIST_SETTINGS,
	otherSide,
	ownFiltersOf,
	plainMergeDrivers,
	promisorRemotes,
	readSettings,
	type Setting,
	STAGING,
	safeArguments,
	safeEnvironment,
	settingsEnvironment,
	TOO_OLD,
	withoutHooks,
} from '../base/gitConfiguration.ts';
import { GitError } from '../base/gitError.ts';
import { proxyExceptions } from '../base/loopback.ts';

const TIMEOUT_MS = 20_000;
/** The limit for a push, which may be large, and for commands that read many files or run the user's filters. */
export const LONG_TIMEOUT_MS = 5 * 60_000;
const MAXIMUM_OUTPUT = 64 * 1024 * 1024;

/** The diff options that find moved files. The work grows with the square of their number. */
export const FIND_RENAMES = ['--find-renames', '-l1000'];

/** The environment of a command that only reads, or writes to the repository only: no transport is allowed. */
const OFFLINE = safeEnvironment('none');

/** The reason why git is not run in a repository. `gitRefusalMessages.ts` has the texts for users. */
export class GitRefusal extends Error {
	override readonly name = 'GitRefusal';
	readonly reason: 'old-git' | 'unsafe-name' | 'transport-program' | 'no-folder';
	readonly setting: FoundSetting | undefined;
	readonly folder: string | undefined;

	constructor(
		reason: GitRefusal['reason'],
		{ setting, folder, cause }: { setting?: FoundSetting; folder?: string; cause?: Error } = {},
	) {
		super(`git is not run here: ${reason}`, { cause });
		this.reason = reason;
		this.setting = setting;
		this.folder = folder;
	}
}

type Variables = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
	/** A directory at which git stops searching upwards for a repository. */
	stopAt?: string;
	input?: string | undefined;
	/** The encoding of input and output, UTF-8 by default. File names can be in any encoding: `latin1` keeps each byte. */
	encoding?: 'utf8' | 'latin1';
	timeoutMs?: number;
	/** The limit for git's output in bytes; exceeding it is a failure. */
	maximumOutput?: number;
}

/** Runs a git command that only reads. Rejects with a GitError if git fails. */
export type ReadingGit = (commandLine: readonly string[], options?: Omit<GitOptions, 'stopAt'>) => Promise<string>;

/**
 * Runs a git command that only reads in a directory, and resolves with its output. No hook and no filter runs, whoever
 * has configured it, and no program that the repository's own configuration names. Rejects with a GitRefusal, with a
 * GitError if git fails, or with the system's own error if git could not run to its end.
 */
export async function runGit(
	gitPath: string,
	directory: string,
	commandLine: readonly string[],
	options: GitOptions = {},
): Promise<string> {
	return (await prepareGit(gitPath, directory, options.stopAt))(commandLine, options);
}

/**
 * Prepares the same for several commands in immediate succession, for which the configuration is read only once.
 * Rejects with a GitRefusal.
 */
export async function prepareGit(gitPath: string, directory: string, stopAt?: string): Promise<ReadingGit> {
	const place = stopAt === undefined ? {} : { GIT_CEILING_DIRECTORIES: stopAt };
	const found = await settingsOf(gitPath, directory, place);
	const settings = [...withoutHooks(found), ...emptyFilters(filtersOf(found), false)];
	const variables = { ...OFFLINE, ...place, ...settingsEnvironment(settings) };
	return (commandLine, options) => runSafely(gitPath, directory, commandLine, variables, options, options?.timeoutMs);
}

/**
 * Lists the differences between the merge base of two commits and the second of them, in the format of `git diff-tree
 * --raw -z`, as a byte string (`latin1`). `options` are further options that concern names only. git reads nothing but
 * commits and trees for this and runs no program, whatever is configured, so it need not wait for the configuration.
 * Rejects with a GitError if git fails, even because there are several merge bases or none.
 */
export function listDifference(
	gitPath: string,
	directory: string,
	options: readonly string[],
	start: string,
	tip: string,
): Promise<string> {
	const commandLine = [
		'diff-tree',
		'-r',
		'-z',
		'--raw',
		...options,
		'--merge-base',
		'--end-of-options',
		start,
		tip,
		'--',
	];
	return runSafely(gitPath, directory, commandLine, OFFLINE, { encoding: 'latin1' });
}

/**
 * Returns the objects that references point to, by the references' full names; missing ones are left out. git runs no
 * program for this either.
 */
export async function readReferences(
	gitPath: string,
	directory: string,
	names: readonly string[],
): Promise<Map<string, string>> {
	const output = await runSafely(
		gitPath,
		directory,
		['for-each-ref', '--format=%(refname) %(objectname)', '--', ...names],
		OFFLINE,
	);
	// git takes a name for a pattern, which also matches references below it.
	const wanted = new Set(names);
	const lines = output.split('\n').map(line => line.split(' ') as [string, string?]);
	return new Map(lines.flatMap(([name, object]) => (object !== undefined && wanted.has(name) ? [[name, object]] : [])));
}

/** Lists the names of the filters that git is configured with here. Rejects like `runGit`. */
export async function readFilters(gitPath: string, directory: string): Promise<string[]> {
	return filtersOf(await settingsOf(gitPath, directory));
}

/**
 * Like `runGit`, but with our index in place of the repository's. The user's own filters run as they do for staging. A
 * filter of the repository's own runs only if its name is in `agreed`; otherwise git fails on a file that needs it.
 */
export async function runGitWithIndex(
	gitPath: string,
	directory: string,
	indexFile: string,
	commandLine: readonly string[],
	options: Pick<GitOptions, 'encoding'> & { input: string | undefined; agreed: ReadonlySet<string> },
): Promise<string> {
	const found = await settingsOf(gitPath, directory);
	const own = ownFiltersOf(found, STAGING).map(({ name }) => name);
	const refused = [...new Set(own)].filter(name => !options.agreed.has(name));
	const settings: Setting[] = [['core.splitIndex', 'false'], ...withoutHooks(found), ...emptyFilters(refused, true)];
	const variables = { ...OFFLINE, ...settingsEnvironment(settings), GIT_INDEX_FILE: indexFile };
	return runSafely(gitPath, directory, commandLine, variables, options, LONG_TIMEOUT_MS);
}

/** Lists the remotes that hold the objects a partial clone lacks. There are none for a complete clone. */
export async function readPromisors(gitPath: string, directory: string): Promise<string[]> {
	return promisorRemotes(await settingsOf(gitPath, directory));
}

/** Lists the programs that the repository's own configuration names for a filter. */
export async function readOwnFilter(gitPath: string, directory: string, name: string): Promise<FoundSetting[]> {
	const own = ownFiltersOf(await settingsOf(gitPath, directory), STAGING);
	return own.filter(filter => filter.name === name).map(({ setting }) => setting);
}

/**
 * Runs a git command that connects to a remote on another machine, without hooks. `credentials` are the variables by
 * which the editor answers requests for credentials. Rejects with a GitRefusal if the repository's own configuration
 * names a program for the connection.
 */
export async function runRemoteGit(
	gitPath: string,
	directory: string,
	remote: string,
	commandLine: readonly string[],
	credentials: Variables,
	input?: string,
): Promise<string> {
	const found = await settingsOf(gitPath, directory);
	const program = findTransportProgram(found, remote);
	if (program) {
		throw new GitRefusal('transport-program', { setting: program });
	}
	const variables = {
		...credentials,
		...safeEnvironment('git:http:https:ssh'),
		...settingsEnvironment(withoutHooks(found)),
		...pastProxy({ ...process.env, ...credentials }),
	};
	return runSafely(gitPath, directory, commandLine, variables, { input }, LONG_TIMEOUT_MS);
}

/**
 * Does the same for a remote that is a directory on this machine, where the git on the other side runs no hooks either.
 * `commandLine` gets the option that starts that git.
 */
export async function runDirectoryGit(
	gitPath: string,
	directory: string,
	remoteDirectory: string,
	program: 'upload-pack' | 'receive-pack',
	commandLine: (option: string) => readonly string[],
	input?: string,
): Promise<string> {
	const there = { GIT_DIR: await gitDirectoryOf(gitPath, remoteDirectory) };
	const found = await Promise.all([settingsOf(gitPath, directory), settingsOf(gitPath, remoteDirectory, there)]);
	const side = otherSide(program, gitPath, withoutHooks(found.flat()));
	const variables = { ...safeEnvironment('file'), ...side.env };
	return runSafely(gitPath, directory, commandLine(side.option), variables, { input }, LONG_TIMEOUT_MS);
}

/**
 * Runs a git command that changes files of a working tree, or determines the effect on them. The user's own filters and
 * merge drivers run. Hooks do not; git's own text merge replaces merge drivers of the repository's own configuration;
 * and git fails on a file that needs a filter of that configuration (`readOwnFilters` lists them). `settings` override
 * those of any configuration.
 */
export async function runWorkTreeGit(
	gitPath: string,
	directory: string,
	commandLine: readonly string[],
	{ settings = [], ...options }: Pick<GitOptions, 'input' | 'encoding'> & { settings?: readonly Setting[] } = {},
): Promise<string> {
	const found = await settingsOf(gitPath, directory);
	const unsafe = findUnsafeName(found, 'merge');
	if (unsafe) {
		throw new GitRefusal('unsafe-name', { setting: unsafe });
	}
	const safe = [...withoutHooks(found), ...emptyFilters(ownFilterNames(found), true), ...plainMergeDrivers(found)];
	const variables = { ...OFFLINE, ...settingsEnvironment([...safe, ...settings]) };
	return runSafely(gitPath, directory, commandLine, variables, options, LONG_TIMEOUT_MS);
}

/** Lists the names of the filters for which the repository's own configuration names programs. */
export async function readOwnFilters(gitPath: string, directory: string): Promise<string[]> {
	return ownFilterNames(await settingsOf(gitPath, directory));
}

function ownFilterNames(found: readonly FoundSetting[]): string[] {
	// A checked-out file is also compared with its stored content, which runs the programs for staging.
	const own = [...ownFiltersOf(found, STAGING), ...ownFiltersOf(found, CHECKING_OUT)];
	return [...new Set(own.map(({ name }) => name))];
}

/** Credentials for a host on this machine must never reach a proxy. git reads both names of the variable. */
function pastProxy({ no_proxy, NO_PROXY }: Readonly<Record<string, string | undefined>>): Record<string, string> {
	const given = no_proxy || NO_PROXY;
	const exceptions = proxyExceptions(given === undefined ? [] : [given]);
	return { no_proxy: exceptions, NO_PROXY: exceptions };
}

/** Finds the directory as `upload-pack` and `receive-pack` do. Rejects if there is none: its settings are unknown. */
async function gitDirectoryOf(gitPath: string, directory: string): Promise<string> {
	const ask = (place: string) =>
		runSafely(gitPath, directory, ['rev-parse', '--absolute-git-dir'], { ...OFFLINE, GIT_DIR: place });
	const found = await ask(path.join(directory, '.git')).catch(() => ask(directory));
	return found.replace(/\n$/, '');
}

/** The readings in progress. Concurrent calls share one, and nothing is cached beyond that. */
const readings = new Map<string, Promise<FoundSetting[]>>();

function settingsOf(
	gitPath: string,
	directory: string,
	place: Readonly<Record<string, string>> = {},
): Promise<FoundSetting[]> {
	const key = JSON.stringify([gitPath, directory, place]);
	let reading = readings.get(key);
	if (reading === undefined) {
		reading = readSettingsOf(gitPath, directory, place).finally(() => readings.delete(key));
		readings.set(key, reading);
	}
	return reading;
}

async function readSettingsOf(
	gitPath: string,
	directory: string,
	place: Readonly<Record<string, string>>,
): Promise<FoundSetting[]> {
	const variables = { ...OFFLINE, ...place, ...LIST_SETTINGS.env };
	const listed = await runSafely(gitPath, directory, LIST_SETTINGS.args, variables).catch((error: unknown) => {
		throw error instanceof GitError && TOO_OLD.has(error.exitCode) ? new GitRefusal('old-git') : error;
	});
	const found = readSettings(listed);
	if (found === undefined) {
		throw new GitRefusal('old-git');
	}
	const unsafe = findUnsafeName(found, 'hook') ?? findUnsafeName(found, 'filter');
	if (unsafe !== undefined) {
		throw new GitRefusal('unsafe-name', { setting: unsafe });
	}
	return found;
}

function runSafely(
	gitPath: string,
	directory: string,
	commandLine: readonly string[],
	variables: Variables,
	{ input = '', encoding = 'utf8', maximumOutput = MAXIMUM_OUTPUT }: GitOptions = {},
	timeout = TIMEOUT_MS,
): Promise<string> {
	const environment: NodeJS.ProcessEnv = {};
	for (const [name, value] of Object.entries(process.env)) {
		// A variable of an outer git (GIT_DIR, GIT_CONFIG_PARAMETERS) would redirect these calls.
		if (!name.toUpperCase().startsWith('GIT_')) {
			environment[name] = value;
		}
	}
	return new Promise((resolve, reject) => {
		const child = execFile(
			gitPath,
			[...safeArguments(), ...commandLine],
			{
				cwd: directory,
				env: { ...environment, ...variables },
				timeout,
				maxBuffer: maximumOutput,
				windowsHide: true,
				encoding,
			},
			(error, stdout, stderr) => {
				if (!error) {
					resolve(stdout);
				} else if (error.code === 'ENOENT' && !existsSync(directory)) {
					// The system's error names the program, which exists.
					reject(new GitRefusal('no-folder', { folder: directory, cause: error }));
				} else if (typeof error.code === 'string') {
					reject(error);
				} else {
					reject(new GitError(error.message, { exitCode: error.code ?? undefined, stdout, stderr, cause: error }));
				}
			},
		);
		// git may end without reading all of its input. The input is closed, or a program started by git would wait for it.
		child.stdin?.on('error', () => {});
		child.stdin?.end(input, encoding);
	});
}
