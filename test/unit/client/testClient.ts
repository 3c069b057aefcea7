import { nullLogger } from '../../../src/base/logger.ts';
import { type LogFields, redactFields } from '../../../src/base/redact.ts';
import { createAgentTasks } from '../../../src/client/agentTasks.ts';
import { type ChannelOptions, createChannel } from '../../../src/client/channel/channel.ts';
import { createChat, createImages, createSearch } from '../../../src/client/chat.ts';
import { type Caller, type CallerOptions, createCaller } from '../../../src/client/core/caller.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { LIMITS, type Limits } from '../../../src/client/core/limits.ts';
import type { Transport } from '../../../src/client/core/transport.ts';
import { createDecisions } from '../../../src/client/decisions.ts';
import { createModels } from '../../../src/client/models.ts';
import { createResponses } from '../../../src/client/responses.ts';
import { createSources } from '../../../src/client/sources.ts';
import { createTasks } from '../../../src/client/tasks.ts';
import type { Client } from '../../../src/client/types.ts';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import { ManualClock } from '../../support/manualClock.ts';

/** Waits of the client's own between tries pass at once; these are limits, and pass only when a test says so. */
const LIMIT_VALUES: ReadonlySet<number> = new Set([...Object.values(LIMITS), 1000, 5000]);

const testClock = () => new ManualClock({ passesAtOnce: milliseconds => !LIMIT_VALUES.has(milliseconds) });

export function testConnection(origin: string, fields: Record<string, unknown> = {}): Connection {
	return { name: 'test', ...connectionSchema.parse({ apiUrl: origin, cloudUrl: origin, service: 'test', ...fields }) };
}

export interface TestClient extends Client {
	clock: ManualClock;
	/** What a log would hold of it. */
	logged: string[];
}

export interface TestClientOptions extends Partial<Omit<CallerOptions, 'limits'>> {
	limits?: Partial<Limits>;
	/** The fields of the connection. */
	fields?: Record<string, unknown>;
	channel?: ChannelOptions;
}

/** What the areas of the client stand on, over real HTTP, with limits of the test's own. Its dice always show 0.3. */
export function testCaller(origin: string, { limits, fields, channel: _, ...rest }: TestClientOptions = {}): Caller {
	return createCaller({
		connection: testConnection(origin, fields),
		keys: kind => Promise.resolve(`sk-${kind}`),
		transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
		logger: nullLogger,
		clock: testClock(),
		random: () => 0.3,
		...rest,
		limits: { ...LIMITS, ...limits },
	});
}

/** The client as the root makes it, on such a caller. */
export function testClient(origin: string, options: TestClientOptions = {}): TestClient {
	const clock = testClock();
	const logged: string[] = [];
	const caller = testCaller(origin, {
		clock,
		logger: {
			log: (level, message, fields: LogFields = {}) => logged.push(`${level} ${message}${redactFields(fields)}`),
		},
		...options,
	});
	return {
		chat: createChat(caller),
		search: createSearch(caller),
		images: createImages(caller),
		models: createModels(caller),
		responses: createResponses(caller),
		decisions: createDecisions(caller),
		channel: createChannel(caller, options.channel),
		tasks: createTasks(caller),
		sources: createSources(caller),
		agentTasks: createAgentTasks(caller),
		clock,
		logged,
	};
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
