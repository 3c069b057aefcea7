import { type LogFields, redactFields } from '../../../src/base/redact.ts';
import { createChat } from '../../../src/client/chat.ts';
import type { Client } from '../../../src/client/client.ts';
import { type CallerOptions, createCaller } from '../../../src/client/core/caller.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { LIMITS, type Limits } from '../../../src/client/core/limits.ts';
import type { Transport } from '../../../src/client/core/transport.ts';
import { createTasks } from '../../../src/client/tasks.ts';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import { TestClock } from './testClock.ts';

export function testConnection(origin: string, fields: Record<string, unknown> = {}): Connection {
	return { name: 'test', ...connectionSchema.parse({ apiUrl: origin, cloudUrl: origin, service: 'test', ...fields }) };
}

export interface TestClient extends Client {
	clock: TestClock;
	/** What a log would hold of it. */
	logged: string[];
}

/** The client as the root makes it, over real HTTP, with a clock and limits of the test's own. Its dice always show 0.3. */
export function testClient(
	origin: string,
	options: Partial<Omit<CallerOptions, 'limits'>> & { limits?: Partial<Limits>; fields?: Record<string, unknown> } = {},
): TestClient {
	const { limits, fields, ...rest } = options;
	const clock = new TestClock();
	const logged: string[] = [];
	const caller = createCaller({
		connection: testConnection(origin, fields),
		keys: kind => Promise.resolve(`sk-${kind}`),
		transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
		logger: {
			log: (level, message, fields: LogFields = {}) => logged.push(`${level} ${message}${redactFields(fields)}`),
		},
		clock,
		random: () => 0.3,
		...rest,
		limits: { ...LIMITS, ...limits },
	});
	return { chat: createChat(caller), tasks: createTasks(caller), clock, logged };
}

/** Everything a stream brings, and the error that ended it, if one did. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<{ events: T[]; error: unknown }> {
	const events: T[] = [];
	try {
		for await (const event of stream) {
			events.push(event);
		}
		return { events, error: undefined };
	} catch (error) {
		return { events, error };
	}
}

/** The host's fetch, counting the pieces and bytes that its reader has taken. */
export function countingTransport(): { transport: Transport; counted: { chunks: number; bytes: number } } {
	const inner = createFetchTransport((url, init) => globalThis.fetch(url, init));
	const counted = { chunks: 0, bytes: 0 };
	const count = async function* (body: AsyncIterable<Uint8Array>) {
		for await (const chunk of body) {
			counted.chunks++;
			counted.bytes += chunk.length;
			yield chunk;
		}
	};
	return {
		counted,
		transport: {
			async request(request) {
				const response = await inner.request(request);
				return { ...response, body: count(response.body) };
			},
		},
	};
}
