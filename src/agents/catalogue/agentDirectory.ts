import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import {
	type AgentStatus,
	type AgentsReport,
	readVariables,
	type SandboxStatus,
	type TaskSettings,
	taskSettingsSchema,
} from '../../contract/agents.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import { localConnection, OWN_ACCOUNT, realModels } from '../../contract/localConnection.ts';
import { ownSearchModel } from '../../contract/search.ts';
import { accountHome } from '../install/installed.ts';
import { configuredAgent } from './configuredAgent.ts';
import { discoverAgent } from './discovery.ts';
import {
	type AgentDefinition,
	type AgentPlace,
	type AgentProblem,
	type FoundAgent,
	isUsableModel,
	type ModelApi,
} from './entry.ts';
import { knownAgents } from './knownAgents.ts';
import { OWN_AGENT } from './ownAgent.ts';

/** The time for which lists reuse the result of a search of the disk. */
const FRESH_MS = 5_000;

/** An agent that needs neither a program of the machine nor a model. */
export interface BuiltInAgent {
	readonly id: string;
	readonly label: string;
	readonly models: readonly [string, ...string[]];
}

/** An agent that tasks can use now. */
export interface TaskAgent extends BuiltInAgent {
	/** Undefined for a built-in agent. */
	readonly found: FoundAgent | undefined;
}

/** The parts of the gateway's description from which the models of an agent are chosen. */
export type OfferedModels = Pick<GatewayDescription, 'models' | 'providers'>;

export interface AgentDirectoryOptions {
	builtIn: readonly BuiltInAgent[];
	/** Errand's own agent. It comes first: users who have a model and no other agent use it. */
	own: FoundAgent | undefined;
	/** The user's environment. */
	environment: Readonly<Record<string, string | undefined>>;
	/** The folder into which agents are installed. */
	folder: string;
	/** The name of this platform (`platform.ts`). */
	platform: string;
	describe(): Promise<OfferedModels>;
	probeSandbox(): Promise<SandboxStatus>;
	clock: Clock;
}

/** An agent that is not built in: its definition, and the location of its programs, if they were found. */
interface DirectoryEntry {
	definition: AgentDefinition;
	isConfigured: boolean;
	/** The names of variables that the agent should get and that are not set. */
	unsetVariables: readonly string[];
	found: FoundAgent | undefined;
}

/** The agents of this machine: the built-in ones, those named in the settings, and well-known ones that are found. */
export class AgentDirectory {
	private readonly options: AgentDirectoryOptions;
	private taskSettings: TaskSettings = taskSettingsSchema.parse({});
	private entries: { at: number; list: Promise<readonly DirectoryEntry[]> } | undefined;

	constructor(options: AgentDirectoryOptions) {
		this.options = options;
	}

	get settings(): TaskSettings {
		return this.taskSettings;
	}

	/** Replaces the earlier settings. Without settings, the defaults apply. */
	replaceSettings(settings: TaskSettings | undefined): void {
		this.taskSettings = settings ?? taskSettingsSchema.parse({});
		this.forget();
	}

	/** Returns the agents that tasks can use, the built-in ones last. */
	async current(): Promise<readonly TaskAgent[]> {
		const [entries, offered] = await Promise.all([this.freshEntries(), this.options.describe()]);
		const usable = entries.map(entry => this.usable(entry, offered)).filter(agent => typeof agent !== 'string');
		return [...usable, ...this.options.builtIn.map(agent => ({ ...agent, found: undefined }))];
	}

	sandbox(): Promise<SandboxStatus> {
		return this.options.probeSandbox();
	}

	/** Returns those of the models that nobody offers at a known price. Names without a model are left out. */
	async unpriced(models: readonly string[]): Promise<string[]> {
		const offered = await this.options.describe();
		return models.filter(name => offered.models.some(({ id, prices }) => id === name && prices === undefined));
	}

	/** Resolves with the model for web searches, if there is one. */
	async searchModel(): Promise<string | undefined> {
		const { models } = await this.options.describe();
		return ownSearchModel({ ...localConnection, models });
	}

	async report(): Promise<AgentsReport> {
		const [sandbox, entries, offered] = await Promise.all([
			this.sandbox(),
			this.freshEntries(),
			this.options.describe(),
		]);
		const builtIn = this.options.builtIn.map(builtInStatus);
		return { sandbox, agents: [...entries.map(entry => this.statusOf(entry, offered)), ...builtIn] };
	}

