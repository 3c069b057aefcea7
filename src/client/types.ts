// The shapes that callers of the client meet. Part of its stable interface.

import type { AgentTask, AgentTaskListQuery } from '../contract/agentTasks.ts';
import type { AttestationRecord, ChannelMessage, Health } from '../contract/channel.ts';
import type { Annotation, ChatCompletion, Usage } from '../contract/chatReply.ts';
import type { ChatMessage, ChatRequest } from '../contract/chatRequest.ts';
import type { Answers, DecisionUsage, Questions } from '../contract/decisions.ts';
import type { ImageRequest } from '../contract/images.ts';
import type { ListedModel } from '../contract/modelList.ts';
import type { ProviderPreferences } from '../contract/provider.ts';
import type { ResponseEvent, ResponsesRequest } from '../contract/responses.ts';
import type { Branch, Organisation, Repository } from '../contract/sources.ts';
import type { LogEntry, Task, TaskCreateRequest, TaskFollowUp, TaskListQuery } from '../contract/tasks.ts';
import type { ChannelAddress } from './channel/address.ts';
import type { ReasonCode } from './channel/reason.ts';

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

export type ChatStreamEvent =
	| { type: 'text'; text: string }
	| { type: 'reasoning'; text: string }
	/** `arguments` is a fragment of the call's JSON text. */
	| { type: 'toolCall'; index: number; id?: string; name?: string; arguments: string }
	| { type: 'annotations'; annotations: Annotation[] }
	| { type: 'served'; provider?: string; model?: string; id?: string }
	| { type: 'usage'; usage: Usage }
	| { type: 'finish'; reason: string; nativeReason?: string };

export interface GeneratedImage {
	/** http or https. Loading it tells its host who looks. */
	url: string;
	/** The model that was used, its digest taken off. */
	model: string;
	digest?: string;
}

export interface DecisionInput<Asked extends Questions> {
	/** What the questions are about: any JSON. */
	state: Record<string, unknown>;
	questions: Asked;
	model?: string;
}

export interface Decision<Asked extends Questions> {
	/** The version that answered. Undefined where the service does not tell. */
	model: string | undefined;
	answers: Answers<Asked>;
	usage: DecisionUsage | undefined;
}

export type FollowEvent =
	| { type: 'connected'; fromIndex: number }
	/** `sentAt` is ISO 8601. */
	| { type: 'log'; index: number; entry: LogEntry; sentAt: string | undefined }
	| { type: 'status'; status: string; error: string | undefined }
	/** Entries `from` to `to`, both inclusive, could not be had. */
	| { type: 'gap'; from: number; to: number }
	| { type: 'reconnecting'; nextIndex: number; attempt: number; delayMs: number; cause: string }
	| { type: 'complete'; status: string; totalLogs: number | null; message: string | undefined };

export interface TaskPage {
	tasks: Task[];
	hasMore: boolean;
	offset: number;
	limit: number;
}

export interface AgentTaskPage {
	tasks: AgentTask[];
	page: number;
	limit: number;
	hasMore: boolean;
}

/** The steps of the channel's verification ladder, in their order. */
export const CHECKS = [
	'transport',
	'public-key',
	'signature',
	'nonce',
	'gpu-evidence',
	'gpu-token',
	'key-binding',
	'freshness',
	'memory',
] as const;

export type CheckName = (typeof CHECKS)[number];

export interface Verdict {
	check: CheckName;
	/** `unknown` is what nobody could see to hold: never as good as `pass`. */
	verdict: 'pass' | 'fail' | 'unknown';
	/** Why. The words are the feature's that shows it. */
	code: ReasonCode;
	/** What these words name, such as a number or a device. Some of it is of others: no more than text. */
	values?: readonly string[];
	/** What was looked at, where a line can show it. */
	input?: string;
}

/** An attestation with what each check made of it. */
export interface Attested {
	/** Where it came from. */
	address: string;
	attestation: AttestationRecord;
	verdicts: readonly Verdict[];
	/** SHA-256 of the key in hexadecimal digits; undefined where it cannot be used. */
	keyFingerprint: string | undefined;
	/** The devices whose evidence was proven, each by a fingerprint, sorted. */
	devices: readonly string[];
}

/** What is remembered of an attestation that was accepted. */
export interface AcceptedAttestation {
	verdicts: readonly Pick<Verdict, 'check' | 'verdict'>[];
	keyFingerprint: string;
	devices: readonly string[];
}

/**
 * A session of the encrypted channel. One message at a time, each under an attestation of its own: the fields are those
 * of the last one. After `tampered` it is over; `session-expired` leaves the next message to try again.
 */
export interface ChannelSession extends Readonly<Attested> {
	/** The model's whole reply to the conversation. */
	send(history: readonly ChannelMessage[], options?: { signal?: AbortSignal }): Promise<{ text: string }>;
	/** `truncated` after what came, where the reply lacks its closing mark. The channel cannot tell what was left out. */
	stream(
		history: readonly ChannelMessage[],
		options?: { signal?: AbortSignal },
	): AsyncIterable<{ type: 'text'; text: string }>;
	/** Aborts what is under way and forgets the keys. */
	close(): Promise<void>;
}

export interface ChannelAttestOptions extends ChannelAddress {
	/**
	 * Asks whether the GPU maker may be asked for the keys of its tokens, who then learns of it. Only where a token is the
	 * maker's by its own words. Without it the answer is no, and the check is unknown.
	 */
	askMaker?: () => Promise<boolean>;
	signal?: AbortSignal;
}

export interface ChannelOpenOptions extends ChannelAttestOptions {
	/**
	 * Asks whether to go on although less is proven than before, or by another key than the one that is known, or, by the
	 * attestation for a later message, anything else. Without it the answer is no. `wasSent`: the message has gone out once,
	 * encrypted to the one before, whose session had expired.
	 */
	confirm?: (before: AcceptedAttestation, now: Attested, message: { wasSent: boolean }) => Promise<boolean>;
	/** The fingerprint of the key that is expected. A service may bring a new key with each attestation. */
	knownKey?: string;
	/** Refuses what leaves the hardware, its binding to the key or its freshness open (`not-supported`). */
	requireHardwareProof?: boolean;
}
