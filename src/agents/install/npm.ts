import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { findProgram, type ProgramSearch } from '../catalogue/findProgram.ts';
import { type InstallerRun, installerEnvironment, outsideOf, reasonIn, runInstaller } from './installer.ts';

export interface NpmRun extends InstallerRun {
	/** The package to install with its dependencies, such as `name@version`. If undefined, the lockfile decides. */
	package?: string;
}

/** The variables by which npm finds the user's configuration and a registry. */
const CONFIGURATION =
	/^NODE_EXTRA_CA_CERTS$|^NODE_USE_SYSTEM_CA$|^NPM_TOKEN$|^NODE_AUTH_TOKEN$|^npm_config_(?:registry|@[^:]+:registry|\/\/.+|proxy|https?[-_]proxy|noproxy|ca|cafile|cert|key|strict[-_]ssl|userconfig|globalconfig)$/i;

/**
 * A name of nothing, which npm is told to start in place of git, and to give as an option to every Node that it starts.
 * A package that comes by git, or as an archive of a repository, is prepared by a further npm. That one obeys the
 * settings in the repository, which can name programs to run. A Node that is given such an option ends before it reads
 * anything.
 */
const NO_GIT = 'errand-installs-nothing-by-git';

/**
 * Whatever the user's configuration says, npm installs only what the lockfile names, runs no scripts, and fetches
 * nothing but packages.
 */
const FLAGS = [
	'--ignore-scripts',
	`--git=${NO_GIT}`,
	`--node-options=--${NO_GIT}`,
	'--no-audit',
	'--no-fund',
	'--no-update-notifier',
	'--no-global',
	'--no-dry-run',
	'--no-package-lock-only',
	'--package-lock',
	'--include=optional',
	'--omit=dev',
	'--install-strategy=hoisted',
	'--no-progress',
	'--color=false',
	'--loglevel=error',
	'--logs-max=0',
	'--fetch-retries=1',
	'--fetch-retry-mintimeout=1000',
	'--fetch-retry-maxtimeout=5000',
];

/** Explanations of npm's error codes for the user. */
const REASONS: Readonly<Record<string, string>> = {
	EINTEGRITY:
		'what the registry sent is not the package that Errand knows. Check which registry npm is set to (npm config get registry).',
	E404: 'the registry does not have the package. Check which registry npm is set to (npm config get registry).',
	ETARGET: 'the registry does not have this version. Check which registry npm is set to (npm config get registry).',
	E401: 'the registry wants you to log in. Run npm login, then try again.',
	E403: 'the registry does not allow it. Check the credentials in your .npmrc.',
	ENOSPC: 'the disk is full. Free some space, then try again.',
};
const UNREACHABLE: ReadonlySet<string> = new Set([
	'ENOTFOUND',
	'EAI_AGAIN',
	'ECONNREFUSED',
	'ECONNRESET',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ETIMEDOUT',
	'ERR_SOCKET_TIMEOUT',
	'FETCH_ERROR',
]);

/**
 * Runs the user's own npm to install what the lock of a folder says, or one package. npm and what it started have ended
 * when this settles. Rejects with the signal's reason, or with a UserFacingError, which ends a sentence that begins with
 * what was to be installed.
 */
export async function runNpm({ folder, package: wanted, cache, outside, signal, ...run }: NpmRun): Promise<void> {
	const environment = await outsideOf(outside, run.environment);
	const npm = await npmCommand({ path: environment['PATH'] ?? '', outside });
	if (npm === undefined) {
		throw new UserFacingError('npm was not found on PATH. Install Node.js with npm, then try again.');
	}
	const { exitCode, output } = await runInstaller('npm', {
		command: npm.command,
		args: [
			...npm.args,
			...(wanted === undefined ? ['ci'] : ['install', wanted]),
			...FLAGS,
			'--cache',
			cache,
			'--prefix',
			folder,
		],
		cwd: folder,
		env: installerEnvironment(environment, CONFIGURATION),
		signal,
	});
	if (exitCode !== 0) {
		throw new UserFacingError(reasonOf(output));
	}
}

async function npmCommand(search: ProgramSearch): Promise<{ command: string; args: string[] } | undefined> {
	if (process.platform !== 'win32') {
		const npm = await findProgram('npm', search);
		return npm && { command: npm.file, args: [] };
	}
	// On Windows, npm is a shell script, which cannot be started as a program. It lies beside the program that runs it.
	const node = await findProgram('node', search);
	const script = node && path.join(path.dirname(node.file), 'node_modules', 'npm', 'bin', 'npm-cli.js');
	return node && script !== undefined && existsSync(script) ? { command: node.file, args: [script] } : undefined;
}

/** Reads npm's error code and the start of its reason from its output, which has addresses and may quote a server. */
function reasonOf(output: string): string {
	if (output.includes(NO_GIT)) {
		return 'one of its dependencies comes by git, from where it could run programs. Choose another version or package.';
	}
	const code = /^npm (?:error|ERR!) code (\w+)/m.exec(output)?.[1] ?? '';
	const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
	if (known !== undefined) {
		return known;
	}
	if (UNREACHABLE.has(code)) {
		return 'the registry of packages could not be reached. Check the network and npm’s registry and proxy settings.';
	}
	return reasonIn('npm', /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(output)?.[1]);
}
