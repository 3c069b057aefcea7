import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { ClientError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { firstLine, oneLine } from '../base/plainText.ts';
import type { Client } from '../client/types.ts';
import { isActiveTask, isFinalStatus, type Task } from '../contract/tasks.ts';
import { type Explanation, explainError } from '../platform/notify.ts';
import { followWords, leftOut, outcome, stateLine } from './common/messages.ts';
import { type FollowEnd, followLog } from './followLog.ts';
import type { KeptLog } from './keptLog.ts';
import { LogChannel } from './logChannel.ts';
import { LogWriter, MAXIMUM_LINES } from './logWriter.ts';
import { type FollowState, isFollowing } from './model/followState.ts';
import type { LogRecord } from './model/logRecord.ts';
import { outcomeOf } from './model/taskGroups.ts';

const MAXIMUM_TITLE = 40;
const SHORT_ID = 8;
const MAXIMUM_ERROR = 300;

export interface FollowTarget {
	connection: { name: string; label: string };
	taskId: string;
	/** The prompt, as far as it is known. */
	title: string;
	/** The index of the next entry when following ended with the window; 0 for a task that was not followed before. */
	nextIndex: number;
}

export interface FollowListener {
	onState(follow: TaskFollow): void;
	onStatus(follow: TaskFollow, status: string, error: string | undefined): void;
	onNextIndex(follow: TaskFollow): void;
	/** Called with the task as it was read after its log had ended. */
	onTask(follow: TaskFollow, task: Task): void;
}

/** A followed task with its output channel, which outlives a failed attempt to follow. */
export class TaskFollow implements Disposable {
	readonly target: FollowTarget;
	/** The error that ended following before the task had ended. */
	failure: { explanation: Explanation; error: unknown } | undefined;
	/** Whether the task was seen running, so that its end is news. */
	wasActive = false;
	/** The task's record after its end. */
	final: Task | undefined;

	/** The line that was written when following ended. */
	lastLine: LogRecord | undefined;
	private readonly recorded = new Emitter<LogRecord>();
	/** Fires for everything that is written to the log from now on. */
	readonly onRecord = this.recorded.event;

	/** The prompt and the end of the task's id. */
	readonly name: string;
	private readonly channel: LogChannel;
	private readonly writer: LogWriter;
	private readonly kept: KeptLog | undefined;
	private isRestored = false;
	/** Settles when `nextIndex` is the index at which this window continues. Never rejects. */
	restored: Promise<void> = Promise.resolve();
	private readonly listener: FollowListener;
	private controller = new AbortController();
	private currentState: FollowState = { kind: 'connecting' };
	private next: number;

	/** `kept` stores what the channel shows, for the window after a reload. */
	constructor(target: FollowTarget, listener: FollowListener, kept: KeptLog | undefined) {
		this.kept = kept;
		this.target = target;
		this.listener = listener;
		// The end of an id distinguishes tasks of the same moment where ids begin with a time.
		const shortId = oneLine(target.taskId.slice(-SHORT_ID), SHORT_ID);
		const title = firstLine(target.title, MAXIMUM_TITLE);
		this.name = title === '' ? shortId : `${title} (${shortId})`;
		this.channel = new LogChannel(`Errand: ${this.name}`);
		this.writer = new LogWriter(this.channel, leftOut, kept);
		this.next = Math.max(0, target.nextIndex - MAXIMUM_LINES);
	}

	get state(): FollowState {
		return this.currentState;
	}

	get nextIndex(): number {
		return this.next;
	}

	get isFollowing(): boolean {
		return isFollowing(this.currentState);
	}

	/** Shows the output channel. */
	show(takesFocus = false): void {
		this.channel.show(!takesFocus);
	}

	get isVisible(): boolean {
		return this.channel.isVisible;
	}

	/** Follows the log to the end of the task. Never rejects; see `state` and `failure`. */
	async run(client: Pick<Client, 'tasks'>): Promise<void> {
		const { signal } = this.controller;
		this.failure = undefined;
		this.lastLine = undefined;
		this.final = undefined;
		this.setState({ kind: 'connecting' });
		try {
			const restored = this.restore();
			this.restored = restored.catch(() => {});
			await restored;
			signal.throwIfAborted();
			const end = await followLog({
				client,
				taskId: this.target.taskId,
				fromIndex: this.next,
				writer: this.writer,
				words: followWords,
				signal,
				onState: state => this.setState(state),
				onStatus: (status, error) => {
					this.wasActive ||= !isFinalStatus(status);
					this.listener.onStatus(this, status, error);
				},
				onRecord: (record, nextIndex) => {
					this.next = nextIndex;
					this.recorded.fire(record);
					this.listener.onNextIndex(this);
				},
				now: () => Date.now(),
			});
			await this.end(client, end);
		} catch (error) {
			if (!signal.aborted) {
				this.fail(error);
			}
		}
	}

	/**
	 * The channel of a reloaded window is empty. It gets the stored lines; without them, the last entries are read again,
	 * up to the channel's maximum.
	 */
	private async restore(): Promise<void> {
		if (this.isRestored || this.target.nextIndex === 0) {
			return;
		}
		this.isRestored = true;
		const kept = await this.kept?.read();
		const first = kept ? (kept.indexes[0] ?? kept.next) : this.next;
		if (first > 0 && kept?.lines[0] !== leftOut(first)) {
			this.writer.write([leftOut(first)], first);
		}
		if (kept) {
			this.next = kept.next;
			this.writer.restore(kept);
		}
	}

	private async end(client: Pick<Client, 'tasks'>, { status, message }: FollowEnd): Promise<void> {
		const { taskId } = this.target;
		// The stream only says how the task ended, and the task itself says why. Without it the line below is less
		// detailed, but not wrong.
		const read = await client.tasks.get(taskId).catch(() => undefined);
		this.controller.signal.throwIfAborted();
		const task: Task = read && !isActiveTask(read) ? read : ({ ...read, id: taskId, status } as Task);
		const kind = outcomeOf(task);
		const reason = oneLine(task.error ?? (read || kind === 'completed' ? '' : (message ?? '')), MAXIMUM_ERROR);
		const word = kind === 'active' ? oneLine(status, MAXIMUM_TITLE) : outcome(kind);
		const saysItself = reason.toLowerCase().startsWith(word.toLowerCase());
		this.writeLast(stateLine(reason === '' ? word : saysItself ? reason : `${word}: ${reason}`));
		this.final = task;
		this.listener.onTask(this, task);
		this.setState({ kind: 'ended' });
	}

	/** Stops following until the next `run`. `reason` is a sentence. */
	suspend(reason: string): void {
		this.controller.abort();
		this.controller = new AbortController();
		this.writeLast(stateLine(vscode.l10n.t('no longer followed: {0}', reason)));
		this.setState({ kind: 'failed', reason });
	}

	/** Removes the stored lines, because no later window resumes this log. */
	forgetKept(): Promise<void> | undefined {
		return this.kept?.remove();
	}

	private fail(error: unknown): void {
		const explanation = ClientError.is(error, 'not-found')
			? {
					message: vscode.l10n.t(
						'{0} has no task “{1}” that you may see. Check the id and the connection.',
						this.target.connection.label,
						oneLine(this.target.taskId, MAXIMUM_TITLE),
					),
				}
			: explainError(error, this.target.connection.label);
		this.failure = { explanation, error };
		this.writeLast(stateLine(vscode.l10n.t('no longer followed: {0}', explanation.message)));
		this.setState({ kind: 'failed', reason: explanation.message });
	}

	private writeLast(line: string): void {
		this.writer.write([line], this.next);
		this.writer.finish();
		this.lastLine = { index: this.next, note: line, next: this.next };
		this.recorded.fire(this.lastLine);
	}

	private setState(state: FollowState): void {
		this.currentState = state;
		this.listener.onState(this);
	}

	dispose(): void {
		this.controller.abort();
		this.recorded.dispose();
		this.writer.dispose();
		this.channel.dispose();
	}
}
