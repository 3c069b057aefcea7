// What a window asks the running service beyond the contract.
import * as z from 'zod';
import { askControl, askService } from '../client/local/serviceExchange.ts';
import {
	agentInstallRequestSchema,
	agentRequestSchema,
	agentsReportSchema,
	agentTrialSchema,
	consentListSchema,
	consentSchema,
	monthlyUseSchema,
	partialWorkRequestSchema,
	partialWorkSchema,
	taskCheckRequestSchema,
	taskCheckSchema,
	withdrawalSchema,
} from '../contract/agents.ts';
import { COMPOSITIONS, compositionSchema } from '../contract/compositions.ts';
import {
	controlPaths,
	type Discovery,
	gatewayDescriptionSchema,
	namedRepositoriesSchema,
} from '../contract/control.ts';
import { foundAnswerSchema } from '../contract/foundServers.ts';
import { taskWithServersSchema } from '../contract/mcpServers.ts';
import { fillPath, routes } from '../contract/routes.ts';
import { taskListSchema, taskReplySchema } from '../contract/tasks.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';

export type Service = Pick<Discovery, 'address' | 'token'>;

/** A question to one of the service's own paths. It is a `GET` if its body is nothing. */
export interface ServiceCall<Body extends z.ZodType, Reply extends z.ZodType> {
	path: string;
	body: Body;
	reply: Reply;
	timeoutMs: number;
}

/** A slow machine takes half a minute until an agent's first output. An installation downloads up to 200 MB. */
const LIMITS_MS = { own: 10_000, quick: 30_000, report: 120_000, trial: 180_000, install: 30 * 60_000 };

const call = <Body extends z.ZodType, Reply extends z.ZodType>(
	path: string,
	body: Body,
	reply: Reply,
	timeoutMs: number,
): ServiceCall<Body, Reply> => ({ path, body, reply, timeoutMs });

const nothing = z.undefined();
const takenSchema = z.object({ taken: z.literal(true) });
/** The maximum page size of the task list. */
const MAXIMUM_LISTED = 100;

/** The questions. What each of them does is said at its path. */
export const serviceCalls = {
	description: call(controlPaths.description, nothing, gatewayDescriptionSchema, LIMITS_MS.own),
	answerFoundServer: call(controlPaths.foundServers, foundAnswerSchema, z.unknown(), LIMITS_MS.own),
	nameRepositories: call(controlPaths.repositories, namedRepositoriesSchema, z.unknown(), LIMITS_MS.own),
	/** The reply arrives before the service ends. */
	shutdown: call(controlPaths.shutdown, z.strictObject({}), z.unknown(), LIMITS_MS.own),
	/** One page with the newest of the tasks that have not ended. */
	activeTasks: call(
		`${routes.taskList.path}?status=active&limit=${MAXIMUM_LISTED}`,
		nothing,
		taskListSchema,
		LIMITS_MS.own,
	),
	agents: call(controlPaths.agents, nothing, agentsReportSchema, LIMITS_MS.report),
	tryAgent: call(controlPaths.tryAgent, agentRequestSchema, agentTrialSchema, LIMITS_MS.trial),
	installAgent: call(controlPaths.installAgent, agentInstallRequestSchema, agentTrialSchema, LIMITS_MS.install),
	checkTask: call(controlPaths.taskCheck, taskCheckRequestSchema, taskCheckSchema, LIMITS_MS.quick),
	/** The service answers when it has read the repository. */
	createTask: call(controlPaths.tasks, taskWithServersSchema, taskReplySchema, LIMITS_MS.report),
	/** The service answers when it has compared the branches of the task's agents. */
	composeWork: (taskId: string) =>
		call(fillPath(COMPOSITIONS, { taskId }), compositionSchema, taskReplySchema, LIMITS_MS.report),
	keepWork: call(controlPaths.keepWork, partialWorkRequestSchema, partialWorkSchema, LIMITS_MS.trial),
	consents: call(controlPaths.consents, nothing, consentListSchema, LIMITS_MS.quick),
	sendConsent: call(controlPaths.consents, consentSchema, takenSchema, LIMITS_MS.quick),
	withdrawConsent: call(controlPaths.withdrawConsent, withdrawalSchema, takenSchema, LIMITS_MS.quick),
	monthlyUse: call(controlPaths.costs, nothing, monthlyUseSchema, LIMITS_MS.quick),
};

/** Rejects with a ClientError, or with the reason of `signal`. */
export function ask<Body extends z.ZodType, Reply extends z.ZodType>(
	service: Service,
	{ path, reply, timeoutMs }: ServiceCall<Body, Reply>,
	body?: z.input<Body>,
	signal?: AbortSignal,
): Promise<z.output<Reply>> {
	return askControl(service, { path, reply, timeoutMs, body, signal });
}

export interface ActiveTasks {
	/** The prompts of the running tasks. */
	running: string[];
	waiting: number;
}

/** Returns the tasks that have not ended: the prompts of those that an agent works on, and the number of waiting ones. */
export async function readActiveTasks(service: Service): Promise<ActiveTasks> {
	const listed = (await ask(service, serviceCalls.activeTasks)).tasks.filter(task => task !== undefined);
	const running = listed.filter(({ status }) => status !== 'pending');
	return { running: running.map(({ prompt }) => prompt ?? ''), waiting: listed.length - running.length };
}

const MAXIMUM_ACKNOWLEDGEMENT = 4096;

/** Replaces the service's list of upstreams. Rejects if the service does not accept it or has no control pipe. */
export async function handOver({ pipe, token }: Discovery, handover: UpstreamHandoverInput): Promise<void> {
	if (pipe === undefined) {
		throw new Error('the service has no control pipe');
	}
	const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
	const request = { socketPath: pipe, path: controlPaths.upstreams, method: 'PUT', headers };
	const limits = { timeoutMs: LIMITS_MS.own, maximumLength: MAXIMUM_ACKNOWLEDGEMENT };
	await askService(request, limits, JSON.stringify(handover));
}
