// The agents of the local service: their settings, the known facts about each, and the needs of a task before an agent
// may run. This is our own protocol and no part of the service's contract.
import * as z from 'zod';
import { isDecisiveVariable } from '../base/childEnvironment.ts';
import type { KnownCost } from '../base/knownCost.ts';
import { lenient, lenientArray } from './lenient.ts';
import { routingPolicySchema } from './routingPolicy.ts';

/** The characters of a variable or a file that a setting gives an agent. */
const MAXIMUM_TEXT = 20_000;

const DECISIVE = 'must not be a variable that decides what programs load or where they look';

const agentId = z
	.string()
	.regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be lowercase letters, digits or hyphens');

/** The name of a variable that a program may get. */
export const variableName = z
	.string()
	.regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
	.refine(name => !isDecisiveVariable(name), DECISIVE);

/** An entry of `env`: the name of one of the user's variables, or `NAME=text`. */
const variableEntry = z
	.string()
	.max(MAXIMUM_TEXT)
	.regex(/^[A-Za-z_]\w*(?:=[^\0]*)?$/, 'must be the name of a variable, or NAME=text')
	.refine(entry => !isDecisiveVariable(nameOf(entry)), DECISIVE);

const nameOf = (entry: string): string => entry.split('=', 1)[0] ?? '';

/** Separates the entries of `env`: names of the user's variables, and variables with a text. */
export function readVariables(env: readonly string[]): { names: string[]; texts: Record<string, string> } {
	const texts = env.filter(entry => entry.includes('='));
	return {
		names: env.filter(entry => !entry.includes('=')),
		texts: Object.fromEntries(texts.map(entry => [nameOf(entry), entry.slice(nameOf(entry).length + 1)])),
	};
}

/** The path of a file below an agent's home. No part of it leads elsewhere. */
const homeFile = z
	.string()
	.max(200)
	.regex(/^(?:(?!\.{1,2}(?:\/|$))[^/\\\0]+(?:\/(?!$)|$))+$/, 'must be a path below the home folder');

/** A host that a program may reach, by encrypted connections alone. */
export const hostName = z
	.string()
	.max(260)
	.regex(/^[a-z0-9.-]+(?::\d{1,5})?$/, 'must be a host in lower case, with a port where that is not 443');

/** The APIs by which an agent may talk to a model. */
export const MODEL_APIS = ['chat', 'responses', 'messages'] as const;

/**
 * One entry of `errand.local.agents`. In `args`, `files` and the texts of `env`, `${relay}`, `${key}`, `${model}` and
 * `${home}` stand for what an agent is told at its start.
 */
export const agentSettingSchema = z.strictObject({
	id: agentId,
	label: z.string().min(1).max(60).optional(),
	/** An absolute path, or a name that is looked up on PATH. */
	command: z.string().min(1),
	args: z.array(z.string()).default([]),
	env: z.array(variableEntry).default([]),
	/** The files that are written into its home before it starts: texts, or values that become JSON. */
	files: z.record(homeFile, z.union([z.string().max(MAXIMUM_TEXT), z.record(z.string(), z.unknown())])).optional(),
	api: z.enum(MODEL_APIS).default('chat'),
	/** The agent's own mode to set for a session. */
	mode: z.string().min(1).optional(),
	/** The hosts of the account of its own with which it works, instead of the user's models. */
	account: z.strictObject({ hosts: z.array(hostName).min(1).max(50) }).optional(),
});
export type AgentSetting = z.output<typeof agentSettingSchema>;

/** The policy for agents on a system without a sandbox: ask once per repository, or never run them. */
export const SANDBOX_SETTINGS = ['ask', 'require'] as const;

/** The policy for agents that work with an account of their own: after a yes to each, or never. */
export const ACCOUNT_SETTINGS = ['ask', 'forbid'] as const;

/** The reasons why there is no sandbox on this machine. */
const SANDBOX_PROBLEMS = ['not-installed', 'not-permitted', 'platform'] as const;

const sandboxStatusSchema = z.object({
	works: z.boolean(),
	/** Absent if it works. */
	problem: z.enum(SANDBOX_PROBLEMS).optional(),
	/** The output of the sandbox's program when it could not start. */
	detail: z.string().optional(),
	/** The kernel setting that forbids it, and the command that permits it. Absent if these are unknown. */
	forbidden: z.object({ setting: z.string(), command: z.string() }).optional(),
});
export type SandboxStatus = z.output<typeof sandboxStatusSchema>;
export type SandboxProblem = (typeof SANDBOX_PROBLEMS)[number];

