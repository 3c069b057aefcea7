// The requests to the running service about agents and the needs of tasks.
import * as z from 'zod';
import { askControl } from '../client/local/serviceExchange.ts';
import {
	type AgentInstallRequest,
	type AgentsReport,
	type AgentTrial,
	agentsReportSchema,
	agentTrialSchema,
	type Consent,
	consentListSchema,
	type MonthlyUse,
	monthlyUseSchema,
	partialWorkSchema,
	type StoredConsent,
	type TaskCheck,
	type TaskCheckRequest,
	taskCheckSchema,
	type Withdrawal,
} from '../contract/agents.ts';
import { COMPOSITIONS, type Composition } from '../contract/compositions.ts';
import { controlPaths, type Discovery } from '../contract/control.ts';
import type { TaskWithServers } from '../contract/mcpServers.ts';
import { fillPath } from '../contract/routes.ts';
import { type Task, taskReplySchema } from '../contract/tasks.ts';

type Service = Pick<Discovery, 'address' | 'token'>;

/** A slow machine takes half a minute until an agent's first output. An installation downloads up to 200 MB. */
const LIMITS_MS = { quick: 30_000, report: 120_000, trial: 180_000, install: 30 * 60_000 };

const takenSchema = z.object({ taken: z.literal(true) });

/** Returns the state of the sandbox and of every agent. */
export function readAgents(service: Service): Promise<AgentsReport> {
	return askControl(service, { path: controlPaths.agents, reply: agentsReportSchema, timeoutMs: LIMITS_MS.report });
}

/** Starts an agent for a handshake. */
export function tryAgent(service: Service, id: string, signal: AbortSignal): Promise<AgentTrial> {
	const timeoutMs = LIMITS_MS.trial;
	return askControl(service, { path: controlPaths.tryAgent, reply: agentTrialSchema, timeoutMs, body: { id }, signal });
}

/** Downloads and installs an agent, then tries it. */
export function installAgent(service: Service, body: AgentInstallRequest, signal: AbortSignal): Promise<AgentTrial> {
	const timeoutMs = LIMITS_MS.install;
	return askControl(service, { path: controlPaths.installAgent, reply: agentTrialSchema, timeoutMs, body, signal });
}

/** Returns the needs of a task that have not been allowed yet. */
export function checkTask(service: Service, request: TaskCheckRequest): Promise<TaskCheck> {
	const timeoutMs = LIMITS_MS.quick;
	return askControl(service, { path: controlPaths.taskCheck, reply: taskCheckSchema, timeoutMs, body: request });
}

/** Creates a task with MCP servers for its agents. The service answers when it has read the repository. */
export function createTask(service: Service, request: TaskWithServers): Promise<Task> {
	return askControl(service, {
		path: controlPaths.tasks,
		reply: taskReplySchema,
		timeoutMs: LIMITS_MS.report,
		body: request,
	});
}

/** Has a result composed of the work of a task's agents. The service answers when it has compared their branches. */
export function composeWork(service: Service, taskId: string, composition: Composition): Promise<Task> {
	return askControl(service, {
		path: fillPath(COMPOSITIONS, { taskId }),
		reply: taskReplySchema,
		timeoutMs: LIMITS_MS.report,
		body: composition,
	});
}

/** Sends the user's consent for a repository to the service. */
export async function sendConsent(service: Service, consent: Consent): Promise<void> {
	const timeoutMs = LIMITS_MS.quick;
	await askControl(service, { path: controlPaths.consents, reply: takenSchema, timeoutMs, body: consent });
}

/** Returns all of the user's consents, for every repository. */
export async function readConsents(service: Service): Promise<StoredConsent[]> {
	const question = { path: controlPaths.consents, reply: consentListSchema, timeoutMs: LIMITS_MS.quick };
	return (await askControl(service, question)).consents;
}

/** Withdraws the user's consent for a repository. */
export async function withdrawConsent(service: Service, withdrawal: Withdrawal): Promise<void> {
	const timeoutMs = LIMITS_MS.quick;
	await askControl(service, { path: controlPaths.withdrawConsent, reply: takenSchema, timeoutMs, body: withdrawal });
}

/** Makes a commit of the work that an agent had done when its task was ended. Returns the name of its branch. */
export async function keepWork(service: Service, taskId: string): Promise<string> {
	const question = { path: controlPaths.keepWork, reply: partialWorkSchema, timeoutMs: LIMITS_MS.trial };
	return (await askControl(service, { ...question, body: { taskId } })).branchName;
}

/** Returns the use by tasks, the latest month first. */
export async function readMonthlyUse(service: Service): Promise<MonthlyUse> {
	const question = { path: controlPaths.costs, reply: monthlyUseSchema, timeoutMs: LIMITS_MS.quick };
	return (await askControl(service, question)).months;
}
