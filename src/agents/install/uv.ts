import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { findProgram } from '../catalogue/findProgram.ts';
import { type InstallerRun, installerEnvironment, outsideOf, reasonIn, runInstaller } from './installer.ts';

/** The environment of the package becomes `tools/<name>` in the folder. */
export interface UvRun extends InstallerRun {
	/** The package with its version, such as `name==1.2.3`. */
	requirement: string;
}

/** The variables by which uv finds the user's configuration, an index of packages and a Python. */
const CONFIGURATION =
	/^(?:XDG_(?:CONFIG|DATA)_(?:HOME|DIRS)|ALL_PROXY|NETRC|SSL_CLIENT_CERT|UV_(?:CONFIG_FILE|DEFAULT_INDEX|INDEX(?:_\w+)?|EXTRA_INDEX_URL|FIND_LINKS|INSECURE_HOST|KEYRING_PROVIDER|NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT|OFFLINE|EXCLUDE_NEWER|PYTHON|PYTHON_(?:INSTALL_DIR|PREFERENCE)))$/i;

/**
 * Whatever the user's configuration says, nothing of a package runs: none is built, and no Python is started in its
 * environment, which may hold code that each start runs. Files are copied, as the cache is removed.
 */
const FLAGS = [
	'--no-build',
	'--no-compile-bytecode',
	'--link-mode=copy',
	'--no-python-downloads',
	'--no-progress',
	'--color=never',
];

/** The reasons that uv gives, each with what it means for the user. The first one that fits holds. */
const REASONS: readonly (readonly [RegExp, string])[] = [
	[
		/building from source is disabled|has no binary distribution/,
		'it, or something that it needs, has to be built first, which would run its code. Install it yourself with uv tool install, and declare its program as the command.',
	],
	[
		/No interpreter found|does not satisfy Python/,
		'it needs a Python that is not on this machine. Install one, as with uv python install, then try again.',
	],
	[
		/40[13] (?:Unauthorized|Forbidden)|valid authentication credentials/,
		'the index of packages does not allow it. Check its credentials in your uv.toml, or log in with uv auth login.',
	],
	[
		/was not found in the (?:package registry|provided package locations|cache)/,
		'it, or something that it needs, is not in the index of packages. Check the name, and the indexes in your uv.toml.',
	],
	[/there (?:is|are) no versions? of/, 'the index of packages does not have this version. Check the version.'],
	[
		/Failed to fetch|Could not connect|error sending request|dns error|timed out/i,
		'the index of packages could not be reached. Check the network, and the indexes and the proxy of uv.',
	],
	[/No executables are provided/, 'it has no program that could be started. Check the name of the package.'],
	[/unexpected argument|unrecognized subcommand/, 'your uv is too old. Update it, then try again.'],
	[/No space left on device/, 'the disk is full. Free some space, then try again.'],
];

/**
 * Runs the user's own uv to install a package with what it needs into an environment of its own. uv and what it started
 * have ended when this settles. Rejects with the signal's reason, or with a UserFacingError, which ends a sentence that
 * begins with what was to be installed.
 */
export async function runUv({ folder, requirement, cache, outside, signal, ...run }: UvRun): Promise<void> {
	const environment = await outsideOf(outside, run.environment);
	const uv = await findProgram('uv', { path: environment['PATH'] ?? '', outside });
	if (uv === undefined) {
		throw new UserFacingError('uv was not found on PATH. Install uv, then try again.');
	}
	const places = { UV_TOOL_DIR: path.join(folder, 'tools'), UV_TOOL_BIN_DIR: path.join(folder, 'bin') };
	const { exitCode, output } = await runInstaller('uv', {
		command: uv.file,
		args: ['tool', 'install', requirement, ...FLAGS, '--cache-dir', cache],
		cwd: folder,
		env: { ...installerEnvironment(environment, CONFIGURATION), ...places },
		signal,
	});
	if (exitCode !== 0) {
		throw new UserFacingError(reasonOf(output));
	}
}

/** Reads uv's reason from its output, in which a sentence goes on over several lines behind the marks of a tree. */
function reasonOf(output: string): string {
	const said = output.replace(/[\s│├╰─▶×]+/g, ' ');
	const [, known] = REASONS.find(([pattern]) => pattern.test(said)) ?? [];
	const [words] = /Because .+?(?= hint: |$)/.exec(said) ?? [];
	return known ?? reasonIn('uv', (words ?? /^\s*(?:error:|×) *(.+)$/m.exec(output)?.[1])?.trim());
}