/** Returns why there is no sandbox. Must be called only if none works. */
export function sandboxProblem({ problem }: SandboxStatus): SandboxProblem {
	return problem ?? 'platform';
}

/**
 * The reasons why an agent cannot run: its program was not found; there is no model but the demo; it works with an
 * account of its own, for which there is no yes, which a setting forbids, or of which nobody knows what it retains.
 */
export const AGENT_PROBLEMS = [
	'not-found',
	'no-model',
	'own-account',
	'account-forbidden',
	'account-retention',
] as const;

/** The packages to install for an agent, with the cost to the user. */
const agentPackageSchema = z.object({
	/** Each as `name@version`. */
	packages: z.array(z.string()).min(1),
	downloadMegabytes: z.number(),
	diskMegabytes: z.number(),
	/** The terms that the user has to agree to, and the package that they are of. Absent if there are none. */
	terms: z.object({ package: z.string(), text: z.string() }).optional(),
});

const agentStatusSchema = z.object({
	id: z.string(),
	label: z.string(),
	/** The origin: the demo, Errand's own, named in the settings, found on PATH, installed by Errand, or nowhere. */
	source: z.enum(['built-in', 'own', 'settings', 'path', 'installed', 'none']),
	/** The absolute path of its program. */
	location: z.string().optional(),
	version: z.string().optional(),
	licence: z.string().optional(),
	/** Absent if it can run. */
	problem: z.enum(AGENT_PROBLEMS).optional(),
	/** Absent if Errand cannot install it. */
	install: agentPackageSchema.optional(),
	/** The amount of memory that it is known to need. */
	megabytes: z.number().optional(),
	/** The hosts of the account of its own, without which it does not work. Absent if it works with the user's models. */
	accountHosts: z.array(z.string()).optional(),
	/** The variables that its setting names but that are not set. Absent if there are none. */
	unsetVariables: z.array(z.string()).optional(),
});
export type AgentStatus = z.output<typeof agentStatusSchema>;

/** The reply to `GET` of `controlPaths.agents`. */
export const agentsReportSchema = z.object({ sandbox: sandboxStatusSchema, agents: z.array(agentStatusSchema) });
export type AgentsReport = z.output<typeof agentsReportSchema>;

/** The body of `POST` to `controlPaths.tryAgent`. */
export const agentRequestSchema = z.strictObject({ id: agentId });

/** The body of `POST` to `controlPaths.installAgent`. */
export const agentInstallRequestSchema = z.strictObject({
	id: agentId,
	/** The text of the terms that the user has agreed to. */
	agreedTo: z.string().optional(),
});
export type AgentInstallRequest = z.output<typeof agentInstallRequestSchema>;

/** The reply to both: the outcome of a handshake, even after an installation. A failure is a sentence. */
export const agentTrialSchema = z.discriminatedUnion('ok', [
	z.object({ ok: z.literal(true), name: z.string(), version: z.string().optional(), seconds: z.number() }),
	z.object({ ok: z.literal(false), message: z.string() }),
]);
export type AgentTrial = z.output<typeof agentTrialSchema>;

/** The body of `POST` to `controlPaths.taskCheck`, which asks what a task would need that has not been allowed yet. */
export const taskCheckRequestSchema = z.strictObject({
	repoUrl: z.string().min(1),
	selectedBranch: z.string().min(1).optional(),
	agents: z.array(agentId).max(8),
	models: z.array(z.string().min(1)).max(8).default([]),
	installDependencies: z.boolean().default(false),
});
export type TaskCheckRequest = z.input<typeof taskCheckRequestSchema>;

