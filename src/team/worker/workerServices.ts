import { randomBytes } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import { ownAgent } from '../../agents/catalogue/ownAgent.ts';
import { currentPlatform } from '../../agents/catalogue/platform.ts';
import { AGENTS_FOLDER } from '../../agents/install/installed.ts';
import { probeSandbox } from '../../agents/sandbox/probe.ts';
import { systemClock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import { agentProgramOf, insideProgramOf, openRunModels } from '../../service/agents/agentRuns.ts';
import { TaskAgents } from '../../service/agents/taskAgents.ts';
import { startInference } from '../../service/inference/inference.ts';
import { ReasoningSeal } from '../../service/responses/reasoningSeal.ts';
import { createApp } from '../../service/server.ts';
import { demoAgent } from '../../service/tasks/agent.ts';
import type { RunServices } from '../../service/tasks/runServices.ts';
import type { Configuration } from '../configuration.ts';

/** The fields of the configuration. */
const settings = { maxCost: 'limits.maxCost of this service', upstreams: 'the upstreams of this service' };

const SEAL_KEY_BYTES = 32;

export interface WorkerServicesOptions {
	configuration: Configuration;
	/** The file that this process was started with. The demo agents are started with it too. */
	programFile: string;
	version: string;
	/** The folders of the worker, which sandboxes hide. */
	stateFolder: string;
	workFolder: string;
	logger(topic: string): Logger;
}

/** The agents of a worker, and the services that their runs need. */
export interface WorkerServices {
	agents: TaskAgents;
	/** The limit of the cost of each turn in US dollars, or undefined if there is none. */
	maxCost: number | undefined;
	/** Returns the services of a run. `spent` is what earlier attempts at its turn have cost. */
	forRun(spent: number): RunServices;
	close(): Promise<void>;
}

/** Nobody is asked anything here: agents run in the sandbox alone, and install and search nothing. */
export function startWorkerServices(options: WorkerServicesOptions): WorkerServices {
	const { configuration, programFile, version, stateFolder, workFolder, logger } = options;
	const { demo, handover, aliases } = configuration;
	const inference = startInference({
		// Nobody else reaches a worker's models.
		app: createApp(logger('inference')),
		demo,
		address: () => '',
		aliases: () => aliases,
		seal: new ReasoningSeal(randomBytes(SEAL_KEY_BYTES)),
		handover,
		clock: systemClock,
		logger,
	});
	const builtIn = demo ? [demoAgent('demo', 'Demo', programFile), demoAgent('demo-two', 'Demo Two', programFile)] : [];
	const directory = new AgentDirectory({
		builtIn,
		own: ownAgent(agentProgramOf(programFile), version),
		environment: process.env,
		folder: path.join(stateFolder, AGENTS_FOLDER),
		platform: currentPlatform(),
		describe: () => inference.gateway.describe(),
		probeSandbox,
		clock: systemClock,
	});
	directory.replaceSettings(handover.tasks);
	const { provider, maxCost } = handover.tasks;
	const common: Omit<RunServices, 'openModels'> = {
		probeSandbox,
		allowsUnsandboxed: async () => false,
		dependencyAnswer: async () => undefined,
		allowsSearch: async () => false,
		rememberMissing: async () => {},
		privateFolders: [stateFolder, workFolder],
		insideProgram: insideProgramOf(programFile),
	};
	return {
		agents: new TaskAgents(directory, builtIn),
		maxCost,
		forRun: spent => ({
			...common,
			openModels(model, events) {
				const left = maxCost && maxCost - spent;
				const terms = { model, provider, maxCost: left, settings };
				return openRunModels(terms, events, { inference, logger: logger('agent models') });
			},
		}),
		close: () => inference.close(),
	};
}
