// The types that callers of the client use. They are part of its stable interface.

import type { ClientError } from '../base/errors.ts';
import type { AgentTask, AgentTaskListQuery } from '../contract/agentTasks.ts';
import type { AttestationRecord, ChannelMessage, Health } from '../contract/channel.ts';
import type { Annotation, ChatCompletion, Usage } from '../contract/chatReply.ts';
import type { ChatMessage, ChatRequest } from '../contract/chatRequest.ts';
import type { Answers, DecisionUsage, Questions } from '../contract/decisions.ts';
import type { ImageRequest } from '../contract/images.ts';
import type { ListedModel } from '../contract/modelList.ts';
import type { ResponseEvent, ResponsesRequest } from '../contract/responses.ts';
import type { Branch, Organisation, Repository } from '../contract/sources.ts';
import type { LogEntry, Task, TaskCreateRequest, TaskFollowUp, TaskListQuery } from '../contract/tasks.ts';
import type { ChannelAddress } from './channel/address.ts';
import type { ReasonCode } from './channel/reason.ts';

/**
 * All errors that it throws are ClientErrors, as is every end of a stream except a successful one. A stream can be read
 * once.
 */
export interface Client {
	readonly chat: {
		complete(request: ChatRequest, options?: { signal?: AbortSignal }): Promise<ChatCompletion>;
		stream(request: ChatRequest, options?: { signal?: AbortSignal }): AsyncIterable<ChatStreamEvent>;
	};
	/**
	 * Asks the search model, whose sources come as `annotations`. The options are those of a chat request, such as
	 * `provider`, which selects who may serve it.
	 */
	readonly search: {
		stream(
			messages: readonly ChatMessage[],
			options?: { signal?: AbortSignal } & Omit<ChatRequest, 'model' | 'messages' | 'stream'>,
		): AsyncIterable<ChatStreamEvent>;
	};
	readonly images: {
		/**
		 * Throws `bad-response` for a reply other than the address of an image; `serviceMessage` is the text of that reply.
		 */
		generate(request: ImageRequest, options?: { signal?: AbortSignal }): Promise<GeneratedImage>;
	};
	readonly models: {
		/** Resolves with undefined if the service has no readable list of models. */
		discover(): Promise<ListedModel[] | undefined>;
	};
	readonly responses: {
		/**
		 * Yields the events up to and including `response.completed`. `ResponseOutput` and `inputItemsOf` help to answer
		 * its calls.
		 */
		stream(request: ResponsesRequest, options?: { signal?: AbortSignal }): AsyncIterable<ResponseEvent>;
	};
	readonly decisions: {
		/** Each answer has the type of its question. The default model is that of the connection. */
		evaluate<Asked extends Questions>(
			request: DecisionInput<Asked>,
			options?: { signal?: AbortSignal },
		): Promise<Decision<Asked>>;
	};
	readonly channel: {
		/**
		 * Reports the health of a model's channel on the organisation's own host if the connection has one, otherwise of
		 * the shared host.
		 */
		health(address?: ChannelAddress): Promise<Health>;
		/** Fetches a new attestation, with the verdict of each check. Nothing is refused or remembered. */
		attest(options?: ChannelAttestOptions): Promise<ReportedAttestation>;
		/**
		 * Attests and runs the verification ladder; no part of a conversation has been sent by then. Throws `tampered` if a
		 * check fails for good (the cause holds the verdicts), or if less is proven than before and nobody agreed to that.
		 */
		open(options?: ChannelOpenOptions): Promise<ChannelSession>;
	};
	readonly tasks: {
		list(query?: TaskListQuery): Promise<TaskPage>;
		/** Yields every task once, a page at a time. A page is requested only when it is read. */
		pages(query?: Pick<TaskListQuery, 'filter' | 'status'>): AsyncIterable<Task[]>;
		get(id: string): Promise<Task>;
		/** The request is never repeated, because after a broken connection it is unknown whether the task was created. */
		create(request: TaskCreateRequest): Promise<Task>;
		stop(id: string): Promise<Task>;
		/**
		 * Gives a task a further prompt. The task becomes active again and its log continues. The request is never
		 * repeated.
		 */
		continue(id: string, followUp: TaskFollowUp): Promise<void>;
		/** Reads the log from `fromIndex` until the task has ended, over as many connections as it takes. */
		follow(id: string, options?: { fromIndex?: number; includeStatus?: boolean; signal?: AbortSignal }): FollowStream;
	};
	/** The linked source-hosting account. Throws `source-link-missing` if it is not linked or the link has expired. */
	readonly sources: {
		organisations(): Promise<Organisation[]>;
		/** `owner` is a user or an organisation. */
		repositories(owner: string): Promise<Repository[]>;
		/**
		 * Throws `not-found` if the service says that there is no such repository or no access to it, and
		 * `source-link-missing` if it does not say which of the two a 404 means.
		 */
		branches(owner: string, repo: string): Promise<Branch[]>;
	};
	readonly agentTasks: {
		list(query?: AgentTaskListQuery): Promise<AgentTaskPage>;
	};
}