export const taskCheckSchema = z.object({
	sandbox: sandboxStatusSchema,
	/** True if `controlPaths.tasks` takes MCP servers. An older service does not say it. */
	takesServers: z.literal(true).optional(),
	/** The agents of the request that cannot run now. */
	unusable: z.array(agentStatusSchema),
	/** True if an agent would run without a sandbox, and this is not allowed here for the present reason. */
	asksForUnsandboxed: z.boolean(),
	/** Absent if the agents of the request cannot search the web. `allowed`: the user lets tasks of the repository do it. */
	search: z.object({ model: z.string(), allowed: z.boolean() }).optional(),
	/** The models without a price, for which the cost limit does not hold. Empty if there is no limit. */
	unpricedModels: z.array(z.string()).default([]),
	/** Null if no dependencies are to be installed, or if none were found. */
	dependencies: z
		.object({
			/** Commands such as `npm ci`, with the file that asks for each. */
			commands: z.array(z.object({ lockfile: z.string(), command: z.string() })),
			/** The hosts that the package managers are configured for, as `host:port`. */
			hosts: z.array(z.string()),
			/** Hosts among these, or in a lockfile, that need the user's login. Agents do not get that login. */
			withLogin: z.array(z.string()).default([]),
			/** True if the user has allowed exactly these hosts for this repository. */
			allowed: z.boolean(),
			allowsScripts: z.boolean(),
		})
		.nullable(),
	/** The dependencies that the user has installed in the repository. An older service reports none. */
	ownDependencies: z
		.object({
			/** The folders that the task can see, read-only. */
			shown: z.array(z.string()),
			/** The packages that these folders lack, such as `mocha@^11.0.0`. Because of them, the folders are not shown. */
			unmet: z.array(z.string()),
		})
		.default({ shown: [], unmet: [] }),
});
export type TaskCheck = z.output<typeof taskCheckSchema>;

/** The scope of a consent: to run agents without a sandbox for this one reason, to install from these hosts, or to search the web. */
const unsandboxedFields = { kind: z.literal('unsandboxed'), problem: z.enum(SANDBOX_PROBLEMS) };
const dependenciesFields = {
	kind: z.literal('dependencies'),
	hosts: z.array(z.string().min(1)).max(50),
	allowsScripts: z.boolean(),
};

const searchFields = { kind: z.literal('search') };

/** The body of `POST` to `controlPaths.consents`. The service stores the consent for the repository. */
export const consentSchema = z.discriminatedUnion('kind', [
	z.strictObject({ ...searchFields, repoUrl: z.string().min(1) }),
	z.strictObject({ ...unsandboxedFields, repoUrl: z.string().min(1) }),
	z.strictObject({ ...dependenciesFields, repoUrl: z.string().min(1) }),
]);
export type Consent = z.output<typeof consentSchema>;

/** The place and time of a consent: the absolute path of the repository, and a date in ISO 8601. */
const keptFields = { folder: z.string(), allowedAt: z.string() };
const keptConsentSchema = z.discriminatedUnion('kind', [
	z.object({ ...searchFields, ...keptFields }),
	z.object({ ...unsandboxedFields, ...keptFields }),
	z.object({ ...dependenciesFields, ...keptFields }),
]);
export type StoredConsent = z.output<typeof keptConsentSchema>;

/** The reply to `GET` of `controlPaths.consents`: all stored consents, by the paths of their repositories. */
export const consentListSchema = z.object({ consents: z.array(keptConsentSchema) });

/** The body of `POST` to `controlPaths.withdrawConsent`: the folder and the kind of a stored consent. */
export const withdrawalSchema = z.strictObject({
	folder: z.string().min(1),
	kind: z.enum(['unsandboxed', 'dependencies', 'search']),
});
export type Withdrawal = z.output<typeof withdrawalSchema>;

/** The body of `POST` to `controlPaths.keepWork`, which commits the work an agent had done when its task was ended. */
export const partialWorkRequestSchema = z.strictObject({ taskId: z.string().min(1) });

/** The reply: the branch with the commit. */
export const partialWorkSchema = z.object({ branchName: z.string() });

/** Tokens, calls or US dollars. Any service may send these fields; impossibly large amounts count as absent. */
const amountSchema = z.number().min(0).max(1e12);

/**
 * The use of one model, served by one provider, by one agent in one turn. Calls with and without a price have separate
 * entries.
 */
const modelUseSchema = z.looseObject({
	agent: lenient(z.string()),
	/** 1, plus one for each follow-up. */
	turn: lenient(z.number()),
	model: z.string(),
	/** The slug of the provider. Absent if no provider served, or if it is unknown. */
	provider: lenient(z.string()),
	/** Absent if the calls were not counted. */
	calls: lenient(amountSchema),
	failedCalls: lenient(amountSchema),
	/** The number of calls whose tokens were estimated from the length of the text. */
	estimatedCalls: lenient(amountSchema),
	inputTokens: lenient(amountSchema),
	outputTokens: lenient(amountSchema),
	/** The cost in US dollars. Absent if these calls have no known price. */
	cost: lenient(amountSchema),
});
export type ModelUse = z.output<typeof modelUseSchema>;

