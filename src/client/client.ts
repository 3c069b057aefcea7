import { type Clock, systemClock } from '../base/async.ts';
import { type Logger, nullLogger } from '../base/logger.ts';
import type { ChatCompletion, ChatRequest } from '../contract/chat.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { Task, TaskCreateRequest, TaskListQuery } from '../contract/tasks.ts';
import { createChat } from './chat.ts';
import { createCaller } from './core/caller.ts';
import { LIMITS } from './core/limits.ts';
import type { Transport } from './core/transport.ts';
import { createTasks } from './tasks.ts';
import type { ChatStreamEvent, FollowEvent, TaskPage } from './types.ts';

export interface ClientOptions {
	connection: Connection;
	/** Asked for at each request, never kept. */
	keys: (kind: KeyKind) => Promise<string | undefined>;
	/** Default, for programs outside the editor: undici. */
	transport?: Transport;
	logger?: Logger;
	clock?: Clock;
}

/** Everything it throws, and every stream's end but the good one, is a ClientError. A stream is read once. */
export interface Client {
	readonly chat: {
		complete(request: ChatRequest, options?: { signal?: AbortSignal }): Promise<ChatCompletion>;
		stream(request: ChatRequest, options?: { signal?: AbortSignal }): AsyncIterable<ChatStreamEvent>;
	};
	readonly tasks: {
		list(query?: TaskListQuery): Promise<TaskPage>;
		/** Every task once, a page at a time; a page is asked for when it is read. */
		pages(query?: Pick<TaskListQuery, 'filter' | 'status'>): AsyncIterable<Task[]>;
		get(id: string): Promise<Task>;
		/** Never repeated: a broken connection leaves open whether the task was made. */
		create(request: TaskCreateRequest): Promise<Task>;
		stop(id: string): Promise<Task>;
		/** Reads the log from `fromIndex` until the task has ended, over as many connections as it takes. */
		follow(
			id: string,
			options?: { fromIndex?: number; includeStatus?: boolean; signal?: AbortSignal },
		): AsyncIterable<FollowEvent>;
	};
}

export function createClient(options: ClientOptions): Client {
	const { connection, keys, transport = undiciOnDemand(), logger = nullLogger, clock = systemClock } = options;
	const caller = createCaller({ connection, keys, transport, logger, clock, random: Math.random, limits: LIMITS });
	return { chat: createChat(caller), tasks: createTasks(caller) };
}

/** Loaded at the first request only: the extension never comes here, and its bundle leaves undici out. */
function undiciOnDemand(): Transport {
	let loading: Promise<Transport> | undefined;
	return {
		async request(request) {
			loading ??= import('./core/undiciTransport.ts').then(({ createUndiciTransport }) => createUndiciTransport());
			return (await loading).request(request);
		},
	};
}
