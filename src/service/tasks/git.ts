import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { childEnvironment } from './childEnvironment.ts';
import { runChild } from './childProcess.ts';
import { markedEnvironment } from './processFamily.ts';

/** More than any list of branches or any diff statistics needs. */
const MAXIMUM_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAXIMUM_ERROR_BYTES = 64 * 1024;

/**
 * Settings that win over those of any repository. Each closes a way by which the configuration of a repository makes
 * git run a program: hooks, the file system monitor, listing of alternates, signing, transports, submodules,
 * maintenance in the background.
 */
export const SAFE_SETTINGS: readonly string[] = [
	'core.hooksPath=/dev/null',
	'core.fsmonitor=false',
	'core.untrackedCache=false',
	'core.alternateRefsCommand=true',
	'core.pager=cat',
	'core.editor=true',
	'core.askPass=',
	'credential.helper=',
	'commit.gpgSign=false',
	'push.gpgSign=false',
	'tag.gpgSign=false',
	'protocol.ext.allow=never',
	'submodule.recurse=false',
	'fetch.recurseSubmodules=false',
	'push.recurseSubmodules=no',
	'diff.ignoreSubmodules=all',
	'gc.auto=0',
	'maintenance.auto=false',
	'receive.autogc=false',
	// Deleted or taken back is only what a stopped task itself has pushed.
	'receive.denyDeletes=false',
	'receive.denyNonFastForwards=false',
	// What lies in somebody's folder is never moved: the files would change, or seem to have been changed.
	'receive.denyCurrentBranch=refuse',
	'receive.denyDeleteCurrent=refuse',
	'core.autocrlf=false',
	'advice.detachedHead=false',
];

/** git ended with a failure. `stderr` is in English, as its words decide what the user is told. */
export class GitError extends Error {
	override readonly name = 'GitError';
	readonly exitCode: number | undefined;
	readonly stderr: string;

	constructor(command: string, exitCode: number | undefined, stderr: string) {
		super(`git ${command} ended with ${exitCode ?? 'a signal'}`);
		this.exitCode = exitCode;
		this.stderr = stderr;
	}
}

export interface GitLocation {
	/** Outside whatever an agent can write. Absent only where git is to look for a repository in a folder of the user's. */
	gitFolder?: string;
	/** A folder of ours, of which git takes lists of ignored files and of attributes, and what `~` means in a configuration. */
	home: string;
	workTree?: string;
	/** An existing folder to run in, of ours: some platforms look for programs there first. */
	cwd: string;
	/** The only configuration file outside the repository that is read (`writeGitConfiguration`). */
	configuration: string;
	/** Of the task: by it, what a crash left running is found. */
	marker?: string;
}

export interface GitOptions {
	signal: AbortSignal;
	input?: string;
	env?: Record<string, string>;
	/** How input and output stand for bytes. File names can be of any encoding: `latin1` keeps each byte. */
	encoding?: 'utf8' | 'latin1';
}

/** Runs git on a repository of ours and returns what it printed. Throws a GitError when it fails. */
export async function runGit(location: GitLocation, args: readonly string[], options: GitOptions): Promise<string> {
	const { encoding = 'utf8' } = options;
	const output: Buffer[] = [];
	let outputBytes = 0;
	const errors: Buffer[] = [];
	let errorBytes = 0;
	const tooMuch = new AbortController();
	const result = await runChild({
		command: 'git',
		args: [...SAFE_SETTINGS.flatMap(setting => ['-c', setting]), ...args],
		cwd: location.cwd,
		env: gitEnvironment(location, options.env),
		signal: AbortSignal.any([options.signal, tooMuch.signal]),
		...(options.input === undefined ? {} : { input: Buffer.from(options.input, encoding) }),
		onOutput(stream, bytes) {
			if (stream === 'stdout') {
				outputBytes += bytes.length;
				output.push(bytes);
				if (outputBytes > MAXIMUM_OUTPUT_BYTES) {
					tooMuch.abort(new UserFacingError('The repository is too large: git lists more than 64 MB of names.'));
				}
			} else if (errorBytes < MAXIMUM_ERROR_BYTES) {
				errorBytes += bytes.length;
				errors.push(bytes);
			}
		},
	}).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') {
			throw new UserFacingError(
				'The program git was not found. Install git, or add its folder to PATH, and start again.',
			);
		}
		throw error;
	});
	if (result.exitCode !== 0) {
		throw new GitError(args[0] ?? '', result.exitCode, Buffer.concat(errors).toString('utf8'));
	}
	return Buffer.concat(output).toString(encoding);
}

function gitEnvironment(location: GitLocation, additions: Record<string, string> = {}): Record<string, string> {
	return childEnvironment(process.env, {
		...defined({ GIT_DIR: location.gitFolder, GIT_WORK_TREE: location.workTree }),
		// No other configuration or attributes of the machine or the user: a task is the same on every machine.
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_CONFIG_GLOBAL: location.configuration,
		GIT_ATTR_NOSYSTEM: '1',
		HOME: location.home,
		XDG_CONFIG_HOME: location.home,
		// This version runs on local repositories only, so no other transport is let in.
		GIT_ALLOW_PROTOCOL: 'file',
		GIT_NO_LAZY_FETCH: '1',
		GIT_TERMINAL_PROMPT: '0',
		GIT_ASKPASS: '',
		SSH_ASKPASS: '',
		GIT_OPTIONAL_LOCKS: '0',
		LC_ALL: 'C',
		...(location.marker === undefined ? {} : markedEnvironment(location.marker)),
		...additions,
	});
}
