// The exchange between a window and the running service beyond the contract: upstreams in one direction, the gateway's
// description in the other.

import { askService, requestOptionsFor } from '../client/local/serviceExchange.ts';
import {
	controlPaths,
	type Discovery,
	type GatewayDescription,
	gatewayDescriptionSchema,
	type NamedRepositories,
} from '../contract/control.ts';
import type { FoundAnswer } from '../contract/foundServers.ts';
import { routes } from '../contract/routes.ts';
import { taskListSchema } from '../contract/tasks.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';

/** The maximum page size of the task list. */
const MAXIMUM_LISTED = 100;

export interface ActiveTasks {
	/** The prompts of the running tasks. */
	running: string[];
	waiting: number;
}

const LIMITS = { timeoutMs: 10_000, maximumLength: 16 * 1024 * 1024 };

/** Replaces the service's list of upstreams. Rejects if the service does not accept it or has no control pipe. */
export async function handOver({ pipe, token }: Discovery, handover: UpstreamHandoverInput): Promise<void> {
	if (pipe === undefined) {
		throw new Error('the service has no control pipe');
	}
	const request = { socketPath: pipe, path: controlPaths.upstreams, method: 'PUT' };
	await askService({ ...request, headers: headersWith(token) }, LIMITS, JSON.stringify(handover));
}

/** Reads the names that requests can use now, and the model servers that were found. */
export async function readDescription({ address, token }: Discovery): Promise<GatewayDescription> {
	const request = requestOptionsFor(address, controlPaths.description);
	return gatewayDescriptionSchema.parse(await askService({ ...request, headers: headersWith(token) }, LIMITS));
}

/** Sends the user's answer about a server that was found. Rejects if the service does not accept it. */
export async function answerFoundServer({ address, token }: Discovery, answer: FoundAnswer): Promise<void> {
	const request = { ...requestOptionsFor(address, controlPaths.foundServers), method: 'POST' };
	await askService({ ...request, headers: headersWith(token) }, LIMITS, JSON.stringify(answer));
}

/** Makes the look-ups return these repositories. Rejects if the service does not accept them. */
export async function nameRepositories({ address, token }: Discovery, folders: readonly string[]): Promise<void> {
	const request = { ...requestOptionsFor(address, controlPaths.repositories), method: 'POST' };
	const body: NamedRepositories = { folders: [...folders] };
	await askService({ ...request, headers: headersWith(token) }, LIMITS, JSON.stringify(body));
}

/** Tells the service to end. The reply arrives before it ends. */
export async function requestShutdown({ address, token }: Discovery): Promise<void> {
	const request = { ...requestOptionsFor(address, controlPaths.shutdown), method: 'POST' };
	await askService({ ...request, headers: headersWith(token) }, LIMITS);
}

/**
 * Returns the tasks that have not ended: the prompts of those that an agent works on, and the number of waiting ones.
 * Only one page, the newest tasks, is read.
 */
export async function readActiveTasks({ address, token }: Discovery): Promise<ActiveTasks> {
	const request = requestOptionsFor(address, `${routes.taskList.path}?status=active&limit=${MAXIMUM_LISTED}`);
	const { tasks } = taskListSchema.parse(await askService({ ...request, headers: headersWith(token) }, LIMITS));
	const listed = tasks.filter(task => task !== undefined);
	const running = listed.filter(({ status }) => status !== 'pending');
	return { running: running.map(({ prompt }) => prompt ?? ''), waiting: listed.length - running.length };
}

function headersWith(token: string): Record<string, string> {
	return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}