	/**
	 * Returns the status of one agent, read anew. `repositories` are the folders of a task; programs in them are not
	 * used. An unknown agent counts as not found.
	 */
	async status(id: string, repositories: readonly string[] = []): Promise<AgentStatus> {
		const builtIn = this.options.builtIn.find(agent => agent.id === id);
		if (builtIn !== undefined) {
			return builtInStatus(builtIn);
		}
		const entry = await this.entry(id, repositories);
		return entry === undefined
			? { id, label: id, source: 'none', problem: 'not-found' }
			: this.statusOf(entry, await this.options.describe());
	}

	/**
	 * Returns an agent that a task is about to use, read anew. `repositories` are the task's folders.
	 * @throws UserFacingError if it cannot run now.
	 */
	async use(id: string, repositories: readonly string[] = []): Promise<TaskAgent> {
		const builtIn = this.options.builtIn.find(agent => agent.id === id);
		if (builtIn !== undefined) {
			return { ...builtIn, found: undefined };
		}
		const entry = await this.entry(id, repositories);
		if (entry === undefined) {
			throw new UserFacingError(`There is no agent "${id}" here. Choose another one.`);
		}
		const agent = this.usable(entry, await this.options.describe());
		if (typeof agent === 'string') {
			throw new UserFacingError(problemSentence(entry.definition, agent));
		}
		return agent;
	}

	/**
	 * Returns the programs of an agent, read anew, whether or not there is a model for it.
	 * @throws UserFacingError if there is no such agent, if it may not use its account, or if it was not found.
	 */
	async locate(id: string): Promise<FoundAgent> {
		const entry = await this.entry(id);
		if (entry === undefined) {
			throw new UserFacingError(`There is no agent "${id}" here whose program could be started.`);
		}
		const { definition, found } = entry;
		const problem = definition.account && this.accountProblem(definition);
		if (found === undefined || problem !== undefined) {
			throw new UserFacingError(problemSentence(definition, problem ?? 'not-found'));
		}
		return found;
	}

	/** Returns the definition of an agent that is not built in, or undefined if none has this id. */
	definition(id: string): AgentDefinition | undefined {
		return this.definitions().find(({ definition }) => definition.id === id)?.definition;
	}

	/** Returns the hosts of the account of an agent's own and the home with its login, if it works with one. */
	account(id: string): { hosts: readonly string[]; home: string } | undefined {
		const { account } = this.definition(id) ?? {};
		return account && { hosts: account.hosts, home: accountHome(this.options.folder, id) };
	}

	/** Returns what is known of a model. */
	async modelLimits(model: string): Promise<Pick<AgentPlace, 'contextLength' | 'maxOutputTokens' | 'takesImages'>> {
		const { models } = await this.options.describe();
		const { contextLength, maxOutputTokens, images } = models.find(({ id }) => id === model) ?? {};
		return defined({ contextLength, maxOutputTokens, takesImages: images });
	}

	/** Makes lists search the disk again. */
	forget(): void {
		this.entries = undefined;
	}

	private definitions(): Omit<DirectoryEntry, 'found'>[] {
		const { builtIn, own } = this.options;
		const { agents, variables } = this.taskSettings;
		const isTaken = (id: string) => id === OWN_AGENT || builtIn.some(agent => agent.id === id);
		const configured = agents
			.filter(({ id }) => !isTaken(id))
			.map(setting => ({
				definition: configuredAgent(setting, variables),
				isConfigured: true,
				unsetVariables: readVariables(setting.env).names.filter(name => !Object.hasOwn(variables, name)),
			}));
		const isConfigured = (id: string) => configured.some(({ definition }) => definition.id === id);
		const known = knownAgents.filter(({ id }) => !isConfigured(id));
		const unconfigured = (definition: AgentDefinition) => ({ definition, isConfigured: false, unsetVariables: [] });
		return [...(own === undefined ? [] : [unconfigured(own.definition)]), ...configured, ...known.map(unconfigured)];
	}

	private async entry(id: string, repositories: readonly string[] = []): Promise<DirectoryEntry | undefined> {
		const one = this.definitions().find(({ definition }) => definition.id === id);
		return one && this.discover(one, repositories);
	}

	private async discover(one: Omit<DirectoryEntry, 'found'>, outside: readonly string[] = []): Promise<DirectoryEntry> {
		const { own, environment, folder, platform } = this.options;
		if (one.definition === own?.definition) {
			return { ...one, found: own };
		}
		const place = { path: environment['PATH'] ?? '', folder, platform, outside };
		return { ...one, found: await discoverAgent(one.definition, place, one.isConfigured) };
	}

