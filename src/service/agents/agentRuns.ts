// The parts of the service that agent runs need: access to a model, the user's consents, and a trial run that only
// checks whether an agent starts.
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import type { FoundAgent } from '../../agents/catalogue/entry.ts';
import { withoutModel } from '../../agents/relay/relay.ts';
import { agentLaunch } from '../../agents/run/agentLaunch.ts';
import { type AgentRunOptions, runAgent } from '../../agents/run/agentRun.ts';
import type { PlaceOptions } from '../../agents/run/runPlace.ts';
import { probeSandbox } from '../../agents/sandbox/probe.ts';
import { systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import type { AgentTrial } from '../../contract/agents.ts';
import type { Inference } from '../inference/inference.ts';
import type { ConsentStore } from '../store/consentStore.ts';
import { createModelListener } from '../tasks/relay/modelListener.ts';
import { type ModelCallEvents, type ModelTerms, TaskGateway, USER_SETTINGS } from '../tasks/relay/taskGateway.ts';
import { consentFolder } from '../tasks/repoUrl.ts';
import type { RunModels, RunServices } from '../tasks/runServices.ts';

/** The name of the model in a trial, which asks it nothing. */
const NO_MODEL = 'none';

type Surroundings = Pick<PlaceOptions, 'insideProgram' | 'privateFolders'>;

/** Returns the program that serves the relay in a sandbox. It lies beside the service's own, or in its source. */
export function insideProgramOf(programFile: string): string {
	return programFile.endsWith('.ts')
		? path.resolve(import.meta.dirname, '../../agents/sandbox/inside.ts')
		: path.join(path.dirname(programFile), 'sandbox.js');
}

/** Returns the program of Errand's own agent. In a checkout, it exists once it is built. */
export function agentProgramOf(programFile: string): string {
	return programFile.endsWith('.ts')
		? path.resolve(import.meta.dirname, '../../../dist/agent.js')
		: path.join(path.dirname(programFile), 'agent.js');
}

export interface RunServicesOptions extends Surroundings {
	directory: AgentDirectory;
	consents: ConsentStore;
	inference: Inference;
	logger: Logger;
}

export function createRunServices(options: RunServicesOptions): RunServices {
	const { directory, consents, inference, insideProgram, privateFolders, logger } = options;
	return {
		insideProgram,
		privateFolders,
		probeSandbox,
		allowsUnsandboxed: async (repoUrl, problem) =>
			directory.settings.sandbox === 'ask' && consents.allowsUnsandboxed(await consentFolder(repoUrl), problem),
		dependencyAnswer: async repoUrl => consents.dependencies(await consentFolder(repoUrl)),
		allowsSearch: async repoUrl =>
			consents.allowsSearch(await consentFolder(repoUrl)) && (await directory.searchModel()) !== undefined,
		rememberMissing: async (repoUrl, hosts) => consents.addMissing(await consentFolder(repoUrl), hosts),
		openModels(model, events) {
			const { provider, maxCost } = directory.settings;
			return openRunModels({ model, provider, maxCost, settings: USER_SETTINGS }, events, { inference, logger });
		},
	};
}

/** Opens the model access of one run under these terms. */
export function openRunModels(
	terms: ModelTerms,
	events: ModelCallEvents,
	{ inference, logger }: Pick<RunServicesOptions, 'inference' | 'logger'>,
): RunModels {
	const gateway = new TaskGateway(inference.gateway, terms, events, systemClock);
	return {
		maxCost: terms.maxCost,
		settings: terms.settings,
		tellCost: cost => gateway.tellCost(cost),
		allCounted: () => gateway.allCounted(),
		search: (query, signal) => gateway.search(query, signal),
		handle: createModelListener({ gateway, seal: inference.seal, logger }),
	};
}

export interface TrialOptions extends Surroundings {
	/** A folder for temporary files. It is emptied at each start of the service. */
	workFolder: string;
	logger: Logger;
	signal: AbortSignal;
}

/**
 * Starts an agent with an empty tree, opens a session and ends it. Everything that it started has ended when this
 * settles.
 * @throws UserFacingError if the agent fails; the signal's reason if it aborts.
 */
export async function tryAgent(agent: FoundAgent, options: TrialOptions): Promise<AgentTrial> {
	const { workFolder, insideProgram, privateFolders, logger, signal } = options;
	if (!(await probeSandbox()).works) {
		throw new UserFacingError(
			'An agent is only tried in a sandbox, and there is none on this machine. A task asks whether it may run without one.',
		);
	}
	const folder = await mkdtemp(path.join(workFolder, 'try-'));
	try {
		const tree = path.join(folder, 'tree');
		await mkdir(tree);
		const began = performance.now();
		const options: AgentRunOptions = {
			label: agent.definition.label,
			place: {
				insideProgram,
				privateFolders,
				tree,
				home: path.join(folder, 'home'),
				folder,
				name: 'try',
				isSandboxed: true,
				marker: folder,
			},
			relay: { handle: withoutModel('The agent is only being tried.'), allowsHost: () => false, onRefused: () => {} },
			launch: async seen => agentLaunch(agent, seen),
			model: NO_MODEL,
			signal,
			onEvent: () => {},
			logger,
		};
		return await runAgent(options, async ({ session }) => {
			const { name, version = agent.version } = session.info;
			return { ok: true, name, seconds: (performance.now() - began) / 1000, ...defined({ version }) };
		});
	} finally {
		await removeFolder(folder);
	}
}
