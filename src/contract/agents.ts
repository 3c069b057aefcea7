// The agents of the local service: how a user names one, what is known about each, and what a task needs before an agent
// may run. This is our own protocol and no part of the service's contract.
import * as z from 'zod';
import { isDecisiveVariable } from '../base/childEnvironment.ts';
import type { KnownCost } from '../base/knownCost.ts';
import { lenient, lenientArray } from './lenient.ts';
import { routingPolicySchema } from './provider.ts';

const agentId = z
	.string()
	.regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be lowercase letters, digits or hyphens');

const variableName = z
	.string()
	.regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
	.refine(
		name => !isDecisiveVariable(name),
		'must not be a variable that decides what programs load or where they look',
	);

/** How an agent speaks to a model. */
export const MODEL_APIS = ['chat', 'responses'] as const;

/** One entry of `errand.local.agents`. */
export const agentSettingSchema = z.strictObject({
	id: agentId,
	label: z.string().min(1).max(60).optional(),
	/** An absolute path, or a name that is looked up on PATH. */
	command: z.string().min(1),
	args: z.array(z.string()).default([]),
	/** The names of variables that the agent gets from the user's environment. */
	env: z.array(variableName).default([]),
	api: z.enum(MODEL_APIS).default('chat'),
	/** The mode of the agent that a session is set to. */
	mode: z.string().min(1).optional(),
});
export type AgentSetting = z.output<typeof agentSettingSchema>;

/** What an agent may do on a system without a sandbox: run after a question per repository, or not at all. */
export const SANDBOX_SETTINGS = ['ask', 'require'] as const;

/** Why there is no sandbox on this machine. */
const SANDBOX_PROBLEMS = ['not-installed', 'not-permitted', 'platform'] as const;

const sandboxStatusSchema = z.object({
	works: z.boolean(),
	/** Absent if it works. */
	problem: z.enum(SANDBOX_PROBLEMS).optional(),
	/** What the sandbox's program printed when it could not start. */
	detail: z.string().optional(),
	/** The setting of the kernel that does not permit it, and the command that does. Absent where nothing of both is known. */
	forbidden: z.object({ setting: z.string(), command: z.string() }).optional(),
});
export type SandboxStatus = z.output<typeof sandboxStatusSchema>;
export type SandboxProblem = (typeof SANDBOX_PROBLEMS)[number];

/** Why there is no sandbox. It is asked for where none works. */
export function sandboxProblem({ problem }: SandboxStatus): SandboxProblem {
	return problem ?? 'platform';
}

/**
 * Why an agent cannot run: its program was not found; it only works with an account of its own; the relay does not
 * speak its model's API; there is no model but the demo.
 */
export const AGENT_PROBLEMS = ['not-found', 'own-account', 'model-api', 'no-model'] as const;

/** A package of an agent that can be installed, and what that means for the user. */
const agentPackageSchema = z.object({
	/** Each as `name@version`. */
	packages: z.array(z.string()).min(1),
	downloadMegabytes: z.number(),
	diskMegabytes: z.number(),
});

const agentStatusSchema = z.object({
	id: z.string(),
	label: z.string(),
	/** The demo, Errand's own, named in the settings, found on PATH, installed by Errand, or nowhere. */
	source: z.enum(['built-in', 'own', 'settings', 'path', 'installed', 'none']),
	/** The absolute path of its program. */
	location: z.string().optional(),
	version: z.string().optional(),
	licence: z.string().optional(),
	/** Absent if it can run. */
	problem: z.enum(AGENT_PROBLEMS).optional(),
	/** Absent if Errand cannot install it. */
	install: agentPackageSchema.optional(),
	/** The memory that it is known to need. */
	megabytes: z.number().optional(),
	/** The names of the variables that its setting names and that are not set. Absent if there are none. */
	unsetVariables: z.array(z.string()).optional(),
});
export type AgentStatus = z.output<typeof agentStatusSchema>;

/** `GET` of `controlPaths.agents`. */
export const agentsReportSchema = z.object({ sandbox: sandboxStatusSchema, agents: z.array(agentStatusSchema) });
export type AgentsReport = z.output<typeof agentsReportSchema>;

/** `POST` to `controlPaths.tryAgent` and `controlPaths.installAgent`. */
export const agentRequestSchema = z.strictObject({ id: agentId });

/** The reply to both: a handshake, after an installation too. A failure is a sentence. */
export const agentTrialSchema = z.discriminatedUnion('ok', [
	z.object({ ok: z.literal(true), name: z.string(), version: z.string().optional(), seconds: z.number() }),
	z.object({ ok: z.literal(false), message: z.string() }),
]);
export type AgentTrial = z.output<typeof agentTrialSchema>;

