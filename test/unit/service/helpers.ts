import assert from 'node:assert/strict';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { isFinalStatus } from '../../../src/contract/tasks.ts';
import type { ServiceProcess } from '../../support/serviceProcess.ts';
import { waitFor } from '../../support/waitFor.ts';

/** How long a task of an agent may take while others run beside it, in milliseconds. */
export const TASK_LIMIT_MS = 240_000;

export interface ReceivedEvent {
	name: string | undefined;
	data: string;
}

/** The events of a streamed reply as they come. Throws when the connection breaks. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
	assert.equal(response.status, 200);
	assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
	assert.ok(response.body);
	const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
	for await (const { event, data } of stream) {
		yield { name: event, data };
	}
}

export interface TaskView {
	id: string;
	status: string;
	progress: number;
	error: string | null;
	selectedBranch: string;
	branchName: string | null;
	diffStats: { totalLinesAdded: number; totalLinesRemoved: number; totalFilesChanged: number } | null;
	createdAt: string;
	completedAt: string | null;
}

export async function createTask(service: ServiceProcess, fields: object): Promise<TaskView> {
	const response = await service.fetch('/api/tasks', { json: fields });
	const reply = (await response.json()) as { task: TaskView };
	assert.equal(response.status, 200, JSON.stringify(reply));
	return reply.task;
}

export async function readTask(service: ServiceProcess, id: string): Promise<TaskView> {
	const response = await service.fetch(`/api/tasks/${id}`);
	assert.equal(response.status, 200);
	return ((await response.json()) as { task: TaskView }).task;
}

export async function stopTask(service: ServiceProcess, id: string): Promise<TaskView> {
	const response = await service.fetch(`/api/tasks/${id}`, { method: 'PATCH', json: { action: 'stop' } });
	assert.equal(response.status, 200);
	return ((await response.json()) as { task: TaskView }).task;
}

export function finalTask(service: ServiceProcess, id: string): Promise<TaskView> {
	return waitFor(
		'the end of the task',
		async () => {
			const task = await readTask(service, id);
			return isFinalStatus(task.status) && task;
		},
		TASK_LIMIT_MS,
	);
}

export interface LogView {
	index: number;
	log: { type: string; contentType: string; message: string; step: string; agent: string; timestamp: string };
}

/** The whole log of a task that has ended, read by its stream. */
export async function logOf(service: ServiceProcess, id: string, fromIndex = 0): Promise<LogView[]> {
	const entries: LogView[] = [];
	for await (const event of eventsOf(await service.fetch(`/api/tasks/${id}/stream?fromIndex=${fromIndex}`))) {
		if (event.name === 'log') {
			entries.push(JSON.parse(event.data) as LogView);
		}
	}
	return entries;
}

export async function errorOf(response: Response, status: number): Promise<string> {
	const text = await response.text();
	assert.equal(response.status, status, text);
	const { error } = JSON.parse(text) as { error: string | { message: string; code: string } };
	return typeof error === 'string' ? error : error.message;
}
