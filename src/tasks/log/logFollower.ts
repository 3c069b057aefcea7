import type { Disposable } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { firstLine, oneLine } from '../../base/plainText.ts';
import type { Client, FollowEvent } from '../../client/types.ts';
import { isActiveTask, isFinalStatus, type Task } from '../../contract/tasks.ts';
import type { Explanation } from '../../platform/notify.ts';
import { followWords, outcome } from '../common/messages.ts';
import { type FollowState, isAttemptShown, isFollowing } from '../model/followState.ts';
import { createEntryFormatter, type LogRecord } from '../model/formatEntry.ts';
import { outcomeOf } from '../model/taskGroups.ts';
import type { LogChannel } from './logChannel.ts';
import type { LogFile } from './logFile.ts';
import { LogWriter } from './logWriter.ts';

const MAXIMUM_TITLE = 40;
const SHORT_ID = 8;
const MAXIMUM_ERROR = 300;
const MAXIMUM_CAUSE = 200;
const MAXIMUM_EXPLANATION = 400;

export interface FollowTarget {
	connection: { name: string; label: string };
	taskId: string;
	/** The prompt; empty if it is not known. */
	title: string;
}

/** The output channel that shows a log. */
type LogOutput = Pick<LogChannel, 'isVisible' | 'append' | 'clear' | 'show' | 'dispose'>;

/** The options that are common to the followers of all logs. */
export interface LogFollowerOptions {
	openChannel(name: string): LogOutput;
	explain(error: unknown, target: FollowTarget): Explanation;
	onState(log: LogFollower): void;
	/** Called with the task's own state, as the log stream reports it. */
	onStatus(log: LogFollower, status: string, error: string | undefined): void;
	/** Called with the task as read after its log had ended, before the state changes to ended. */
	onEnd(log: LogFollower, task: Task): void;
}

/** Follows the log of a task in its output channel, and can be run again after a failed attempt. */
export class LogFollower implements Disposable {
	readonly target: FollowTarget;
	/** The prompt and the end of the task's id. */
	readonly name: string;
	/** The error that ended following before the task had ended. */
	failure: { explanation: Explanation; error: unknown } | undefined;
	/** True if the task was seen running, so that its end is news. */
	wasActive = false;
	/** The line that was written when following ended, which the service does not know. */
	lastLine: LogRecord | undefined;
	/** Settles when `nextIndex` is the index at which this window continues. Never rejects. */
	restored: Promise<void> = Promise.resolve();

	private readonly options: LogFollowerOptions;
	private readonly recorded = new Emitter<LogRecord>();
	/** Fires for everything that is written to the log from now on. */
	readonly onRecord = this.recorded.event;
	private readonly channel: LogOutput;
	private readonly writer: LogWriter;
	private controller = new AbortController();
	private currentState: FollowState = { kind: 'connecting' };
	private hasRun = false;
	/** The time at which something was last received, in milliseconds since the epoch. */
	private heardAt: number | undefined;

	/** `file` stores the channel's content for the window after a reload. */
	constructor(target: FollowTarget, options: LogFollowerOptions, file: LogFile | undefined) {
		this.target = target;
		this.options = options;
		// The end of an id distinguishes tasks of the same moment, as some ids begin with a time.
		const shortId = oneLine(target.taskId.slice(-SHORT_ID), SHORT_ID);
		const title = firstLine(target.title, MAXIMUM_TITLE);
		this.name = title === '' ? shortId : `${title} (${shortId})`;
		this.channel = options.openChannel(`Errand: ${this.name}`);
		this.writer = new LogWriter(this.channel, file);
	}

	get state(): FollowState {
		return this.currentState;
	}

	/** The index of the next entry. */
	get nextIndex(): number {
		return this.writer.nextIndex;
	}

	get isFollowing(): boolean {
		return isFollowing(this.currentState);
	}

	get isVisible(): boolean {
		return this.channel.isVisible;
	}

	/** Shows the output channel. */
	show(takesFocus = false): void {
		this.channel.show(!takesFocus);
	}

	/** Stores the channel's content from now on, so that a reloaded window continues with it. */
	keep(): void {
		this.writer.keep();
	}

	/** Removes the stored content, because no later window continues with this log. */
	forget(): void {
		this.writer.forget();
	}

	/**
	 * Follows the log to the end of the task and writes every entry once and in order. Resolves with true when the task
	 * has ended. Never rejects; see `state` and `failure`.
	 */
	async run(client: Pick<Client, 'tasks'>): Promise<boolean> {
		const { signal } = this.controller;
		this.failure = undefined;
		this.lastLine = undefined;
		this.heardAt = undefined;
		this.setState({ kind: 'connecting' });
		try {
			// The channel of a reloaded window is empty and gets the stored lines. A log that was suspended meanwhile
			// may still be reading them.
			const restored = this.hasRun ? this.restored : this.writer.restore();
			this.hasRun = true;
			this.restored = restored.catch(() => {});
			await restored;
			signal.throwIfAborted();
			await this.read(client, signal);
			return true;
		} catch (error) {
			if (!signal.aborted) {
				const explanation = this.options.explain(error, this.target);
				this.failure = { explanation, error };
				this.stop(explanation.message);
			}
			return false;
		}
	}

