import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import { OWN_AGENT } from '../../agents/catalogue/ownAgent.ts';
import {
	type AgentTrial,
	agentInstallRequestSchema,
	agentRequestSchema,
	consentSchema,
	sandboxProblem,
	type TaskCheck,
	taskCheckRequestSchema,
	withdrawalSchema,
} from '../../contract/agents.ts';
import { controlPaths } from '../../contract/control.ts';
import { RequestRefused, runOrRefuse } from '../replies.ts';
import { type App, readBody, untilClientGoes } from '../server.ts';
import type { ConsentStore } from '../store/consentStore.ts';
import type { BranchDependencies, DependencyWays } from '../tasks/dependenciesOfBranch.ts';
import { consentFolder } from '../tasks/repoUrl.ts';
import type { AgentTrials } from './agentTrials.ts';

const NO_DEPENDENCIES: BranchDependencies = { commands: [], hosts: [], withLogin: [], shown: [], unmet: [] };

export interface AgentRoutesDependencies {
	directory: AgentDirectory;
	trials: AgentTrials;
	consents: ConsentStore;
	/**
	 * Finds out how a task would get the dependencies of a branch, by default of HEAD's. `ways` says whether the task
	 * installs dependencies, and whether it can be shown the user's. Rejects with a UserFacingError.
	 */
	dependenciesOf(repoUrl: string, branch: string | undefined, ways: DependencyWays): Promise<BranchDependencies>;
	/** Aborts when the service stops. */
	stopping: AbortSignal;
}

/** Registers the routes by which windows ask about the agents of this machine and store what the user allows them. */
export function registerAgentRoutes(app: App, dependencies: AgentRoutesDependencies): void {
	const { directory, trials, consents, stopping } = dependencies;

	app.get(controlPaths.agents, async context => context.json(await directory.report()));

	const registerTrial = <Request>(
		path: string,
		schema: z.ZodType<Request>,
		run: (request: Request, signal: AbortSignal) => Promise<AgentTrial>,
	): void => {
		app.post(path, async context => {
			const request = await readBody(context, schema);
			return untilClientGoes(context, async gone => {
				try {
					return context.json(await run(request, AbortSignal.any([gone, stopping])));
				} catch (error) {
					throw stopping.aborted
						? new RequestRefused(503, 'The local service is stopping. Try again in a moment.')
						: error;
				}
			});
		});
	};
	registerTrial(controlPaths.tryAgent, agentRequestSchema, ({ id }, signal) => trials.try(id, signal));
	registerTrial(controlPaths.installAgent, agentInstallRequestSchema, (request, signal) =>
		trials.install(request, signal),
	);

	app.post(controlPaths.taskCheck, async context => {
		const request = await readBody(context, taskCheckRequestSchema);
		const folder = await runOrRefuse(400, () => consentFolder(request.repoUrl));
		const isLimited = directory.settings.maxCost !== undefined;
		const [sandbox, statuses, unpricedModels, searchModel] = await Promise.all([
			directory.sandbox(),
			Promise.all([...new Set(request.agents)].map(id => directory.status(id, [folder]))),
			isLimited ? directory.unpriced(request.models) : [],
			request.agents.includes(OWN_AGENT) ? directory.searchModel() : undefined,
		]);
		const needsSandbox = statuses.some(({ source, problem }) => source !== 'built-in' && problem === undefined);
		const isAllowed =
			directory.settings.sandbox === 'ask' && consents.allowsUnsandboxed(folder, sandboxProblem(sandbox));
		const ways = { installs: request.installDependencies, shows: needsSandbox && sandbox.works };
		const { shown, unmet, ...found } =
			ways.installs || ways.shows
				? await runOrRefuse(400, () => dependencies.dependenciesOf(request.repoUrl, request.selectedBranch, ways))
				: NO_DEPENDENCIES;
		const check: TaskCheck = {
			sandbox,
			takesServers: true,
			unusable: statuses.filter(({ problem }) => problem !== undefined),
			asksForUnsandboxed: needsSandbox && !sandbox.works && !isAllowed,
			...(searchModel && { search: { model: searchModel, allowed: consents.allowsSearch(folder) } }),
			unpricedModels,
			dependencies: found.commands.length === 0 ? null : { ...found, ...answerFor(consents, folder, found.hosts) },
			ownDependencies: { shown, unmet },
		};
		return context.json(check);
	});

	app.post(controlPaths.consents, async context => {
		const consent = await readBody(context, consentSchema);
		const folder = await runOrRefuse(400, () => consentFolder(consent.repoUrl));
		if (consent.kind === 'unsandboxed' && directory.settings.sandbox === 'require') {
			throw new RequestRefused(409, 'errand.local.sandbox is "require", so no agent runs without a sandbox.');
		}
		consents.allow(folder, consent);
		return context.json({ taken: true });
	});

	app.get(controlPaths.consents, context => context.json({ consents: consents.list() }));

	// The path is the one in the stored consent. It is not looked up, as the folder may be gone.
	app.post(controlPaths.withdrawConsent, async context => {
		consents.withdraw(await readBody(context, withdrawalSchema));
		return context.json({ taken: true });
	});
}

/** An answer holds for exactly the hosts it was given for, so hosts that an installation lacked are asked for. */
function answerFor(consents: ConsentStore, folder: string, configured: readonly string[]) {
	const hosts = [...new Set([...configured, ...consents.missing(folder)])];
	const consent = consents.dependencies(folder);
	const allowed = consent !== undefined && isDeepStrictEqual(new Set(consent.hosts), new Set(hosts));
	return { hosts, allowed, allowsScripts: allowed && consent.allowsScripts };
}
