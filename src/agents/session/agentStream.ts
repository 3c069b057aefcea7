import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { RunningChild } from '../../base/childProcess.ts';
import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import { linesOf } from '../lines.ts';
import { AgentFailure, brokenProtocol, tooLongMessage, tooMuchOutput } from './agentFailure.ts';
import type { SessionLimits } from './limits.ts';

/** The time for which the reader may work before everything else in this process gets its turn. */
const SLICE_MS = 10;

export interface AgentStreamOptions {
	child: RunningChild;
	limits: SessionLimits;
	/** Receives the parameters of a `session/update` before later messages. An error that it throws ends the stream. */
	onUpdate(params: Record<string, unknown>): void;
	/**
	 * Reads the parameters of a request, in the same order. The SDK gets the result instead of them: they can take many
	 * times their size in memory, and may wait for a long time.
	 */
	readRequest(method: string, params: unknown): unknown;
	/** Resolves with the error for an agent that has closed its output or does not read its input. */
	ending(): Promise<Error>;
}

/**
 * The messages of an agent as a stream for the SDK. The SDK's own stream reads without ever waiting for its consumer,
 * and the SDK prints to the console what it cannot use. Here the agent waits, the SDK gets only what it understands,
 * and updates bypass it, so that they stay in order with answers.
 */
export class AgentStream implements Stream {
	readonly readable: ReadableStream<AnyMessage>;
	readonly writable: WritableStream<AnyMessage>;
	private readonly options: AgentStreamOptions;
	/** The methods of our unanswered requests, by id. */
	private readonly asked = new Map<unknown, string>();
	/** The number of the agent's unanswered requests. */
	private openRequests = 0;
	/** Resumes reading that had to wait for one of our answers. */
	private resume: (() => void) | undefined;
	private hasEnded = false;
	private lines = 0;
	private stray = 0;

	constructor(options: AgentStreamOptions) {
		this.options = options;
		const onEnd = () => {
			this.hasEnded = true;
			this.resume?.();
		};
		options.child.ended.then(onEnd, onEnd);
		const messages = this.messages();
		this.readable = new ReadableStream<AnyMessage>(
			{
				pull: async controller => {
					const next = await messages.next();
					if (!next.done) {
						controller.enqueue(next.value);
					}
				},
			},
			{ highWaterMark: 0 },
		);
		this.writable = new WritableStream<AnyMessage>({ write: message => this.write(message) });
	}

	/** The number of lines so far that were not messages, or answered a request that was never sent. */
	get strayLines(): number {
		return this.stray;
	}

	/** Returns whether a request of ours with this method is still unanswered. */
	isAsked(method: string): boolean {
		return [...this.asked.values()].includes(method);
	}

	/** Yields the messages for the SDK. It never ends by itself: it throws the reason why there are no more. */
	private async *messages(): AsyncGenerator<AnyMessage, never> {
		const { child, limits } = this.options;
		let began = performance.now();
		const { lineBytes, totalBytes } = limits;
		const errors = { tooLong: () => tooLongMessage(lineBytes), tooMuch: () => tooMuchOutput(totalBytes) };
		for await (const line of linesOf(child.stdout, { lineBytes, totalBytes, ...errors })) {
			this.countLine();
			const message = isBlank(line) ? undefined : this.take(readMessage(line));
			if (message !== undefined) {
				yield message;
				await this.room();
			}
			if (performance.now() - began > SLICE_MS) {
				await nextTurn();
				began = performance.now();
			}
		}
		throw await this.options.ending();
	}

	/** Returns the message that the SDK gets, if it is meant for the SDK. */
	private take(message: AgentMessage | undefined): AnyMessage | undefined {
		if (message?.kind === 'notification') {
			const { method, params } = message;
			if (method === 'session/update' && isFields(params)) {
				this.options.onUpdate(params);
			}
			// An agent withdraws a request with this notification. No other one is needed.
			return method === '$/cancel_request' ? { jsonrpc: '2.0', method, params } : undefined;
		}
		if (message?.kind === 'request') {
			const { id, method, params } = message;
			this.openRequests++;
			return { jsonrpc: '2.0', id, method, params: this.options.readRequest(method, params) };
		}
		if (message === undefined || !this.asked.delete(message.id)) {
			this.countStray();
			return undefined;
		}
		if (message.answer === undefined) {
			throw brokenProtocol('an answer that is neither a result nor an error');
		}
		return { jsonrpc: '2.0', id: message.id, ...message.answer };
	}

