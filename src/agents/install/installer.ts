// The user's own programs that install packages: how they are run, and what is said when they fail.
import { existsSync } from 'node:fs';
import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { runChild } from '../../base/childProcess.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { temporaryName } from '../../base/files.ts';
import { oneLine } from '../../base/plainText.ts';
import { redactText } from '../../base/redact.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface InstallerRun {
	/** The folder to install into. */
	folder: string;
	/** A folder for downloads. */
	cache: string;
	/** The user's environment. */
	environment: Environment;
	/** Absolute paths of repositories, whose programs are not used. */
	outside: readonly string[];
	signal: AbortSignal;
}

/** The kept part of an installer's output. The reason is in the first lines of errors, which come last. */
const MAXIMUM_OUTPUT = 32 * 1024;
const MAXIMUM_REASON_LENGTH = 300;

/** The variables that say where the user's configuration is, and how to reach the network. */
const NAMES: ReadonlySet<string> = new Set([
	'HOME',
	'USERPROFILE',
	'APPDATA',
	'LOCALAPPDATA',
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'NO_PROXY',
	'SSL_CERT_FILE',
	'SSL_CERT_DIR',
]);

/**
 * Has `install` fill a new folder, with another one for downloads, and puts it at `target`. An installation that fails or
 * is aborted leaves nothing. Rejects with the signal's reason, or with a UserFacingError that begins with `name`.
 */
export async function installInto(
	target: string,
	name: string,
	signal: AbortSignal,
	install: (folder: string, cache: string) => Promise<void>,
): Promise<void> {
	const temporary = temporaryName(target);
	const folder = path.join(temporary, 'root');
	try {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await install(folder, path.join(temporary, 'cache'));
		// Another run may have installed the same meanwhile.
		await rename(folder, target).catch(error => {
			if (!existsSync(target)) {
				throw error;
			}
		});
	} catch (error) {
		signal.throwIfAborted();
		const reason =
			error instanceof UserFacingError
				? error.message
				: 'its files could not be written. Check the disk and its permissions.';
		throw new UserFacingError(`${name} was not installed: ${reason}`, { cause: error });
	} finally {
		await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
	}
}

/** Resolves with the user's environment with a PATH without folders in repositories: an installer starts programs by it. */
export async function outsideOf(repositories: readonly string[], environment: Environment): Promise<Environment> {
	const folders = (environment['PATH'] ?? '').split(path.delimiter);
	const real = await Promise.all(folders.map(folder => realpath(folder).catch(() => folder)));
	const isOutside = (folder: string | undefined) =>
		folder !== undefined && !repositories.some(repository => isSameOrWithin(repository, folder));
	const kept = folders.filter((folder, index) => isOutside(folder) && isOutside(real[index]));
	return { ...environment, PATH: kept.join(path.delimiter) };
}

/** Returns an installer's environment: the safe part of the user's, and the variables that lead to packages. */
export function installerEnvironment(environment: Environment, own: RegExp): Record<string, string> {
	const additions = Object.entries(environment).filter(
		(entry): entry is [string, string] =>
			entry[1] !== undefined && (NAMES.has(entry[0].toUpperCase()) || own.test(entry[0])),
	);
	return childEnvironment(environment, Object.fromEntries(additions));
}

/**
 * Runs an installer, which and whose own programs have ended when this settles. Rejects with the signal's reason, or with
 * a UserFacingError.
 */
export async function runInstaller(
	name: string,
	program: { command: string; args: readonly string[]; cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<{ exitCode: number | undefined; output: string }> {
	let output = '';
	const { exitCode } = await runChild({
		...program,
		onOutput: (_, bytes) => {
			output = (output + bytes.toString('utf8')).slice(-MAXIMUM_OUTPUT);
		},
	}).catch(error => {
		program.signal.throwIfAborted();
		throw new UserFacingError(`${name} could not be started. Check that ${name} --version works in a terminal.`, {
			cause: error,
		});
	});
	return { exitCode, output };
}

/** Says that an installer has failed, with its own words, which have addresses and may quote a server. */
export function reasonIn(name: string, said = ''): string {
	const words = oneLine(redactText(said), MAXIMUM_REASON_LENGTH);
	return words === ''
		? `${name} failed without a reason. Check that ${name} works in a terminal.`
		: `${name} failed: ${words.replace(/\.?$/, '.')}`;
}