export type ChatStreamEvent =
	| { type: 'text'; text: string }
	| { type: 'reasoning'; text: string }
	/** `index` is the position of the call in the reply, and `arguments` a fragment of its JSON text. */
	| { type: 'toolCall'; index: number; id?: string; name?: string; arguments: string }
	| { type: 'annotations'; annotations: Annotation[] }
	/** `leftOut`: the parameters of the request that, according to the service, the model does not accept. */
	| {
			type: 'served';
			provider?: string;
			model?: string;
			id?: string;
			/** Unix time in seconds. */
			created?: number;
			fingerprint?: string;
			leftOut?: readonly string[];
	  }
	| { type: 'usage'; usage: Usage }
	/** The next tokens of the text, if `top_logprobs` was requested and the service supplies them. */
	| { type: 'logprobs'; tokens: TokenProbability[] }
	| { type: 'finish'; reason: string; nativeReason?: string };

/** A part of what the model says. */
export type TextEvent = Extract<ChatStreamEvent, { type: 'text' }>;

/** A token with the natural logarithm of its probability, and the most likely tokens in its place. */
export interface TokenProbability {
	token: string;
	logprob: number;
	top: { token: string; logprob: number }[];
}

export interface GeneratedImage {
	/** An http or https address. Loading it reveals the reader to its host. */
	url: string;
	/** The model that was used, without its digest. */
	model: string;
	digest?: string;
	/** The provider that served the request, and the completion's id. */
	provider?: string;
	id?: string;
	/** All counts are 0 (contract: inference.md, Image generation). */
	usage?: Usage;
}

export interface DecisionInput<Asked extends Questions> {
	/** The subject of the questions, as any JSON object. */
	state: Record<string, unknown>;
	questions: Asked;
	model?: string;
}

export interface Decision<Asked extends Questions> {
	/** The version of the model that answered. Undefined if the service does not say. */
	model: string | undefined;
	answers: Answers<Asked>;
	usage: DecisionUsage | undefined;
}

export type FollowEvent =
	| { type: 'connected'; fromIndex: number }
	/** `sentAt` is ISO 8601. */
	| { type: 'log'; index: number; entry: LogEntry; sentAt: string | undefined }
	| { type: 'status'; status: string; error: string | undefined }
	/** The entries `from` to `to`, both inclusive, could not be read. */
	| { type: 'gap'; from: number; to: number }
	/**
	 * `cause` is a word or two for the loss. `said` is the cause as given by the service itself, and `error` is set if
	 * the connection failed.
	 */
	| {
			type: 'reconnecting';
			nextIndex: number;
			attempt: number;
			delayMs: number;
			cause: string;
			said?: string;
			error?: ClientError;
	  }
	| { type: 'complete'; status: string; totalLogs: number | null; message: string | undefined };

