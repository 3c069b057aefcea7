import { installationFolder, installedPrograms } from '../install/installed.ts';
import type { AgentDefinition, FoundAgent } from './entry.ts';
import { findProgram, packageVersion } from './findProgram.ts';

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
	const onPath = await programsOnPath(definition, options);
	if (onPath !== undefined) {
		return found(definition, isConfigured ? 'settings' : 'path', onPath);
	}
	const installation = definition.installations[options.platform];
	if (installation === undefined) {
		return undefined;
	}
	const place = installationFolder(options.folder, definition, installation);
	const installed = await installedPrograms(place, installation, options.outside);
	return installed && found(definition, 'installed', installed);
}

async function programsOnPath(
	{ command, needs }: AgentDefinition,
	options: DiscoveryOptions,
): Promise<Record<string, string> | undefined> {
	const programs: [string, string][] = [];
	for (const name of [command, ...needs]) {
		const program = await findProgram(name, options);
		if (program === undefined) {
			return undefined;
		}
		programs.push([name, program.real]);
	}
	return Object.fromEntries(programs);
}

async function found(
	definition: AgentDefinition,
	source: FoundAgent['source'],
	programs: Record<string, string>,
): Promise<FoundAgent | undefined> {
	const location = programs[definition.command];
	if (location === undefined) {
		return undefined;
	}
	return { definition, source, programs, location, version: await packageVersion(location) };
}
