import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AgentDirectory, type AgentDirectoryOptions } from '../../agents/catalogue/agentDirectory.ts';
import { currentPlatform } from '../../agents/catalogue/platform.ts';
import { AGENTS_FOLDER } from '../../agents/install/installed.ts';
import { systemClock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import type { TaskSettings } from '../../contract/agents.ts';
import type { App } from '../server.ts';
import { ConsentStore } from '../store/consentStore.ts';
import { type AgentRoutesDependencies, registerAgentRoutes } from './agentRoutes.ts';
import { AgentTrials, type TrialSupport } from './agentTrials.ts';

export interface AgentsOptions
	extends Pick<AgentDirectoryOptions, 'builtIn' | 'own' | 'describe' | 'probeSandbox'>,
		Pick<TrialSupport, 'handshake' | 'logger'>,
		Pick<AgentRoutesDependencies, 'dependenciesOf' | 'stopping'> {
	app: App;
	stateFolder: string;
	database: DatabaseSync;
	settings: TaskSettings | undefined;
	logger: Logger;
}

export interface Agents {
	directory: AgentDirectory;
	consents: ConsentStore;
	/** Resolves when nothing that a window asked for is running any more. Requests end it when the service stops. */
	ended(): Promise<void>;
}

/** Registers the routes about agents. No agent may be running yet, as the leftovers of installations are removed. */
export function startAgents(options: AgentsOptions): Agents {
	const { app, stateFolder, logger } = options;
	const place = {
		folder: path.join(stateFolder, AGENTS_FOLDER),
		platform: currentPlatform(),
		environment: process.env,
	};
	const directory = new AgentDirectory({ ...options, ...place, clock: systemClock });
	directory.replaceSettings(options.settings);
	const trials = new AgentTrials(directory, place, { handshake: options.handshake, logger });
	void trials.removeLeftovers();
	const consents = new ConsentStore(options.database);
	registerAgentRoutes(app, { ...options, directory, trials, consents });
	return { directory, consents, ended: () => trials.ended() };
}
