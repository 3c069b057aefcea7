import type { Readable } from 'node:stream';
import type {
	AgentNotificationMethod,
	AgentNotificationParamsByMethod,
	AgentRequestMethod,
	AgentRequestParamsByMethod,
	ClientConnection,
	RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type * as z from 'zod';
import { singleFlight, systemClock } from '../../base/async.ts';
import { oneLine, plainText } from '../../base/plainText.ts';
import { redactText } from '../../base/redact.ts';
import { answeredError, brokenProtocol, closedPipe, endedEarly, noAnswer, notStarted } from './agentFailure.ts';
import { AgentStream, type AgentStreamOptions } from './agentStream.ts';
import type { AgentForm, FormAnswer, PermissionAnswer, PermissionRequest } from './events.ts';
import { SETTLE } from './settle.ts';

type Sdk = typeof import('@agentclientprotocol/sdk');

export interface AgentConnectionOptions extends Omit<AgentStreamOptions, 'ending'> {
	/** Aborting it closes the connection with its reason. */
	signal: AbortSignal;
	/** Returns undefined for a request that must not be decided. */
	readRequest(method: string, params: unknown): PermissionRequest | AgentForm | undefined;
	/**
	 * These answer the requests; a request without an answer is cancelled. `withdrawn` aborts when the agent withdraws the
	 * request. They never reject.
	 */
	onPermission(request: PermissionRequest, withdrawn: AbortSignal): Promise<PermissionAnswer | undefined>;
	onForm(form: AgentForm, withdrawn: AbortSignal): Promise<FormAnswer | undefined>;
	/** Resolves when all that the agent has reported so far is dealt with. */
	onSettle(): Promise<void>;
}

/** Connects to an agent through the standard input and output of its process, and loads the SDK for that. */
export async function connectAgent(options: AgentConnectionOptions): Promise<AgentConnection> {
	// The agent may write to it, or end, while the SDK is being loaded.
	const standardError = new StandardError(options.child.stderr, options.limits.standardErrorBytes);
	return new AgentConnection(await import('@agentclientprotocol/sdk'), standardError, options);
}

/** A connection and its agent's process, which live and end together. */
export class AgentConnection {
	private readonly sdk: Sdk;
	private readonly options: AgentConnectionOptions;
	private readonly standardError: StandardError;
	private readonly stream: AgentStream;
	private readonly connection: ClientConnection;
	private readonly onAbort = () => this.fail(this.options.signal.reason);

	constructor(sdk: Sdk, standardError: StandardError, options: AgentConnectionOptions) {
		const { child, signal } = options;
		this.sdk = sdk;
		this.options = options;
		this.standardError = standardError;
		this.stream = new AgentStream({ ...options, ending: this.ending });
		this.connection = sdk
			.client({ name: 'errand' })
			.onRequest(
				sdk.methods.client.session.requestPermission,
				request => request as PermissionRequest | undefined,
				async ({ params: request, signal }) => replyOf(request && (await options.onPermission(request, signal))),
			)
			.onRequest(
				sdk.methods.client.elicitation.create,
				form => form as AgentForm | undefined,
				async ({ params: form, signal }) => (form && (await options.onForm(form, signal))) ?? { action: 'cancel' },
			)
			.onRequest(
				SETTLE,
				() => undefined,
				async () => {
					await options.onSettle();
					return {};
				},
			)
			.connect(this.stream);
		this.connection.signal.addEventListener('abort', () => void child.end(), { once: true });
		signal.addEventListener('abort', this.onAbort, { once: true });
		if (signal.aborted) {
			this.onAbort();
		}
	}

	get isClosed(): boolean {
		return this.connection.signal.aborted;
	}

	/** The number of lines so far that were not messages, or answered a request that was never sent. */
	get strayLines(): number {
		return this.stream.strayLines;
	}

	/** True while a sent prompt has not been answered. */
	get isPrompting(): boolean {
		return this.stream.isAsked(this.sdk.methods.agent.session.prompt);
	}

	/**
	 * Resolves with the reply. Rejects with an AgentFailure if the agent answered with an error. Any other failure,
	 * including a reply that takes longer than `limitMs`, closes the connection, and this rejects with the reason after
	 * the child has ended.
	 */
	async request<Method extends AgentRequestMethod, T>(
		method: Method,
		params: AgentRequestParamsByMethod[Method],
		schema: z.ZodType<T>,
		limitMs?: number,
	): Promise<T> {
		const cancelLimit =
			limitMs === undefined ? () => {} : systemClock.after(limitMs, () => this.fail(noAnswer(method, limitMs)));
		try {
			const reply = schema.safeParse(await this.connection.agent.request(method, params));
			if (reply.success) {
				return reply.data;
			}
			this.fail(brokenProtocol(`an answer to "${method}" that does not have what it must have`));
		} catch (error) {
			if (error instanceof this.sdk.RequestError) {
				throw answeredError(error);
			}
		} finally {
			cancelLimit();
		}
		await this.end();
		throw this.connection.signal.reason;
	}

	/** Sends a notification, if the connection is still open. */
	notify<Method extends AgentNotificationMethod>(
		method: Method,
		params: AgentNotificationParamsByMethod[Method],
	): void {
		this.connection.agent.notify(method, params).catch(() => {});
	}

	/** Closes the connection with the error that open requests reject with, and ends the child. */
	fail(error: unknown): void {
		this.connection.close(error);
	}

	/** Closes the connection if it is open. Resolves when the child has ended. Never rejects. */
	async end(): Promise<void> {
		this.options.signal.removeEventListener('abort', this.onAbort);
		this.connection.close(new Error('The session was closed.'));
		await this.options.child.end();
	}

	/** Determines why the agent has closed one of its pipes. */
	private readonly ending = singleFlight(async () => {
		const { child, limits } = this.options;
		const waited = new AbortController();
		const timeout = systemClock.sleep(limits.closeMs, waited.signal).catch(() => undefined);
		try {
			const result = await Promise.race([child.ended, timeout]);
			return result ? endedEarly(result, this.standardError.lastLine()) : closedPipe();
		} catch (error) {
			return notStarted(error);
		} finally {
			waited.abort();
		}
	});
}

function replyOf(answer: PermissionAnswer | undefined): RequestPermissionResponse {
	const option = answer?.option;
	return { outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option } };
}

const MAXIMUM_ERROR_LINE = 300;

/** Reads an agent's standard error to its end, so that the agent never waits, and keeps the last `maximum` bytes. */
export class StandardError {
	private kept: Buffer[] = [];
	private length = 0;

	constructor(stream: Readable, maximum: number) {
		stream.on('error', () => {});
		stream.on('data', (bytes: Buffer) => {
			this.kept.push(bytes.subarray(-maximum));
			this.length += bytes.byteLength;
			// They are merged only when they are twice as long, so that many small pieces cost no more than a few large ones.
			if (this.length > 2 * maximum) {
				this.kept = [Buffer.from(Buffer.concat(this.kept).subarray(-maximum))];
				this.length = maximum;
			}
		});
	}

	/** Returns the last line that is not blank, shortened, as plain text without anything that looks like a key. */
	lastLine(): string {
		const lines = plainText(Buffer.concat(this.kept).toString('utf8')).split('\n');
		return oneLine(redactText(lines.findLast(line => line.trim() !== '') ?? ''), MAXIMUM_ERROR_LINE);
	}
}