	private countLine(): void {
		const { lines } = this.options.limits;
		this.lines++;
		if (this.lines > lines) {
			throw new AgentFailure(
				'flood',
				`The agent was ended because it sent more than ${lines} messages in one session. Try again with a smaller piece of work.`,
			);
		}
	}

	private countStray(): void {
		this.stray++;
		if (this.stray > this.options.limits.strayLines) {
			throw new AgentFailure(
				'garbage',
				'What the agent writes is not the Agent Client Protocol. Check that its command and arguments start it in its ACP mode.',
			);
		}
	}

	/** Waits until the agent may send more requests, or has ended. */
	private async room(): Promise<void> {
		while (!this.hasEnded && this.openRequests >= this.options.limits.openRequests) {
			await new Promise<void>(resolve => {
				this.resume = resolve;
			});
		}
	}

	private async write(message: AnyMessage): Promise<void> {
		if ('method' in message) {
			if ('id' in message) {
				this.asked.set(message.id, message.method);
			}
		} else {
			this.openRequests--;
			this.resume?.();
		}
		const problem = await this.send(`${JSON.stringify(message)}\n`);
		if (problem === 'closed') {
			throw await this.options.ending();
		}
		if (problem === 'not-read') {
			throw new AgentFailure(
				'no-answer',
				`The agent did not read what it was sent for ${this.options.limits.readMs / 1000} seconds, so it was ended. Try again, or choose another agent.`,
			);
		}
	}

	private send(line: string): Promise<'closed' | 'not-read' | undefined> {
		const { child, limits } = this.options;
		return new Promise(resolve => {
			const timer = setTimeout(() => resolve('not-read'), limits.readMs);
			child.stdin.write(line, error => {
				clearTimeout(timer);
				resolve(error ? 'closed' : undefined);
			});
		});
	}
}

function isBlank(line: Buffer): boolean {
	return line.byteLength < 16 && line.toString('latin1').trim() === '';
}

/** The maximum length of request ids and method names, which are kept and sent back. */
const MAXIMUM_NAME = 256;

type RequestId = string | number;

/** A message of JSON-RPC 2.0 that an agent sent. */
export type AgentMessage =
	| { kind: 'request'; id: RequestId; method: string; params: unknown }
	| { kind: 'notification'; method: string; params: unknown }
	/** `answer` is undefined for one with neither a result nor an error. */
	| { kind: 'answer'; id: RequestId; answer: Answer | undefined };

type Answer = { result: unknown } | { error: { code: number; message: string; data: unknown } };

/**
 * Reads one line. Returns undefined for anything but a message: text that is not JSON, another protocol, a batch (ACP
 * has none), names that are too long, and values that are nested too deeply.
 */
export function readMessage(line: Buffer): AgentMessage | undefined {
	const value = parseJson(line.toString('utf8'));
	if (!isFields(value) || value['jsonrpc'] !== '2.0') {
		return undefined;
	}
	const { id, method, params } = value;
	if (id !== undefined && !isRequestId(id)) {
		return undefined;
	}
	if (typeof method === 'string') {
		if (method.length > MAXIMUM_NAME) {
			return undefined;
		}
		return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
	}
	return id === undefined || method !== undefined ? undefined : { kind: 'answer', id, answer: readAnswer(value) };
}

function readAnswer(value: Record<string, unknown>): Answer | undefined {
	const { result, error } = value;
	const hasResult = Object.hasOwn(value, 'result');
	if (hasResult && (error === undefined || error === null)) {
		return { result };
	}
	if (!hasResult && isFields(error)) {
		const { code, message, data } = error;
		if (typeof code === 'number' && Number.isInteger(code) && typeof message === 'string') {
			return { error: { code, message, data } };
		}
	}
	return undefined;
}

function isRequestId(value: unknown): value is RequestId {
	return Number.isFinite(value) || (typeof value === 'string' && value.length <= MAXIMUM_NAME);
}
