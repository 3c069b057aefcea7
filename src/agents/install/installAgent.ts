import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { temporaryName } from '../../base/files.ts';
import { type AgentDefinition, type AgentInstallation, installationVersion } from '../catalogue/entry.ts';
import { installationFolder, installedPrograms } from './installed.ts';
import { runNpm } from './npm.ts';

const TIMEOUT_MS = 15 * 60_000;

/** The folder in which agents are installed, with the platform and the environment of the user. */
export interface InstallPlace {
	/** The name of this platform (`catalogue/platform.ts`). */
	platform: string;
	/** The folder of all installations, which only its owner can write to. */
	folder: string;
	/** The user's environment. */
	environment: Readonly<Record<string, string | undefined>>;
}

/** The limits that end an installation before it is done. */
export interface InstallLimits {
	signal: AbortSignal;
	/** The time limit in milliseconds; 15 minutes by default. */
	timeoutMs?: number;
}

/**
 * Installs an agent with the user's own npm, at the known version, as `<folder>/<id>/<version>`. npm refuses archives
 * whose hashes differ from the known ones, and runs no scripts. An installation that fails or is aborted leaves
 * nothing. Rejects with the signal's reason, or with a UserFacingError.
 */
export async function installAgent(
	definition: AgentDefinition,
	{ platform, folder, environment }: InstallPlace,
	limits: InstallLimits,
): Promise<void> {
	const { label } = definition;
	const installation = definition.installations[platform];
	if (installation === undefined) {
		throw new UserFacingError(`Errand cannot install ${label} on this machine. Install it yourself, then try again.`);
	}
	const version = installationVersion(installation);
	const target = installationFolder(folder, definition, installation);
	const temporary = temporaryName(target);
	const timeout = AbortSignal.timeout(limits.timeoutMs ?? TIMEOUT_MS);
	const signal = AbortSignal.any([limits.signal, timeout]);
	try {
		await fill(temporary, installation, environment, signal);
		// Anything here is left from a damaged installation.
		await rm(target, { recursive: true, force: true });
		await rename(path.join(temporary, 'root'), target);
	} catch (error) {
		limits.signal.throwIfAborted();
		const reason = timeout.aborted
			? 'it took too long. Try again, or install it yourself.'
			: error instanceof UserFacingError
				? error.message
				: 'its files could not be written. Check the disk and its permissions.';
		throw new UserFacingError(`${label} ${version} was not installed: ${reason}`, { cause: error });
	} finally {
		await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
	}
}

async function fill(
	temporary: string,
	installation: AgentInstallation,
	environment: InstallPlace['environment'],
	signal: AbortSignal,
): Promise<void> {
	const root = path.join(temporary, 'root');
	await mkdir(root, { recursive: true, mode: 0o700 });
	await writeFile(path.join(root, 'package.json'), JSON.stringify(installation.manifest));
	await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(await installation.lock()));
	await runNpm({ folder: root, cache: path.join(temporary, 'cache'), environment, signal });
	const { packageOfPlatform } = installation;
	if (packageOfPlatform !== undefined && !existsSync(path.join(root, 'node_modules', packageOfPlatform))) {
		throw new UserFacingError(
			`npm could not install ${packageOfPlatform}, or the registry sent another package than the one that Errand knows. Check which registry npm is set to (npm config get registry).`,
		);
	}
	if ((await installedPrograms(root, installation)) === undefined) {
		throw new UserFacingError('npm did not install its program. Check that npm --version is 7 or newer.');
	}
}
