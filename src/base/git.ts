// Git in the service, which runs without hooks, filters, file system monitors and prompts, in the source repository
// too. Hooks that a repository's configuration names (git 2.54) are listed before each call there and switched off by
// name. The names travel in the environment, never in a command line, and a repository with unusual ones is refused.
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from './childEnvironment.ts';
import { runChild } from './childProcess.ts';
import { defined } from './defined.ts';
import { UserFacingError } from './errors.ts';
import { safeArguments, safeEnvironment } from './gitConfiguration.ts';
import { GitError } from './gitError.ts';
import { markedEnvironment } from './processFamily.ts';

/** More than any branch list or diff statistics needs. */
const MAXIMUM_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAXIMUM_ERROR_BYTES = 64 * 1024;

/**
 * The settings that the service adds to those of every call (`safeArguments`): git has no credentials, never moves a
 * checked-out branch, does not look into submodules, and stores files byte for byte.
 */
export const SERVICE_SETTINGS: readonly string[] = [
	'core.askPass=',
	'credential.helper=',
	'core.untrackedCache=false',
	'core.autocrlf=false',
	'diff.ignoreSubmodules=all',
	'advice.detachedHead=false',
	// A branch is deleted or moved back only if a stopped task has just pushed it itself.
	'receive.denyDeletes=false',
	'receive.denyNonFastForwards=false',
	// A branch that is checked out is never moved: the files in that folder would change, or seem to have been changed.
	'receive.denyCurrentBranch=refuse',
	'receive.denyDeleteCurrent=refuse',
];

export interface CommitIdentity {
	name: string;
	address: string;
}

/** The identity in commits for which git knows none. The address can never belong to anybody (RFC 2606). */
export const ERRAND_IDENTITY: CommitIdentity = { name: 'Errand', address: 'noreply@errand.invalid' };

export interface GitLocation {
	/** A folder that no agent can write to. It is absent only if git is to find a repository in a user's folder. */
	gitFolder?: string;
	/** The folder that `~` means in a configuration: one of the service's, so that git finds no ignore lists there. */
	home: string;
	workTree?: string;
	/** An existing folder of the service's, in which git runs: some platforms look for programs there first. */
	cwd: string;
	/**
	 * The only configuration file outside the repository that is read (`writeGitConfiguration`). If it is absent, git
	 * reads the user's and the machine's own, and `home` is the user's.
	 */
	configuration?: string;
	/** Git's own path where it need not be on PATH. */
	program?: string;
	/** The marker of the task, by which processes that outlived a crash are found. */
	marker?: string;
}

export interface GitOptions {
	signal: AbortSignal;
	input?: string;
	/** Input for the programs that git starts, which they can read from descriptor 3. */
	furtherInput?: Uint8Array;
	env?: Record<string, string>;
	/** The encoding of input and output. File names can be in any encoding: `latin1` keeps each byte. */
	encoding?: 'utf8' | 'latin1';
	/** The number of bytes after which git is ended, and the output so far returned. Without it, too much is an error. */
	cutAt?: number;
}

/** Runs git on a repository of the service's and returns its output. Throws a GitError if git fails. */
export async function runGit(location: GitLocation, args: readonly string[], options: GitOptions): Promise<string> {
	const { encoding = 'utf8', cutAt } = options;
	const output: Buffer[] = [];
	let outputBytes = 0;
	const errors: Buffer[] = [];
	let errorBytes = 0;
	const tooMuch = new AbortController();
	const { exitCode } = await runChild({
		command: location.program ?? 'git',
		args: [...safeArguments(SERVICE_SETTINGS), ...args],
		cwd: location.cwd,
		env: gitEnvironment(location, options.env),
		signal: AbortSignal.any([options.signal, tooMuch.signal]),
		...defined({
			input: options.input === undefined ? undefined : Buffer.from(options.input, encoding),
			furtherInput: options.furtherInput,
		}),
		onOutput(stream, bytes) {
			if (stream === 'stdout') {
				outputBytes += bytes.length;
				output.push(bytes);
				if (outputBytes > (cutAt ?? MAXIMUM_OUTPUT_BYTES)) {
					tooMuch.abort(new UserFacingError('The repository is too large: git lists more than 64 MB of names.'));
				}
			} else if (errorBytes < MAXIMUM_ERROR_BYTES) {
				errorBytes += bytes.length;
				errors.push(bytes);
			}
		},
	}).catch((error: NodeJS.ErrnoException) => {
		if (tooMuch.signal.aborted && cutAt !== undefined) {
			return { exitCode: 0 };
		}
		if (error.code === 'ENOENT') {
			throw new UserFacingError(
				'The program git was not found. Install git, or add its folder to PATH, and start again.',
			);
		}
		throw error;
	});
	const stdout = Buffer.concat(output).toString(encoding);
	if (exitCode !== 0) {
		const stderr = Buffer.concat(errors).toString('utf8');
		throw new GitError(`git ${args[0] ?? ''} ended with ${exitCode ?? 'a signal'}`, { exitCode, stdout, stderr });
	}
	return stdout;
}

function gitEnvironment(location: GitLocation, additions: Record<string, string> = {}): Record<string, string> {
	return childEnvironment(process.env, {
		...defined({ GIT_DIR: location.gitFolder, GIT_WORK_TREE: location.workTree }),
		HOME: location.home,
		GIT_ATTR_NOSYSTEM: '1',
		...(location.configuration === undefined
			? defined({ XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] })
			: {
					// No other configuration of the machine or the user is read: a task is the same on every machine.
					GIT_CONFIG_NOSYSTEM: '1',
					GIT_CONFIG_GLOBAL: location.configuration,
					XDG_CONFIG_HOME: location.home,
				}),
		// The service works on local repositories only, so no other transport is allowed.
		...safeEnvironment('file'),
		GIT_ASKPASS: '',
		SSH_ASKPASS: '',
		...(location.marker === undefined ? {} : markedEnvironment(location.marker)),
		...additions,
	});
}

/**
 * Writes attributes that override every .gitattributes: no filter runs, whatever the configuration names, and the tree
 * holds the stored bytes. A file that git would write back differently would look like a change that nobody made.
 */
export async function writeAttributes(gitFolder: string): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'attributes'), '* -filter -text -ident !working-tree-encoding\n');
}

/** Removes the locks that a crash may have left in an earlier run's folder. Our git is not running there. */
export async function removeLocks(gitFolder: string): Promise<void> {
	for (const name of await readdir(gitFolder).catch(() => [])) {
		if (name.endsWith('.lock')) {
			await unlink(path.join(gitFolder, name));
		}
	}
}
