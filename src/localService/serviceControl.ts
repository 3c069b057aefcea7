// The exchange between a window and the running service beyond the contract: upstreams in one direction, the gateway's
// description in the other.

import * as z from 'zod';
import { askControl, askService } from '../client/local/serviceExchange.ts';
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

const TIMEOUT_MS = 10_000;
const MAXIMUM_ACKNOWLEDGEMENT = 4096;

/** Replaces the service's list of upstreams. Rejects if the service does not accept it or has no control pipe. */
export async function handOver({ pipe, token }: Discovery, handover: UpstreamHandoverInput): Promise<void> {
	if (pipe === undefined) {
		throw new Error('the service has no control pipe');
	}
	const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
	const request = { socketPath: pipe, path: controlPaths.upstreams, method: 'PUT', headers };
	await askService(
		request,
		{ timeoutMs: TIMEOUT_MS, maximumLength: MAXIMUM_ACKNOWLEDGEMENT },
		JSON.stringify(handover),
	);
}

/** Reads the names that requests can use now, and the model servers that were found. */
export function readDescription(service: Discovery): Promise<GatewayDescription> {
	return ask(service, controlPaths.description, gatewayDescriptionSchema);
}

/** Sends the user's answer about a server that was found. Rejects if the service does not accept it. */
export async function answerFoundServer(service: Discovery, answer: FoundAnswer): Promise<void> {
	await ask(service, controlPaths.foundServers, z.unknown(), answer);
}

/** Makes the look-ups return these repositories. Rejects if the service does not accept them. */
export async function nameRepositories(service: Discovery, folders: readonly string[]): Promise<void> {
	const body: NamedRepositories = { folders: [...folders] };
	await ask(service, controlPaths.repositories, z.unknown(), body);
}

/** Tells the service to end. The reply arrives before it ends. */
export async function requestShutdown(service: Discovery): Promise<void> {
	await ask(service, controlPaths.shutdown, z.unknown(), {});
}

/**
 * Returns the tasks that have not ended: the prompts of those that an agent works on, and the number of waiting ones.
 * Only one page, the newest tasks, is read.
 */
export async function readActiveTasks(service: Discovery): Promise<ActiveTasks> {
	const path = `${routes.taskList.path}?status=active&limit=${MAXIMUM_LISTED}`;
	const { tasks } = await ask(service, path, taskListSchema);
	const listed = tasks.filter(task => task !== undefined);
	const running = listed.filter(({ status }) => status !== 'pending');
	return { running: running.map(({ prompt }) => prompt ?? ''), waiting: listed.length - running.length };
}

function ask<T extends z.ZodType>(service: Discovery, path: string, reply: T, body?: unknown): Promise<z.output<T>> {
	return askControl(service, { path, reply, timeoutMs: TIMEOUT_MS, body });
}