/** Returns whether a model has read or written anything. A request without a reply costs nothing. */
export function isUsed({ inputTokens = 0, outputTokens = 0 }: ModelUse): boolean {
	return inputTokens + outputTokens > 0;
}

export function costOfUse({ cost, estimatedCalls = 0 }: ModelUse): KnownCost {
	return cost === undefined ? { known: 'nothing' } : { known: 'whole', dollars: cost, isEstimated: estimatedCalls > 0 };
}

const modelUseList = lenientArray(modelUseSchema);

/** The reply to `GET` of `controlPaths.costs`: the models' use by local tasks, the latest month first. */
export const monthlyUseSchema = z.object({
	months: z.array(
		z.object({
			/** A calendar month of the service's machine, in the form `2026-11`. */
			month: z.string(),
			/** The number of tasks whose agents called a model in this month. */
			tasks: z.number(),
			models: modelUseList,
		}),
	),
});
export type MonthlyUse = z.output<typeof monthlyUseSchema>['months'];

/** The outcomes of tests. `not-run`: they could not be run, which says nothing about the work. */
export const TEST_OUTCOMES = ['passed', 'failed', 'not-run'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

/** The local service's additions to each of several agents of a task, in the field `errand` of its execution. */
export const executionExtrasSchema = z.looseObject({
	/** True if the agent ran in a sandbox. Absent before it started. */
	sandboxed: lenient(z.boolean()),
	/** The tokens of all turns. */
	inputTokens: lenient(amountSchema),
	outputTokens: lenient(amountSchema),
	/** The cost of all turns in US dollars. Absent if a call has no known price. */
	cost: lenient(amountSchema),
	models: lenient(modelUseList),
	/** Absent if the last run had no limit. */
	budget: lenient(
		z.looseObject({
			/** The most that one run of one agent may cost, in US dollars. */
			limit: amountSchema,
			spent: amountSchema,
			/** True if the run made calls without a price, which `spent` does not include. */
			atLeast: lenient(z.boolean()),
		}),
	),
	/** The commit at which the branch began. */
	baseCommit: lenient(z.string()),
	/** The outcome of the repository's tests after the agent's work. Absent if it is unknown how to run them. */
	tests: lenient(z.enum(TEST_OUTCOMES)),
	/** The number of test files that the work has changed. */
	testFilesChanged: lenient(z.number()),
	/** The positions of the agents of whose work the result is composed (compositions.ts). Absent for an agent's own. */
	composedOf: lenient(z.array(z.number())),
});

export type ExecutionExtras = z.output<typeof executionExtrasSchema>;

/**
 * The local service's additions to a task, in its field `errand`. For several agents, these are sums, and `baseCommit`
 * and `budget` are absent.
 */
export const taskExtrasSchema = executionExtrasSchema.extend({
	/** True if the task was ended with uncommitted work that `keepWork` can commit. */
	canKeep: lenient(z.boolean()),
	/** The names of the MCP servers that came with the task. Absent if there were none. */
	mcpServers: lenient(z.array(z.string())),
	/** The number of steps whose files are kept (taskSteps.ts). Absent if there are none. */
	steps: lenient(amountSchema),
});

/** The part of the handover that is about tasks. */
export const taskSettingsSchema = z.strictObject({
	agents: z
		.array(agentSettingSchema)
		.default([])
		.refine(list => new Set(list.map(({ id }) => id)).size === list.length, 'an id stands there twice'),
	/**
	 * The values of the variables that the agents name, as far as they are set. They are secrets, and each agent gets
	 * only those that it names itself.
	 */
	variables: z
		.record(
			variableName,
			z.string().refine(value => !value.includes('\0'), 'must be a value of a variable'),
		)
		.default({}),
	sandbox: z.enum(SANDBOX_SETTINGS).default('ask'),
	ownAccounts: z.enum(ACCOUNT_SETTINGS).default('ask'),
	/** The agents that may work with accounts of their own, each with the hosts to which the user has agreed. */
	allowedAccounts: z.record(z.string(), z.array(z.string())).default({}),
	/** The limit for each agent of a task in US dollars. Absent: no limit. */
	maxCost: z.number().min(0).optional(),
	/** The routing policy for every model call of a task. */
	provider: routingPolicySchema.optional(),
});
export type TaskSettings = z.output<typeof taskSettingsSchema>;