/** `POST` to `controlPaths.taskCheck`: what a task would need that has not been allowed yet. */
export const taskCheckRequestSchema = z.strictObject({
	repoUrl: z.string().min(1),
	selectedBranch: z.string().min(1).optional(),
	agents: z.array(agentId).max(8),
	/** The models of the agents. */
	models: z.array(z.string().min(1)).max(8).default([]),
	installDependencies: z.boolean().default(false),
});
export type TaskCheckRequest = z.input<typeof taskCheckRequestSchema>;

export const taskCheckSchema = z.object({
	sandbox: sandboxStatusSchema,
	/** The agents of the request that cannot run now. */
	unusable: z.array(agentStatusSchema),
	/** One of the agents would run without a sandbox, and nobody has allowed that here for the reason why there is none. */
	asksForUnsandboxed: z.boolean(),
	/** The models for which the limit on costs does not hold, as they have no price. Empty if there is no limit. */
	unpricedModels: z.array(z.string()).default([]),
	/** Null if no dependencies are to be installed, or none were found. */
	dependencies: z
		.object({
			/** Commands such as `npm ci`, with the file that asks for each. */
			commands: z.array(z.object({ lockfile: z.string(), command: z.string() })),
			/** The hosts that the package managers are configured for, as `host:port`. */
			hosts: z.array(z.string()),
			/** The hosts among them, or named in a lockfile, that the user logs in to. Agents do not get that login. */
			withLogin: z.array(z.string()).default([]),
			/** Whether the user has allowed exactly these hosts for this repository. */
			allowed: z.boolean(),
			/** Whether that answer allows install scripts. */
			allowsScripts: z.boolean(),
		})
		.nullable(),
	/** What the user has installed in the repository. An older service shows none of it. */
	ownDependencies: z
		.object({
			/** The folders that the task is shown, read-only. */
			shown: z.array(z.string()),
			/** What these folders lack, such as `mocha@^11.0.0`, so that they are not shown. */
			unmet: z.array(z.string()),
		})
		.default({ shown: [], unmet: [] }),
});
export type TaskCheck = z.output<typeof taskCheckSchema>;

/** What is allowed: to run agents although there is no sandbox for this one reason, or to install from these hosts. */
const unsandboxedFields = { kind: z.literal('unsandboxed'), problem: z.enum(SANDBOX_PROBLEMS) };
const dependenciesFields = {
	kind: z.literal('dependencies'),
	hosts: z.array(z.string().min(1)).max(50),
	allowsScripts: z.boolean(),
};

/** `POST` to `controlPaths.consents`. The service keeps it for the repository. */
export const consentSchema = z.discriminatedUnion('kind', [
	z.strictObject({ ...unsandboxedFields, repoUrl: z.string().min(1) }),
	z.strictObject({ ...dependenciesFields, repoUrl: z.string().min(1) }),
]);
export type Consent = z.output<typeof consentSchema>;

/** Where and when a consent was given: the absolute path of the repository, and a date in ISO 8601. */
const keptFields = { folder: z.string(), allowedAt: z.string() };
const keptConsentSchema = z.discriminatedUnion('kind', [
	z.object({ ...unsandboxedFields, ...keptFields }),
	z.object({ ...dependenciesFields, ...keptFields }),
]);
export type KeptConsent = z.output<typeof keptConsentSchema>;

/** `GET` of `controlPaths.consents`: all that are kept, by the paths of their repositories. */
export const consentListSchema = z.object({ consents: z.array(keptConsentSchema) });

/** `POST` to `controlPaths.withdrawConsent`: the folder and the kind of a kept consent. */
export const withdrawalSchema = z.strictObject({
	folder: z.string().min(1),
	kind: z.enum(['unsandboxed', 'dependencies']),
});
export type Withdrawal = z.output<typeof withdrawalSchema>;

/** `POST` to `controlPaths.keepWork`: makes a commit of what an agent had done when its task was ended. */
export const partialWorkRequestSchema = z.strictObject({ taskId: z.string().min(1) });

/** The reply: the branch with the commit. */
export const partialWorkSchema = z.object({ branchName: z.string() });

/** Tokens, calls or US dollars. Any service may send these fields: what no task can have used counts as not told. */
const amountSchema = z.number().min(0).max(1e12);

/**
 * What one agent's calls for one model, served by one provider, amounted to in one turn. Calls with and without a price
 * are told apart.
 */
