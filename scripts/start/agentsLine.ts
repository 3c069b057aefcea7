import path from 'node:path';
import { discoverAgent } from '../../src/agents/catalogue/discovery.ts';
import { knownAgents } from '../../src/agents/catalogue/knownAgents.ts';
import { currentPlatform } from '../../src/agents/catalogue/platform.ts';
import { AGENTS_FOLDER } from '../../src/agents/install/installed.ts';

/**
 * Returns a line about the well-known agents that the local service will find with this PATH and this state folder. It
 * searches by itself, because the service is started by the first window and not by the launcher.
 */
export async function agentsLine(programFolders: string, stateFolder: string): Promise<string> {
	const place = {
		path: programFolders,
		folder: path.join(stateFolder, AGENTS_FOLDER),
		platform: currentPlatform(),
	};
	const runnable = knownAgents.filter(({ account }) => account === undefined);
	const looks = await Promise.all(runnable.map(definition => discoverAgent(definition, place)));
	const found = looks.filter(agent => agent !== undefined);
	if (found.length === 0) {
		return 'Agents: Errand\'s own, once there is a model, and a demo. The command "Errand: Set Up Agents…" sets up others.';
	}
	const names = found.map(({ definition, version, location }) =>
		[definition.label, version, `(${location})`].filter(part => part !== undefined).join(' '),
	);
	return `Agents: ${names.join(', ')}; Errand's own, once there is a model, and a demo.`;
}
