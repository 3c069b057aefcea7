// A running turn: owns the text of the reply, and saves the conversation at least once a second.
import { type Clock, untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import type { Explanation } from '../../platform/notify.ts';
import { type AgentWork, endedWork } from '../model/agentWork.ts';
import { applyEvent, type ReplyEvent } from '../model/applyEvent.ts';
import type { FinishProblem, Reply } from '../model/conversation.ts';

/** After this long without an event, in milliseconds, the page says so and offers to stop. */
export const WAITING_AFTER_MS = 30_000;

/** A save of a streaming reply begins at most this long after a change, so that a crash costs less than a second. */
export const SAVE_INTERVAL_MS = 750;

/** Says whether the service has been silent for a while; `loading` means that it is loading the model. */
export type Waiting = boolean | 'loading';

/** The request that a reply comes from. */
export interface SessionRequest {
	/** Sends it. The signal aborts when the reply is stopped. */
	stream(signal: AbortSignal): Promise<AsyncIterable<ReplyEvent>>;
	/** True if a stopped reply still reports how it ended. It must then end soon. */
	endsItself?: boolean;
}

/** The conversation that stores a reply. */
export interface SessionConversation {
	/**
	 * Called for each change, in order, until the reply has ended. `appended` is set if nothing else shown has changed.
	 */
	onChange(reply: Reply, waiting: Waiting, appended?: ReplyPart): void;
	/** Saves the conversation as `onChange` left it, and reports its own failures. */
	save(): Promise<void>;
}

/** Explains, in sentences, how a reply can fail. */
export interface SessionExplanations {
	error(error: unknown): Explanation;
	/** With `hasThought`, the reply has at least the model's reasoning. */
	finish(reason: FinishProblem, hasThought: boolean): Explanation;
}

export interface SessionOptions {
	/** The reply before its first event. */
	reply: Reply;
	request: SessionRequest;
	conversation: SessionConversation;
	explain: SessionExplanations;
	/** Resolves to whether the service says that the model is being loaded. */
	isLoading(): Promise<boolean>;
	clock: Clock;
}

/** Text that was appended to a reply or to its reasoning, or an agent's work before its last step. */
export type ReplyPart = { kind: 'text' | 'reasoning'; text: string } | { kind: 'work'; before: AgentWork };

/** Runs one reply to its end: reads the stream, notices silence and saves at least every second. */
export class Session {
	/** Resolves when the reply has ended and its last save has been tried. Never rejects. */
	readonly ended: Promise<void>;
	private readonly options: SessionOptions;
	private readonly stopping = new AbortController();
	/** Stops the timers when the reply ends for any reason. */
	private readonly timers = new AbortController();
	private reply: Reply;
	private waiting: Waiting = false;
	private lastEventAt: number;
	private saveDue = false;

	constructor(options: SessionOptions) {
		this.options = options;
		this.reply = options.reply;
		this.lastEventAt = options.clock.elapsed();
		this.ended = this.run();
	}

	/** Stops the reply at once, whatever the service does. The text so far is kept. */
	stop(): void {
		this.stopping.abort();
	}

	private async run(): Promise<void> {
		void this.watchSilence();
		let end: Partial<Reply>;
		try {
			// A stop does not wait for the stream, which may ignore its signal.
			const { signal } = this.stopping;
			end = await untilAborted(this.consume(), this.options.request.endsItself ? undefined : signal);
		} catch (error) {
			// An error caused by a stop is not a failure.
			end = this.stopping.signal.aborted ? { state: 'stopped' } : this.failure(error);
		}
		this.timers.abort();
		const endedAt = this.options.clock.now();
		const { work } = this.reply;
		this.change({ ...this.reply, ...end, endedAt, ...defined({ work: work && endedWork(work, endedAt) }) }, false);
		await this.options.conversation.save();
	}

	/** Resolves to the state in which the reply ended. */
	private async consume(): Promise<Partial<Reply>> {
		let finishReason: string | undefined;
		for await (const event of await this.options.request.stream(this.stopping.signal)) {
			if (this.stopping.signal.aborted && !this.options.request.endsItself) {
				break;
			}
			if (event.type === 'finish') {
				finishReason = event.reason;
			}
			this.lastEventAt = this.options.clock.elapsed();
			const reply = this.withFirstWord(applyEvent(this.reply, event));
			if (reply !== this.reply || this.waiting) {
				this.change(reply, false, this.waiting ? undefined : appended(this.reply, event));
				this.saveSoon();
			}
		}
		return this.stopping.signal.aborted ? { state: 'stopped' } : this.finish(finishReason);
	}

	/** Records the time of the first text. A continued reply keeps the time of its first part. */
	private withFirstWord(reply: Reply): Reply {
		const hasBegun = (['text', 'reasoning', 'work'] as const).some(part => reply[part] !== this.reply[part]);
		return hasBegun && reply.firstAt === undefined ? { ...reply, firstAt: this.lastEventAt } : reply;
	}

	private finish(reason: string | undefined): Partial<Reply> {
		const { text, work, reasoning = '' } = this.reply;
		const empty = text.trim() === '' && !work?.steps.length;
		const problem =
			reason === 'length' ? reason : reason === 'content_filter' ? 'filtered' : empty ? 'empty' : undefined;
		return {
			state: empty ? 'failed' : 'done',
			...(problem && { problem, explanation: this.options.explain.finish(problem, reasoning.trim() !== '') }),
		};
	}

	private failure(error: unknown): Partial<Reply> {
		return {
			state: ClientError.is(error, 'truncated') ? 'cutOff' : 'failed',
			explanation: this.options.explain.error(error),
		};
	}

	private change(reply: Reply, waiting: Waiting, appended?: ReplyPart): void {
		this.reply = reply;
		this.waiting = waiting;
		this.options.conversation.onChange(reply, waiting, appended);
	}

	private async watchSilence(): Promise<void> {
		const { clock } = this.options;
		try {
			for (;;) {
				const silence = clock.elapsed() - this.lastEventAt;
				if (silence >= WAITING_AFTER_MS) {
					void this.noticeSilence();
				}
				await clock.sleep(
					silence < WAITING_AFTER_MS ? WAITING_AFTER_MS - silence : WAITING_AFTER_MS,
					this.timers.signal,
				);
			}
		} catch {
			// The reply has ended.
		}
	}

	private async noticeSilence(): Promise<void> {
		if (!this.waiting) {
			this.change(this.reply, true);
		}
		const since = this.lastEventAt;
		const isLoading = await this.options.isLoading().catch(() => false);
		const waiting = isLoading ? 'loading' : true;
		const isStillSilent = this.waiting && since === this.lastEventAt && !this.timers.signal.aborted;
		if (isStillSilent && waiting !== this.waiting) {
			this.change(this.reply, waiting);
		}
	}

	private saveSoon(): void {
		if (this.saveDue) {
			return;
		}
		this.saveDue = true;
		this.options.clock.sleep(SAVE_INTERVAL_MS, this.timers.signal).then(
			() => {
				this.saveDue = false;
				void this.options.conversation.save();
			},
			// The reply has ended, and its last save covers this one.
			() => {},
		);
	}
}

/**
 * Returns the part that `event` appends to `reply`. The first part may replace an earlier reply's on the page, so it
 * does not count.
 */
function appended(reply: Reply, event: ReplyEvent): ReplyPart | undefined {
	if (event.type === 'work') {
		return reply.work && { kind: 'work', before: reply.work };
	}
	if ((event.type !== 'text' && event.type !== 'reasoning') || event.text === '' || !reply[event.type]) {
		return undefined;
	}
	return { kind: event.type, text: event.text };
}