	/** Stops following until the next `run`. `reason` is a sentence. */
	suspend(reason: string): void {
		this.controller.abort();
		this.controller = new AbortController();
		this.stop(reason);
	}

	/**
	 * Resolves when the service has reported the end of the task. Rejects with the error on which the client gave up (401,
	 * 403, 404, no key), and when the signal aborts.
	 */
	private async read(client: Pick<Client, 'tasks'>, signal: AbortSignal): Promise<void> {
		const formatEntry = createEntryFormatter();
		const from = { fromIndex: this.nextIndex, includeStatus: true, signal };
		const stream = client.tasks.follow(this.target.taskId, from);
		for await (const first of stream) {
			for (const event of [first, ...stream.takeArrived()]) {
				// The consequences of an event can end following.
				signal.throwIfAborted();
				switch (event.type) {
					case 'connected':
						this.heard();
						break;
					case 'log':
						this.heard();
						this.writer.write(formatEntry(event.entry, event.sentAt), event.index, event.index + 1);
						this.recorded.fire(event);
						break;
					case 'status':
						this.heard();
						this.wasActive ||= !isFinalStatus(event.status);
						this.options.onStatus(this, event.status, event.error);
						break;
					case 'gap':
						this.note(followWords.missing(event.from, event.to), event.from, event.to + 1);
						break;
					case 'reconnecting': {
						const { nextIndex, attempt } = event;
						if (isAttemptShown(attempt)) {
							this.note(followWords.reconnecting(nextIndex, attempt, this.causeOf(event)), nextIndex);
						}
						this.setState({ kind: 'reconnecting', nextIndex, attempt, since: this.heardAt });
						break;
					}
					case 'complete':
						return this.end(client, signal, event);
				}
			}
		}
		signal.throwIfAborted();
		throw new ClientError('truncated', 'the log ended before the task did', { retryable: true });
	}

	/** Returns why a connection was lost, on one line; empty if there is nothing to tell a reader. */
	private causeOf({ cause, said, error }: Extract<FollowEvent, { type: 'reconnecting' }>): string {
		if (ClientError.is(error, 'bad-response')) {
			return oneLine(this.options.explain(error, this.target).message, MAXIMUM_EXPLANATION);
		}
		// A bare code (`ECONNRESET`) tells a reader less than the sentence without it.
		return said !== undefined || /\s/.test(cause.trim()) ? oneLine(said ?? cause, MAXIMUM_CAUSE) : '';
	}

	private heard(): void {
		const { kind } = this.currentState;
		this.heardAt = Date.now();
		if (kind === 'reconnecting') {
			this.note(followWords.resumed(this.nextIndex), this.nextIndex);
		}
		if (kind === 'reconnecting' || kind === 'connecting') {
			this.setState({ kind: 'live' });
		}
	}

	private async end(
		client: Pick<Client, 'tasks'>,
		signal: AbortSignal,
		{ status, message }: { status: string; message: string | undefined },
	): Promise<void> {
		const { taskId } = this.target;
		// The stream only reports how the task ended, and the task itself says why. Without it the line below is less
		// detailed, but not wrong.
		const read = await client.tasks.get(taskId).catch(() => undefined);
		signal.throwIfAborted();
		const task: Task = read && !isActiveTask(read) ? read : ({ ...read, id: taskId, status } as Task);
		const kind = outcomeOf(task);
		const reason = oneLine(task.error ?? (read || kind === 'completed' ? '' : (message ?? '')), MAXIMUM_ERROR);
		const word = kind === 'active' ? oneLine(status, MAXIMUM_TITLE) : outcome(kind);
		const saysItself = reason.toLowerCase().startsWith(word.toLowerCase());
		this.writeLast(followWords.ended(reason === '' ? word : saysItself ? reason : `${word}: ${reason}`));
		this.options.onEnd(this, task);
		this.setState({ kind: 'ended' });
	}

	private stop(reason: string): void {
		this.writeLast(followWords.notFollowed(reason));
		this.setState({ kind: 'failed', reason });
	}

	private writeLast(line: string): void {
		this.lastLine = this.note(line, this.nextIndex);
		this.writer.finish();
	}

	/** Writes a line of Errand's own before the entry `index`. The log continues with the entry `next`. */
	private note(note: string, index: number, next = index): LogRecord {
		const record = { index, note, next };
		this.writer.write([note], index, next);
		this.recorded.fire(record);
		return record;
	}

	private setState(state: FollowState): void {
		this.currentState = state;
		this.options.onState(this);
	}

	dispose(): void {
		this.controller.abort();
		this.recorded.dispose();
		this.writer.dispose();
		this.channel.dispose();
	}
}
