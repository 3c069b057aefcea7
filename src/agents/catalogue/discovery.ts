import { installationFolder, installedPrograms } from '../install/installed.ts';
import type { AgentDefinition, FoundAgent } from './entry.ts';
import { findPrograms, packageVersion } from './findProgram.ts';

export interface DiscoveryOptions {
	/** The folders in which the user's programs are looked for, joined as in `PATH`. */
	path: string;
	/** The folder into which Errand installs agents. */
	folder: string;
	/** The name of this platform (`platform.ts`). */
	platform: string;
	/**
	 * Absolute paths of repositories. Programs in them are skipped: whoever can write to one could choose the program.
	 */
	outside?: readonly string[];
}

/**
 * Looks for the programs of an agent: at the path in the settings, else on PATH, else where Errand installs agents.
 * Nothing is executed. Resolves with undefined if one of them is missing.
 */
export async function discoverAgent(
	definition: AgentDefinition,
	options: DiscoveryOptions,
	isConfigured = false,
): Promise<FoundAgent | undefined> {
	const { command, needs } = definition;
	const onPath = await findPrograms(
		[command, ...needs].map(name => [name, name]),
		options,
	);
	const programs = onPath ?? (await installedAt(definition, options));
	const location = programs?.[command];
	if (programs === undefined || location === undefined) {
		return undefined;
	}
	const source = onPath === undefined ? 'installed' : isConfigured ? 'settings' : 'path';
	return { definition, source, programs, location, version: await packageVersion(location) };
}

function installedAt(definition: AgentDefinition, { folder, platform, outside }: DiscoveryOptions) {
	const installation = definition.installations[platform];
	return installation && installedPrograms(installationFolder(folder, definition, installation), installation, outside);
}
