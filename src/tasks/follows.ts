import type * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { ClientError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { firstLine } from '../base/plainText.ts';
import type { Client } from '../client/types.ts';
import { isFinalStatus, type Task } from '../contract/tasks.ts';
import { showExplanation } from '../platform/notify.ts';
import { StateEntries } from '../platform/sharedState.ts';
import type { FollowedLog } from './followStatusItem.ts';
import type { KeptLogs } from './keptLog.ts';
import type { FollowState } from './model/followState.ts';
import { FOLLOWED_ENTRIES } from './model/storageKeys.ts';
import { type FollowListener, type FollowTarget, TaskFollow } from './taskFollow.ts';

/** How many logs that get no more entries stay open, because the editor holds the whole text of each. */
const MAXIMUM_ENDED = 12;

/** How often the positions in the logs are saved, in milliseconds. */
const SAVE_MS = 1000;
const MAXIMUM_NOTE = 60;

/** The client of the connection that a follow names, even if another one is active later. */
type TasksClient = Pick<Client, 'tasks'>;

interface StoredFollow {
	connection: string;
	taskId: string;
	nextIndex: number;
	title: string;
}

export interface FollowsDependencies {
	workspaceState: vscode.Memento;
	/** Undefined where the window has no storage for them. */
	keptLogs?: KeptLogs | undefined;
	/** Called with what a follow learns about a task. */
	onStatus(connection: string, taskId: string, status: string, error: string | undefined): void;
	/** `wasActive`: the task was seen running, so that its end is news. */
	onTask(connection: string, task: Task, wasActive: boolean): void;
	/** Called when a log is followed further after its task had ended. */
	onGoesOn(connection: string, taskId: string): void;
}

/** The tasks that this window follows, across reloads. */
export class Follows implements Disposable {
	private readonly dependencies: FollowsDependencies;
	private readonly changed = new Emitter<{ connection: string; taskId: string }>();
	/** Fires when the state of a followed task changes. */
	readonly onDidChange = this.changed.event;

	private readonly follows = new Map<string, TaskFollow>();
	/** The follows that a reload of the window resumes, with the same keys. */
	private readonly stored = new Map<string, StoredFollow>();
	private readonly entries: StateEntries<StoredFollow>;
	/** The keys of follows whose position has changed since it was saved. */
	private readonly moved = new Set<string>();
	private saving: ReturnType<typeof setTimeout> | undefined;

	constructor(dependencies: FollowsDependencies) {
		this.dependencies = dependencies;
		this.entries = new StateEntries(dependencies.workspaceState, FOLLOWED_ENTRIES, isStoredFollow);
		for (const entry of this.entries.values()) {
			this.stored.set(keyOf(entry.connection, entry.taskId), entry);
		}
		void dependencies.keptLogs?.prune(this.stored.keys());
	}

	state(connection: string, taskId: string): FollowState | undefined {
		return this.follows.get(keyOf(connection, taskId))?.state;
	}

	/**
	 * Returns the logs that a status line can describe: those being followed, and visible ones that are no longer
	 * followed.
	 */
	list(connection: string): FollowedLog[] {
		return [...this.follows.values()]
			.filter(
				({ target, isFollowing, isVisible }) => target.connection.name === connection && (isFollowing || isVisible),
			)
			.map(({ target: { taskId, title }, state }) => ({ taskId, title, state }));
	}

	isVisible(connection: string, taskId: string): boolean {
		return this.follows.get(keyOf(connection, taskId))?.isVisible === true;
	}

	/** Follows a task unless it is being followed already. A follow that failed continues at its last position. */
	open(client: TasksClient, target: Omit<FollowTarget, 'nextIndex'>, isActive: boolean): TaskFollow {
		return this.start(client, { ...target, nextIndex: 0 }, isActive, false);
	}

	/** Resumes what was followed on this connection before a reload, or before its key was refused. */
	resume(client: TasksClient, connection: FollowTarget['connection']): void {
		for (const entry of [...this.stored.values()]) {
			if (entry.connection === connection.name) {
				const { taskId, title, nextIndex } = entry;
				this.start(client, { connection, taskId, title, nextIndex }, true, true);
			}
		}
	}

	/** Stops following the logs of a connection until `resume`. `reason` is a sentence. */
	suspend(connection: string, reason: string): void {
		for (const follow of this.follows.values()) {
			if (follow.isFollowing && follow.target.connection.name === connection) {
				follow.suspend(reason);
			}
		}
	}

	private start(client: TasksClient, target: FollowTarget, isActive: boolean, isResumed: boolean): TaskFollow {
		const key = keyOf(target.connection.name, target.taskId);
		let follow = this.follows.get(key);
		// A task that is active again after its end, because of a further prompt, continues in the same log.
		if (follow && (follow.isFollowing || (follow.state.kind === 'ended' && !isActive))) {
			return follow;
		}
		if (follow?.state.kind === 'ended') {
			this.dependencies.onGoesOn(target.connection.name, target.taskId);
		}
		if (!follow) {
			// A log that is not resumed after a reload is not kept for it.
			const kept = isActive ? this.dependencies.keptLogs?.of(key) : undefined;
			follow = new TaskFollow(target, this.listener, kept);
			this.follows.set(key, follow);
		}
		follow.wasActive ||= isActive;
		if (isActive) {
			this.remember(key, follow);
		}
		void this.run(client, key, follow, isResumed);
		return follow;
	}

	/** Records the follow, so that a reload of the window resumes it. */
	private remember(key: string, { target, nextIndex }: TaskFollow): void {
		if (!this.stored.has(key)) {
			const entry = {
				connection: target.connection.name,
				taskId: target.taskId,
				nextIndex,
				title: firstLine(target.title, MAXIMUM_NOTE),
			};
			this.stored.set(key, entry);
			this.entries.note(key, entry);
		}
	}

	private async run(client: TasksClient, key: string, follow: TaskFollow, isResumed: boolean): Promise<void> {
		await follow.run(client);
		if (follow.failure) {
			if (ClientError.is(follow.failure.error, 'not-found')) {
				this.forget(key);
			}
			this.dropOldest();
			if (!isResumed) {
				await showExplanation(follow.failure.explanation);
			}
		} else if (follow.final) {
			this.forget(key);
			this.dropOldest();
		}
	}

	private readonly listener: FollowListener = {
		onState: ({ target }) => this.changed.fire({ connection: target.connection.name, taskId: target.taskId }),
		onStatus: (follow, status, error) => {
			const { connection, taskId } = follow.target;
			// For a task that was opened by its id, this is the first sign that it is active.
			if (!isFinalStatus(status)) {
				this.remember(keyOf(connection.name, taskId), follow);
			}
			this.dependencies.onStatus(connection.name, taskId, status, error);
		},
		onTask: (follow, task) => {
			const { connection, title } = follow.target;
			// A task that cannot be read by its id keeps the title that it was opened with.
			this.dependencies.onTask(connection.name, { ...task, prompt: task.prompt || title }, follow.wasActive);
		},
		onNextIndex: ({ target, nextIndex }) => {
			const key = keyOf(target.connection.name, target.taskId);
			const entry = this.stored.get(key);
			if (entry && nextIndex > entry.nextIndex) {
				entry.nextIndex = nextIndex;
				this.moved.add(key);
				this.saving ??= setTimeout(() => this.save(), SAVE_MS);
			}
		},
	};

	private forget(key: string): void {
		if (this.stored.delete(key)) {
			this.entries.note(key);
			void this.follows.get(key)?.forgetKept();
		}
	}

	private save(): void {
		clearTimeout(this.saving);
		this.saving = undefined;
		for (const key of this.moved) {
			const entry = this.stored.get(key);
			// Another window may have removed the entry, because it saw the task's end before this one.
			if (entry && this.entries.get(key)) {
				this.entries.note(key, entry);
			}
		}
		this.moved.clear();
	}

	private dropOldest(): void {
		const ended = [...this.follows].filter(([, follow]) => !follow.isFollowing && !follow.isVisible);
		for (const [key, follow] of ended.slice(0, Math.max(0, ended.length - MAXIMUM_ENDED))) {
			this.follows.delete(key);
			follow.dispose();
		}
	}

	dispose(): void {
		if (this.saving !== undefined) {
			this.save();
		}
		for (const follow of this.follows.values()) {
			follow.dispose();
		}
		this.follows.clear();
		this.changed.dispose();
	}
}

function keyOf(connection: string, taskId: string): string {
	return JSON.stringify([connection, taskId]);
}

function isStoredFollow(value: unknown): value is StoredFollow {
	const entry = value as Partial<StoredFollow> | null;
	return (
		typeof entry?.connection === 'string' &&
		typeof entry.taskId === 'string' &&
		typeof entry.title === 'string' &&
		Number.isSafeInteger(entry.nextIndex)
	);
}
