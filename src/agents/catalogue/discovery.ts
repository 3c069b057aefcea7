import { installationFolder, installedPrograms } from '../install/installed.ts';
import type { AgentDefinition, FoundAgent } from './entry.ts';
import { findProgram, packageVersion } from './findProgram.ts';

export interface DiscoveryOptions {
	/** The folders that programs of the user are looked for in, joined as in `PATH`. */
	path: string;
	/** The folder that Errand installs agents in. */
	folder: string;
	/** The name of this platform (`platform.ts`). */
	platform: string;
	/**
	 * Absolute paths of repositories. Programs that lie in one are passed over: whoever writes it could choose them.
	 */
	outside?: readonly string[];
}

/**
 * Looks for the programs of an agent: at the place that the settings name, else on PATH, else where Errand installs
 * agents. Nothing is executed. Resolves with undefined if one of them is missing.
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
	const place = installationFolder(options.folder, definition.id, installation);
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
