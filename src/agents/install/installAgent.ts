import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { type AgentDefinition, type AgentInstallation, installationVersion } from '../catalogue/entry.ts';
import { installationFolder, installedPrograms } from './installed.ts';
import { installInto } from './installer.ts';
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
	const target = installationFolder(folder, definition, installation);
	const timeout = AbortSignal.timeout(limits.timeoutMs ?? TIMEOUT_MS);
	const signal = AbortSignal.any([limits.signal, timeout]);
	const name = `${label} ${installationVersion(installation)}`;
	await installInto(target, name, limits.signal, async (root, cache) => {
		await writeFile(path.join(root, 'package.json'), JSON.stringify(installation.manifest));
		await writeFile(path.join(root, 'package-lock.json'), JSON.stringify(await installation.lock()));
		await runNpm({ folder: root, cache, environment, outside: [], signal }).catch(error => {
			throw timeout.aborted
				? new UserFacingError('it took too long. Try again, or install it yourself.', { cause: error })
				: error;
		});
		await check(root, installation);
		// Anything here is left from a damaged installation.
		await rm(target, { recursive: true, force: true });
	});
}

async function check(root: string, installation: AgentInstallation): Promise<void> {
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
