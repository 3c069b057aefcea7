import assert from 'node:assert/strict';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Task } from '../../../src/contract/tasks.ts';
import { waitFor } from '../../support/waitFor.ts';
import type { Implementation } from './harness.ts';

/** Every state of a task. */
export const STATES = ['pending', 'processing', 'saving', 'completed', 'error', 'stopped', 'timeout'];
const FINAL = ['completed', 'error', 'stopped', 'timeout'];

/** Reads a JSON reply, once its status is the expected one. */
export async function json<T>(
	implementation: Implementation,
	path: string,
	status = 200,
	init?: RequestInit,
): Promise<T> {
	const response = await implementation.fetch(path, init);
	const text = await response.text();
	assert.equal(response.status, status, text);
	return JSON.parse(text) as T;
}

export interface RawEvent {
	name: string | undefined;
	data: Record<string, unknown>;
	at: number;
}

/** The events of a task’s log as they come. */
export async function* stream(implementation: Implementation, id: string, query = ''): AsyncGenerator<RawEvent> {
	const response = await implementation.fetch(`/api/tasks/${id}/stream${query}`, {
		headers: { accept: 'text/event-stream' },
	});
	assert.equal(response.status, 200);
	assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
	assert.ok(response.body);
	const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
	for await (const { event, data } of events) {
		yield { name: event, data: JSON.parse(data) as Record<string, unknown>, at: performance.now() };
	}
}

/** The same, to the stream’s end. Each event is in `events` as soon as it has come. */
export async function all(
	implementation: Implementation,
	id: string,
	query = '',
	events: RawEvent[] = [],
): Promise<RawEvent[]> {
	for await (const event of stream(implementation, id, query)) {
		events.push(event);
	}
	return events;
}

export const named = (events: RawEvent[], name: string) => events.filter(event => event.name === name);

/** Has the demo agent work, which needs no model. */
export const create = ({ client, repoUrl }: Implementation, prompt = 'Try it', fields: object = {}) =>
	client.tasks.create({ prompt, repoUrl, selectedAgent: 'demo', ...fields });

/** Creates a task, where none with this prompt is completed: its log is as good, and is there at once. */
export async function createOnce(implementation: Implementation, prompt: string): Promise<{ id: string }> {
	const { tasks } = await implementation.client.tasks.list({ status: 'completed', limit: 100 });
	return tasks.find(task => task.prompt === prompt) ?? (await create(implementation, prompt));
}

export const ended = ({ client }: Implementation, id: string): Promise<Task> =>
	waitFor('the end of the task', async () => {
		const task = await client.tasks.get(id);
		return FINAL.includes(task.status ?? '') && task;
	});