const modelUseSchema = z.looseObject({
	agent: lenient(z.string()),
	/** 1, plus one for each follow-up. */
	turn: lenient(z.number()),
	model: z.string(),
	/** The slug of the provider. Absent if none served, or if it is not known. */
	provider: lenient(z.string()),
	/** Absent if nobody has counted them. */
	calls: lenient(amountSchema),
	failedCalls: lenient(amountSchema),
	/** How many of them have tokens that were estimated from the length of the text. */
	estimatedCalls: lenient(amountSchema),
	inputTokens: lenient(amountSchema),
	outputTokens: lenient(amountSchema),
	/** The cost in US dollars. It is absent if these calls have no known price. */
	cost: lenient(amountSchema),
});
export type ModelUse = z.output<typeof modelUseSchema>;

/** Returns whether a model has read or written anything. A request that nobody has answered costs nothing. */
export function isUsed({ inputTokens = 0, outputTokens = 0 }: ModelUse): boolean {
	return inputTokens + outputTokens > 0;
}

export function costOfUse({ cost, estimatedCalls = 0 }: ModelUse): KnownCost {
	return cost === undefined ? { known: 'nothing' } : { known: 'whole', dollars: cost, isEstimated: estimatedCalls > 0 };
}

const modelUseList = lenientArray(modelUseSchema);

/** `GET` of `controlPaths.costs`: what the tasks of the local service have used, the latest month first. */
export const monthlyUseSchema = z.object({
	months: z.array(
		z.object({
			/** A calendar month of the service's machine, in the form `2026-11`. */
			month: z.string(),
			/** The number of tasks whose agents have called a model in it. */
			tasks: z.number(),
			models: modelUseList,
		}),
	),
});
export type MonthlyUse = z.output<typeof monthlyUseSchema>['months'];

/** How tests end. `not-run`: they could not be run, which says nothing of the work. */
const TEST_OUTCOMES = ['passed', 'failed', 'not-run'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

/** What the local service adds to each of several agents of a task, as the field `errand` of its execution. */
export const executionExtrasSchema = z.looseObject({
	/** Whether the agent ran in a sandbox. Absent before it started. */
	sandboxed: lenient(z.boolean()),
	/** The tokens of all turns. */
	inputTokens: lenient(amountSchema),
	outputTokens: lenient(amountSchema),
	/** The cost of all turns in US dollars. It is absent if a call has no known price. */
	cost: lenient(amountSchema),
	/** Which models were used, and who served them. */
	models: lenient(modelUseList),
	/** Absent if the last run had no limit. */
	budget: lenient(
		z.looseObject({
			/** The most that one run of one agent may cost, in US dollars. */
			limit: amountSchema,
			/** The part of it that the last run has spent. */
			spent: amountSchema,
			/** Whether the run has made calls without a price, which `spent` does not include. */
			atLeast: lenient(z.boolean()),
		}),
	),
	/** The commit where the branch began. */
	baseCommit: lenient(z.string()),
	/** How the repository's tests ended that the service ran after the agent. Absent if it is not known how to run them. */
	tests: lenient(z.enum(TEST_OUTCOMES)),
	/** How many files of tests the work has changed. */
	testFilesChanged: lenient(z.number()),
});

export type ExecutionExtras = z.output<typeof executionExtrasSchema>;

/**
 * What it adds to a task, as its field `errand`. For several agents, these are sums, and there is neither `baseCommit`
 * nor `budget`.
 */
export const taskExtrasSchema = executionExtrasSchema.extend({
	/** Whether the task was ended with work in its tree that `keepWork` can make a commit of. */
	canKeep: lenient(z.boolean()),
});

/** The part of the handover that is about tasks. */
export const taskSettingsSchema = z.strictObject({
	agents: z
		.array(agentSettingSchema)
		.default([])
		.refine(list => new Set(list.map(({ id }) => id)).size === list.length, 'an id stands there twice'),
	/**
	 * The values of the variables that the agents name, as far as they are set. They are secrets, and an agent gets
	 * those that it names itself and no others.
	 */
	variables: z
		.record(
			variableName,
			z.string().refine(value => !value.includes('\0'), 'must be a value of a variable'),
		)
		.default({}),
	sandbox: z.enum(SANDBOX_SETTINGS).default('ask'),
	/** In US dollars for each agent of a task. Absent: no limit. */
	maxCost: z.number().min(0).optional(),
	/** For every model call of a task. */
	provider: routingPolicySchema.optional(),
});
export type TaskSettings = z.output<typeof taskSettingsSchema>;
