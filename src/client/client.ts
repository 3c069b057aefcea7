import { type Clock, systemClock } from '../base/async.ts';
import { type Logger, nullLogger } from '../base/logger.ts';
import type { AgentTaskListQuery } from '../contract/agentTasks.ts';
import type { Health } from '../contract/channel.ts';
import type { ChatCompletion } from '../contract/chatReply.ts';
import type { ChatMessage, ChatRequest } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import type { Questions } from '../contract/decisions.ts';
import type { ImageRequest } from '../contract/images.ts';
import type { ListedModel } from '../contract/modelList.ts';
import type { ProviderPreferences } from '../contract/provider.ts';
import type { ResponseEvent, ResponsesRequest } from '../contract/responses.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { Branch, Organisation, Repository } from '../contract/sources.ts';
import type { Task, TaskCreateRequest, TaskFollowUp, TaskListQuery } from '../contract/tasks.ts';
import { createAgentTasks } from './agentTasks.ts';
import type { ChannelAddress } from './channel/address.ts';
import { type ChannelOptions, createChannel } from './channel/channel.ts';
import { createChat } from './chat.ts';
import { createCaller } from './core/caller.ts';
import { LIMITS } from './core/limits.ts';
import type { Transport } from './core/transport.ts';
import { createDecisions } from './decisions.ts';
import { createImages } from './images.ts';
import { createModels } from './models.ts';
import { createResponses } from './responses.ts';
import { createSearch } from './search.ts';
import { createSources } from './sources.ts';
import { createTasks } from './tasks.ts';
import type {
	AgentTaskPage,
	Attested,
	ChannelAttestOptions,
	ChannelOpenOptions,
	ChannelSession,
	ChatStreamEvent,
	Decision,
	DecisionInput,
	FollowEvent,
	GeneratedImage,
	TaskPage,
} from './types.ts';

export interface ClientOptions {
	connection: Connection;
	/** Asked for at each request, never kept. */
	keys: (kind: KeyKind) => Promise<string | undefined>;
	/** Default, for programs outside the editor: undici. */
	transport?: Transport;
	logger?: Logger;
	clock?: Clock;
	/** What the encrypted channel remembers, and whom it believes. */
	channel?: ChannelOptions;
}

/** Everything it throws, and every stream's end but the good one, is a ClientError. A stream is read once. */
export interface Client {
	readonly chat: {
		complete(request: ChatRequest, options?: { signal?: AbortSignal }): Promise<ChatCompletion>;
		stream(request: ChatRequest, options?: { signal?: AbortSignal }): AsyncIterable<ChatStreamEvent>;
	};
	/** The search model; its sources come as `annotations`. `provider`: who may serve it, as in a chat request. */
	readonly search: {
		stream(
			messages: readonly ChatMessage[],
			options?: { signal?: AbortSignal; provider?: ProviderPreferences },
		): AsyncIterable<ChatStreamEvent>;
	};
	readonly images: {
		/** `bad-response` for a reply that is no address of an image; its `serviceMessage` is what was said instead. */
		generate(request: ImageRequest, options?: { signal?: AbortSignal }): Promise<GeneratedImage>;
	};
	readonly models: {
		/** Undefined where the service has no list of models that can be read. */
		discover(): Promise<ListedModel[] | undefined>;
	};
	readonly responses: {
		/** Up to and with `response.completed`. `nextRequest` and `ResponseOutput` serve those who answer its calls. */
		stream(request: ResponsesRequest, options?: { signal?: AbortSignal }): AsyncIterable<ResponseEvent>;
	};
	readonly decisions: {
		/** Each answer has the type of its question. Without a model it is that of the connection. */
		evaluate<Asked extends Questions>(
			request: DecisionInput<Asked>,
			options?: { signal?: AbortSignal },
		): Promise<Decision<Asked>>;
	};
	readonly channel: {
		/** For a model and its provider on the organisation's own host where the connection has one, else for the shared host. */
		health(address?: ChannelAddress): Promise<Health>;
		/** A new attestation with what each check made of it. Nothing is refused, and nothing remembered. */
		attest(options?: ChannelAttestOptions): Promise<Attested>;
		/**
		 * Attests and climbs the verification ladder; nothing of a conversation has left by then. `tampered` where a check
		 * fails for good (its cause holds the verdicts), or where less is proven than before and nobody agreed.
		 */
		open(options?: ChannelOpenOptions): Promise<ChannelSession>;
	};
	readonly tasks: {
		list(query?: TaskListQuery): Promise<TaskPage>;
		/** Every task once, a page at a time; a page is asked for when it is read. */
		pages(query?: Pick<TaskListQuery, 'filter' | 'status'>): AsyncIterable<Task[]>;
		get(id: string): Promise<Task>;
		/** Never repeated: a broken connection leaves open whether the task was made. */
		create(request: TaskCreateRequest): Promise<Task>;
		stop(id: string): Promise<Task>;
		/** Gives a task a further prompt; it becomes active again and its log goes on. Never repeated. */
		continue(id: string, followUp: TaskFollowUp): Promise<void>;
		/** Reads the log from `fromIndex` until the task has ended, over as many connections as it takes. */
		follow(
			id: string,
			options?: { fromIndex?: number; includeStatus?: boolean; signal?: AbortSignal },
		): AsyncIterable<FollowEvent>;
	};
	/** The linked source-hosting account. `source-link-missing`: it is not linked, or the link has expired. */
	readonly sources: {
		organisations(): Promise<Organisation[]>;
		/** `owner` is a user or an organisation. */
		repositories(owner: string): Promise<Repository[]>;
		/** `source-link-missing` also where the repository is not there; the service's sentence tells. */
		branches(owner: string, repo: string): Promise<Branch[]>;
	};
	readonly agentTasks: {
		list(query?: AgentTaskListQuery): Promise<AgentTaskPage>;
	};
}

export function createClient(options: ClientOptions): Client {
	const { connection, keys, transport = undiciOnDemand(), logger = nullLogger, clock = systemClock } = options;
	const caller = createCaller({ connection, keys, transport, logger, clock, random: Math.random, limits: LIMITS });
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
	};
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
