import { execFile } from 'node:child_process';
import { proxyExceptions } from '../base/loopback.ts';

/** Settings of a repository that would run a program or reach out, switched off for every call of ours. */
const SAFE_OPTIONS = [
	'--no-pager',
	'--no-replace-objects',
	'-c',
	'core.hooksPath=/dev/null',
	'-c',
	'core.fsmonitor=false',
	'-c',
	'log.showSignature=false',
];

const TIMEOUT_MS = 20_000;
/** Of a push, which may have much to send. */
const REMOTE_TIMEOUT_MS = 5 * 60_000;
const MAXIMUM_OUTPUT = 64 * 1024 * 1024;

/** Reading alone: a repository can name a place (and a program) to fetch missing objects from, so no transport is allowed. */
const OFFLINE = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** Transports that run a program named in the address (`ext::`) stay out. */
const REMOTE = { GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };

/**
 * Runs a reading git command in a directory and resolves with what it printed. Nothing of the repository's own
 * configuration runs. `stopAt`: a directory in which git stops to look upwards for a repository. Rejects when git fails.
 */
export function runGit(gitPath: string, directory: string, commandLine: string[], stopAt?: string): Promise<string> {
	const environment = stopAt === undefined ? OFFLINE : { ...OFFLINE, GIT_CEILING_DIRECTORIES: stopAt };
	return run(gitPath, directory, commandLine, environment, TIMEOUT_MS);
}

/** As `runGit`, with an index of ours in place of the repository's. The user's filters run, as they do when files are staged. */
export function runGitWithIndex(
	gitPath: string,
	directory: string,
	indexFile: string,
	commandLine: string[],
): Promise<string> {
	const options = ['-c', 'core.splitIndex=false', ...commandLine];
	return run(gitPath, directory, options, { ...OFFLINE, GIT_INDEX_FILE: indexFile }, REMOTE_TIMEOUT_MS);
}

/** Runs a git command that speaks to a remote. `credentials`: the environment by which the editor answers for them. */
export function runRemoteGit(
	gitPath: string,
	directory: string,
	commandLine: string[],
	credentials: Readonly<Record<string, string | undefined>>,
): Promise<string> {
	const variables = { ...credentials, ...REMOTE, ...pastProxy({ ...process.env, ...credentials }) };
	return run(gitPath, directory, commandLine, variables, REMOTE_TIMEOUT_MS);
}

/** Whoever answers for credentials of a host on this machine must not send them to a proxy. git reads either name. */
function pastProxy({ no_proxy, NO_PROXY }: Readonly<Record<string, string | undefined>>): Record<string, string> {
	const given = no_proxy || NO_PROXY;
	const exceptions = proxyExceptions(given === undefined ? [] : [given]);
	return { no_proxy: exceptions, NO_PROXY: exceptions };
}

function run(
	gitPath: string,
	directory: string,
	commandLine: string[],
	variables: Readonly<Record<string, string | undefined>>,
	timeout: number,
): Promise<string> {
	const environment: NodeJS.ProcessEnv = {};
	for (const [name, value] of Object.entries(process.env)) {
		// A variable of an outer git (GIT_DIR, GIT_CONFIG_PARAMETERS) would point these calls elsewhere.
		if (!name.toUpperCase().startsWith('GIT_')) {
			environment[name] = value;
		}
	}
	return new Promise((resolve, reject) => {
		const child = execFile(
			gitPath,
			[...SAFE_OPTIONS, ...commandLine],
			{
				cwd: directory,
				env: { ...environment, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...variables },
				timeout,
				maxBuffer: MAXIMUM_OUTPUT,
				windowsHide: true,
			},
			(error, stdout) => (error ? reject(error) : resolve(stdout)),
		);
		// A program that git starts may read it, and would wait for ever.
		child.stdin?.end();
	});
}
