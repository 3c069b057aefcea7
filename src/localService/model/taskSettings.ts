// Reads the settings about tasks that are handed over to the service.
import type * as z from 'zod';
import { defined } from '../../base/defined.ts';
import {
	type AgentSetting,
	agentSettingSchema,
	readVariables,
	type TaskSettings,
	taskSettingsSchema,
} from '../../contract/agents.ts';
import { type RoutingPolicy, routingPolicySchema } from '../../contract/routingPolicy.ts';

/** The values as they are in the settings, which may be anything. */
export interface TaskSettingValues {
	agents: unknown;
	sandbox: unknown;
	ownAccounts: unknown;
	/** The hosts to which the user has agreed, by the ids of agents. */
	allowedAccounts: unknown;
	maxCost: unknown;
	/** The routing policy and the zero data retention for all conversations. */
	routingPolicy: unknown;
	retention: unknown;
	/** The user's environment. */
	environment: Readonly<Record<string, string | undefined>>;
}

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
	unusable: (
		| 'errand.local.agents'
		| 'errand.local.sandbox'
		| 'errand.local.ownAccounts'
		| 'errand.tasks.maxCost'
		| 'errand.chat.routing'
		| 'errand.chat.zeroDataRetention'
	)[];
}

/** This routing policy leaves no provider, so that a request under it fails and says why. */
const NOBODY: RoutingPolicy = { only: [] };

/**
 * Reads the settings. Entries of agents that cannot be used are left out. If another setting cannot be used, the
 * strictest value takes its place, except for the limit on costs, which is then absent.
 */
export function readTaskSettings(values: TaskSettingValues): ReadTaskSettings {
	const { agents, problems } = readAgentSettings(values.agents);
	const unusable: ReadTaskSettings['unusable'] = Array.isArray(values.agents ?? []) ? [] : ['errand.local.agents'];
	const { maxCost = 0, sandbox = 'ask', ownAccounts = 'ask' } = values;
	const isCost = typeof maxCost === 'number' && maxCost >= 0;
	if (!isCost) {
		unusable.push('errand.tasks.maxCost');
	}
	if (sandbox !== 'ask' && sandbox !== 'require') {
		unusable.push('errand.local.sandbox');
	}
	if (ownAccounts !== 'ask' && ownAccounts !== 'forbid') {
		unusable.push('errand.local.ownAccounts');
	}
	const routingPolicy = routingPolicySchema.safeParse(values.routingPolicy ?? {});
	if (!routingPolicy.success) {
		unusable.push('errand.chat.routing');
	}
	const { retention = 'account' } = values;
	const isRetention = retention === 'account' || retention === 'on' || retention === 'off';
	if (!isRetention) {
		unusable.push('errand.chat.zeroDataRetention');
	}
	const provider = routingPolicy.success && isRetention ? withRetention(routingPolicy.data, retention) : NOBODY;
	return {
		tasks: {
			agents,
			variables: variablesOf(agents, values.environment),
			sandbox: sandbox === 'ask' ? 'ask' : 'require',
			ownAccounts: ownAccounts === 'ask' ? 'ask' : 'forbid',
			allowedAccounts: readAllowedAccounts(values.allowedAccounts),
			...defined({
				maxCost: isCost && maxCost > 0 ? maxCost : undefined,
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
	environment: TaskSettingValues['environment'],
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
