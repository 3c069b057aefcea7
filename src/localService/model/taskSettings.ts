// Reads the settings about tasks that are handed over to the service.
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import {
	ACCOUNT_SETTINGS,
	type AgentSetting,
	agentSettingSchema,
	readVariables,
	SANDBOX_SETTINGS,
	type TaskSettings,
	taskSettingsSchema,
} from '../../contract/agents.ts';
import { type RoutingPolicy, routingPolicySchema } from '../../contract/routingPolicy.ts';

export type TaskSetting =
	| 'errand.local.agents'
	| 'errand.local.sandbox'
	| 'errand.local.ownAccounts'
	/** The hosts to which the user has agreed, by the ids of agents. */
	| 'errand.local.allowedAccounts'
	| 'errand.tasks.maxCost'
	/** The routing policy and the zero data retention for all conversations. */
	| 'errand.chat.routing'
	| 'errand.chat.zeroDataRetention';

/** An entry of `errand.local.agents` that cannot be used. One without an issue repeats the id of another entry. */
export interface AgentSettingProblem {
	/** The entry's id, or its position, counted from 1. */
	name: string;
	entry: unknown;
	issue?: z.core.$ZodIssue;
}

export interface ReadTaskSettings {
	tasks: TaskSettings;
	agentProblems: AgentSettingProblem[];
	/** The other settings that cannot be used. */
	unusable: TaskSetting[];
}

/** This routing policy leaves no provider, so that a request under it fails and says why. */
const NOBODY: RoutingPolicy = { only: [] };

/**
 * Reads the settings, the values of which may be anything. Entries of agents that cannot be used are left out. If another
 * setting cannot be used, the strictest value takes its place, except for the limit on costs, which is then absent.
 */
export function readTaskSettings(
	setting: (id: TaskSetting) => unknown,
	environment: Readonly<Record<string, string | undefined>>,
): ReadTaskSettings {
	const unusable: TaskSetting[] = [];
	const read = <T>(id: TaskSetting, schema: z.ZodType<T>, strictest: T): T => {
		const parsed = schema.safeParse(setting(id));
		if (!parsed.success) {
			unusable.push(id);
		}
		return parsed.success ? parsed.data : strictest;
	};
	const { agents, problems } = readAgentSettings(read('errand.local.agents', z.array(z.unknown()).nullish(), []));
	const maxCost = read('errand.tasks.maxCost', z.number().min(0).optional(), undefined);
	const sandbox = read('errand.local.sandbox', z.enum(SANDBOX_SETTINGS).default('ask'), 'require');
	const ownAccounts = read('errand.local.ownAccounts', z.enum(ACCOUNT_SETTINGS).default('ask'), 'forbid');
	const policy = read('errand.chat.routing', routingPolicySchema.nullish(), NOBODY) ?? {};
	const retentions = z.enum(['account', 'on', 'off']).default('account');
	const retention = read<z.output<typeof retentions> | undefined>(
		'errand.chat.zeroDataRetention',
		retentions,
		undefined,
	);
	const provider = policy === NOBODY || retention === undefined ? NOBODY : withRetention(policy, retention);
	return {
		tasks: {
			agents,
			variables: variablesOf(agents, environment),
			sandbox,
			ownAccounts,
			allowedAccounts: readAllowedAccounts(setting('errand.local.allowedAccounts')),
			...defined({
				maxCost: maxCost || undefined,
				provider: Object.keys(provider).length > 0 ? provider : undefined,
			}),
		},
		agentProblems: problems,
		unusable,
	};
}

/** Reads which agents may use accounts of their own. What cannot be read is not allowed, and asked about again. */
export function readAllowedAccounts(value: unknown): TaskSettings['allowedAccounts'] {
	return taskSettingsSchema.shape.allowedAccounts.safeParse(value ?? {}).data ?? {};
}

/** Returns the variables that the agents name and that are set, with their values. */
function variablesOf(
	agents: readonly AgentSetting[],
	environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
	const names = agents.flatMap(({ env }) => readVariables(env).names);
	return Object.fromEntries(
		names.flatMap(name => {
			const value: unknown = environment[name];
			return typeof value === 'string' ? [[name, value]] : [];
		}),
	);
}

/** Two settings can demand zero data retention; the stricter one wins, as for conversations. */
function withRetention({ zdr, ...routingPolicy }: RoutingPolicy, retention: 'account' | 'on' | 'off'): RoutingPolicy {
	if (retention === 'on' || zdr === true) {
		return { ...routingPolicy, zdr: true };
	}
	return retention === 'off' || zdr === false ? { ...routingPolicy, zdr: false } : routingPolicy;
}

export function readAgentSettings(value: unknown): { agents: AgentSetting[]; problems: AgentSettingProblem[] } {
	const agents: AgentSetting[] = [];
	const problems: AgentSettingProblem[] = [];
	const entries: unknown[] = Array.isArray(value) ? value : [];
	entries.forEach((entry, at) => {
		const parsed = agentSettingSchema.safeParse(entry);
		if (!parsed.success) {
			const id: unknown = Object(entry).id;
			const name = typeof id === 'string' && id !== '' ? id : String(at + 1);
			problems.push({ name, entry, issue: parsed.error.issues[0] as z.core.$ZodIssue });
		} else if (agents.some(({ id }) => id === parsed.data.id)) {
			problems.push({ name: parsed.data.id, entry });
		} else {
			agents.push(parsed.data);
		}
	});
	return { agents, problems };
}