	private freshEntries(): Promise<readonly DirectoryEntry[]> {
		const now = this.options.clock.elapsed();
		if (this.entries === undefined || now - this.entries.at > FRESH_MS) {
			this.entries = { at: now, list: Promise.all(this.definitions().map(one => this.discover(one))) };
		}
		return this.entries.list;
	}

	/** Returns an agent as tasks can use it, or the reason why it cannot run. */
	private usable({ definition, found }: DirectoryEntry, offered: OfferedModels): TaskAgent | AgentProblem {
		const { id, label, api } = definition;
		if (found === undefined) {
			return 'not-found';
		}
		if (api === undefined) {
			return this.accountProblem(definition) ?? { id, label, models: [OWN_ACCOUNT], found };
		}
		const [first, ...others] = modelsFor(api, offered);
		return first === undefined ? 'no-model' : { id, label, models: [first, ...others], found };
	}

	/** A yes holds for exactly the hosts for which it was given. */
	private accountProblem({ id, account }: AgentDefinition): AgentProblem | undefined {
		const { ownAccounts, allowedAccounts, provider } = this.taskSettings;
		if (ownAccounts === 'forbid') {
			return 'account-forbidden';
		}
		if (provider?.zdr === true) {
			return 'account-retention';
		}
		const isAllowed = isDeepStrictEqual(new Set(allowedAccounts[id]), new Set(account?.hosts));
		return account !== undefined && isAllowed ? undefined : 'own-account';
	}

	private statusOf(entry: DirectoryEntry, offered: OfferedModels): AgentStatus {
		const { definition, found, unsetVariables } = entry;
		const { id, label, licence, megabytes, installations, account } = definition;
		const installation = found ? undefined : installations[this.options.platform];
		const usable = this.usable(entry, offered);
		return {
			id,
			label,
			source: found?.source ?? 'none',
			...defined({
				// The location of Errand's own agent is the Node that runs it, which says nothing to the user.
				location: found?.source === 'own' ? undefined : found?.location,
				version: found?.version,
				licence,
				problem: typeof usable === 'string' ? usable : undefined,
				install: installation && {
					// The other packages are dependencies of these.
					packages: Object.entries(installation.manifest.dependencies).map(([name, version]) => `${name}@${version}`),
					downloadMegabytes: installation.downloadMegabytes,
					diskMegabytes: installation.diskMegabytes,
					...defined({ terms: installation.terms }),
				},
				megabytes,
				accountHosts: account && [...account.hosts],
				unsetVariables: unsetVariables.length > 0 ? [...unsetVariables] : undefined,
			}),
		};
	}
}

function builtInStatus({ id, label }: BuiltInAgent): AgentStatus {
	return { id, label, source: 'built-in' };
}

/**
 * Returns the models that an agent can work with: those that, as far as is known, chat through the agent's API and
 * accept tools. The demo's are left out, because they only pretend.
 */
export function modelsFor(api: ModelApi, offered: OfferedModels): string[] {
	// The relay answers messages through chat.
	const kind = api === 'messages' ? 'chat' : api;
	return realModels(offered)
		.filter(({ id, kinds, tools }) => kinds.includes(kind) && tools !== false && isUsableModel(id))
		.map(({ id }) => id);
}

/** Returns a sentence that says why an agent cannot run, and what to do. */
function problemSentence({ label, command, needs }: AgentDefinition, problem: AgentProblem): string {
	switch (problem) {
		case 'not-found': {
			const programs = [command, ...needs].map(name => JSON.stringify(name));
			return programs.length === 1
				? `${label} was not found: the program ${programs} is needed. Install it, or name where it is in errand.local.agents.`
				: `${label} was not found: the programs ${programs.join(' and ')} are needed. Install them, or name where they are in errand.local.agents.`;
		}
		case 'own-account':
			return `${label} needs your yes, because it works without Errand’s relay. “Errand: Set Up Agents…” asks for it.`;
		case 'account-forbidden':
			return `${label} does not run, because the setting errand.local.ownAccounts forbids it. Choose another agent.`;
		case 'account-retention':
			return `${label} does not run while zero data retention is on, as nobody knows what its account retains. Choose another agent.`;
		case 'no-model':
			return `${label} needs a model, and there is none but the demo. Add a model server, then try again.`;
	}
}
