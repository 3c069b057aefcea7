import type { ServerResponse } from 'node:http';
import type { FollowEvent } from '../../../src/client/types.ts';
import {
	type Answer,
	beginEvents,
	breakOff,
	FaultServer,
	type Received,
	sendEvents,
	sendJson,
	sseEvent,
} from '../../support/faultServer.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

export const connected = sseEvent({ taskId: 't1', fromIndex: 0, message: 'Connected' }, 'connected');
export const log = (index: number, fields: object = {}) =>
	sseEvent(
		{ index, log: { type: 'info', message: `line ${index}`, ...fields }, timestamp: '2026-11-21T10:00:00Z' },
		'log',
	);
export const logs = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => log(from + index));
export const status = (text: string, error: string | null = null) => sseEvent({ status: text, error }, 'status');
export const complete = (totalLogs: unknown, text = 'completed') =>
	sseEvent({ status: text, totalLogs, message: 'Done' }, 'complete');

/** How one connection to the log is answered. */
export type LogConnection = (response: ServerResponse, received: Received) => void | Promise<void>;

export function send(...events: string[]): LogConnection {
	return response => sendEvents(response, ...events);
}

export function sendThenBreak(...events: string[]): LogConnection {
	return async response => {
		beginEvents(response);
		response.write(events.join(''));
		await breakOff(response);
	};
}

/** The event in a few words. */
export function wordsOf(event: FollowEvent): string {
	switch (event.type) {
		case 'connected':
			return `connected ${event.fromIndex}`;
		case 'log':
			return `log ${event.index}`;
		case 'status':
			return `status ${event.status}`;
		case 'gap':
			return `gap ${event.from}-${event.to}`;
		case 'reconnecting':
			return `reconnecting ${event.nextIndex} #${event.attempt} ${event.cause}`;
		case 'complete':
			return `complete ${event.status} ${event.totalLogs}`;
	}
}

/** A service with one task, `t1`, that answers each connection to its log as a test says. `stop` in every test that starts one. */
export class LogServer {
	/** The answers to connections, in turn; the last one for ever. */
	connections: LogConnection[] = [];
	/** The answer to every request but those for the log. */
	answerTask: Answer = response => sendJson(response, 200, { task: { id: 't1', status: 'processing' } });
	client: TestClient;
	readonly faulty: FaultServer;

	private constructor(faulty: FaultServer) {
		this.faulty = faulty;
		this.client = testClient(faulty.origin);
		faulty.answer = (response, received) => {
			const connection = this.connections[Math.min(this.streams.length, this.connections.length) - 1];
			const answer = received.path.endsWith('/stream') ? connection : this.answerTask;
			return answer?.(response, received);
		};
	}

	static async start(): Promise<LogServer> {
		return new LogServer(await FaultServer.start(() => {}));
	}

	get streams(): Received[] {
		return this.faulty.received.filter(({ path }) => path.endsWith('/stream'));
	}

	/** The index that each connection asked for. */
	get asked(): number[] {
		return this.streams.map(({ query }) => Number(query.get('fromIndex')));
	}

	/** The number of requests for the task itself. */
	get taskQueries(): number {
		return this.faulty.received.filter(({ path }) => path === '/api/tasks/t1').length;
	}

	/** Follows the task over these connections to whatever end it comes. */
	async follow(...connections: LogConnection[]): Promise<{ events: FollowEvent[]; words: string[]; error: unknown }> {
		this.connections = connections;
		const { events, error } = await collect(this.client.tasks.follow('t1'));
		return { events, words: events.map(wordsOf), error };
	}

	stop(): Promise<void> {
		return this.faulty.stop();
	}
}
