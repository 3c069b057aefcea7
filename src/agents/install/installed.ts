import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type AgentDefinition, type AgentInstallation, installationVersion } from '../catalogue/entry.ts';
import { findPrograms } from '../catalogue/findProgram.ts';

/** The folder of all installations, in the state folder. */
export const AGENTS_FOLDER = 'agents';

/** Returns the folder of an agent's installation. `folder` is the folder of all installations. */
export function installationFolder(
	folder: string,
	{ id, installedAs = id }: Pick<AgentDefinition, 'id' | 'installedAs'>,
	installation: AgentInstallation,
): string {
	return path.join(folder, installedAs, installationVersion(installation));
}

/**
 * Returns the home of an agent's account, in which its login is kept. It is beside the folder of all installations, and
 * used by no run without the account.
 */
export function accountHome(folder: string, id: string): string {
	return path.join(path.dirname(folder), 'accounts', id);
}

/**
 * Returns the real paths of the programs of an installed agent, by name. `folder` contains `node_modules`. Resolves
 * with undefined if one of them is missing.
 */
export function installedPrograms(
	folder: string,
	{ programs }: AgentInstallation,
	outside: readonly string[] = [],
): Promise<Record<string, string> | undefined> {
	const commands = Object.entries(programs).map(
		([name, place]) => [name, path.join(folder, 'node_modules', place)] as const,
	);
	return findPrograms(commands, { path: '', outside });
}

/**
 * Removes the remains of killed installations from the folder of all installations, and versions that are no longer
 * used. No agent may be running. Never rejects.
 */
export async function removeOldInstallations(
	folder: string,
	definitions: readonly AgentDefinition[],
	platform: string,
): Promise<void> {
	for (const { id, installations } of definitions) {
		const installation = installations[platform];
		const version = installation && installationVersion(installation);
		for (const name of await readdir(path.join(folder, id)).catch(() => [])) {
			if (name !== version) {
				await rm(path.join(folder, id, name), { recursive: true, force: true }).catch(() => {});
			}
		}
	}
}