/** A log that is being read, event by event. */
export interface FollowStream extends AsyncIterable<FollowEvent> {
	/**
	 * Removes and returns the events that arrived together with the last one that was read. This saves a reader of many
	 * events the wait for each of them.
	 */
	takeArrived(): FollowEvent[];
}

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

/** The steps of the channel's verification ladder, in order. */
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
	/** `unknown` means that the check could not be decided. It never counts as much as `pass`. */
	verdict: 'pass' | 'fail' | 'unknown';
	/** The reason for the verdict. The feature that shows it has the texts. */
	code: ReasonCode;
	/**
	 * The values that the reason's text names, such as a number or a device. Some are of foreign origin and must be
	 * treated as plain text.
	 */
	values?: readonly string[];
	/** The input of the check, if it fits on a line. */
	input?: string;
}

/** An attestation with the verdict of each check. */
export interface Attested {
	/** The address that the attestation came from. */
	address: string;
	attestation: AttestationRecord;
	verdicts: readonly Verdict[];
	/** The SHA-256 of the key in hexadecimal digits; undefined if the key cannot be used. */
	keyFingerprint: string | undefined;
	/** The devices whose evidence was proven, as sorted fingerprints. */
	devices: readonly string[];
}

/** An attestation as a report shows it. */
export interface ReportedAttestation extends Attested {
	/**
	 * True if each message needs an attestation and a session of its own, because the service has refused a second
	 * message in one. Otherwise a session lasts until it expires, and each of its messages has a key pair of its own.
	 */
	needsSessionPerMessage: boolean;
}

/** The remembered part of an accepted attestation. */
export interface AcceptedAttestation {
	verdicts: readonly Pick<Verdict, 'check' | 'verdict'>[];
	keyFingerprint: string;
	devices: readonly string[];
}

/**
 * A session of the encrypted channel. It sends one message at a time, each with its own key pair. An attestation lasts
 * until the service accepts no more messages under it, and the fields are those of the last one. After `tampered` it is
 * over; after `session-expired`, or `bad-response` for a reply that is not encrypted, the next message may try again.
 */
export interface ChannelSession extends Readonly<Attested> {
	/** Sends the conversation and resolves with the model's whole reply. */
	send(history: readonly ChannelMessage[], options?: { signal?: AbortSignal }): Promise<{ text: string }>;
	/**
	 * Throws `truncated` after the received text if the reply lacks its closing mark. The channel cannot tell what is
	 * missing.
	 */
	stream(history: readonly ChannelMessage[], options?: { signal?: AbortSignal }): AsyncIterable<TextEvent>;
	/** Aborts pending requests and discards the keys. */
	close(): Promise<void>;
}

export interface ChannelAttestOptions extends ChannelAddress {
	/**
	 * Asks the user whether the GPU maker may be asked for the keys of its tokens, which tells the maker about the
	 * request. Called only for a token that claims to be the maker's. Without this function the answer is no, and the
	 * check stays unknown.
	 */
	askMaker?: () => Promise<boolean>;
	signal?: AbortSignal;
}

export interface ChannelOpenOptions extends ChannelAttestOptions {
	/**
	 * Asks whether to go on although less is proven than before, the key is not the known one, or anything else has
	 * changed in an attestation that renews the session. Without it the answer is no. `wasSent`: the message has already
	 * been sent once, encrypted for the previous attestation, whose session did not accept it.
	 */
	confirm?: (before: AcceptedAttestation, now: Attested, message: { wasSent: boolean }) => Promise<boolean>;
	/** The fingerprint of the expected key. A service may bring a new key with each attestation. */
	knownKey?: string;
	/**
	 * Refuses an attestation that leaves the hardware, its binding to the key or its freshness unproven
	 * (`not-supported`).
	 */
	requireHardwareProof?: boolean;
}
