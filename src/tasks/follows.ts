import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import type { Client } from '../client/client.ts';
import { ClientError } from '../client/core/errors.ts';
import type { Task } from '../contract/tasks.ts';
import { showExplanation } from '../platform/notify.ts';
import type { FollowState } from './model/followState.ts';
import { firstLine } from './model/plainText.ts';
import { outcomeOf } from './model/taskGroups.ts';
import { FOLLOWED_KEY } from './storageKeys.ts';
import { type FollowListener, type FollowTarget, TaskFollow } from './taskFollow.ts';
import { outcome, rowWords } from './words.ts';

/** How many logs of tasks that are over stay open: the editor holds the whole text of each. */
const MAXIMUM_ENDED = 12;

/** How often the place in the logs is written down, in milliseconds. */
const SAVE_MS = 1000;
const MAXIMUM_NOTE = 60;

interface StoredFollow {
	connection: string;
	taskId: string;
	nextIndex: number;
	title: string;
}

export interface FollowsDependencies {
	workspaceState: vscode.Memento;
	client(): Promise<Pick<Client, 'tasks'>>;
	/** What a follow learns of a task. Only called for tasks of the connection by that name. */
	onStatus(connection: string, taskId: string, status: string, error: string | undefined): void;
	onTask(connection: string, task: Task): void;
}

/** The tasks that this window follows, also across reloads. */
export class Follows implements Disposable {
	private readonly dependencies: FollowsDependencies;
	private readonly changed = new Emitter<{ connection: string; taskId: string }>();
	/** A followed task's state changed. */
	readonly onDidChange = this.changed.event;

	private readonly follows = new Map<string, TaskFollow>();
	/** What a reload of the window goes on with, by the same keys. */
	private readonly stored = new Map<string, StoredFollow>();
	private saving: ReturnType<typeof setTimeout> | undefined;

	constructor(dependencies: FollowsDependencies) {
		this.dependencies = dependencies;
		for (const entry of readStored(dependencies.workspaceState.get(FOLLOWED_KEY))) {
			this.stored.set(keyOf(entry.connection, entry.taskId), entry);
		}
	}

	state(connection: string, taskId: string): FollowState | undefined {
		return this.follows.get(keyOf(connection, taskId))?.state;
	}

	/** True while any log is read or waited for. */
	get isFollowing(): boolean {
		return [...this.follows.values()].some(follow => follow.isFollowing);
	}

	/** Follows a task unless that is under way, and shows its log. One that failed goes on where it stood. */
	open(target: Omit<FollowTarget, 'nextIndex'>, isActive: boolean): void {
		const follow = this.start({ ...target, nextIndex: 0 }, isActive, false);
		follow.show();
	}

	/** Goes on with what was followed on this connection before a reload, or before its key was refused. */
	resume(connection: FollowTarget['connection']): void {
		for (const entry of [...this.stored.values()]) {
			if (entry.connection === connection.name) {
				this.start({ connection, taskId: entry.taskId, title: entry.title, nextIndex: entry.nextIndex }, true, true);
			}
		}
	}

	private start(target: FollowTarget, isActive: boolean, isResumed: boolean): TaskFollow {
		const key = keyOf(target.connection.name, target.taskId);
		let follow = this.follows.get(key);
		// A task that is active again after its end (a further prompt) goes on in the same log.
		if (follow && (follow.isFollowing || (follow.state.kind === 'ended' && !isActive))) {
			return follow;
		}
		if (!follow) {
			follow = new TaskFollow(target, this.listener);
			this.follows.set(key, follow);
		}
		follow.wasActive ||= isActive;
		if (isActive) {
			this.stored.set(key, {
				connection: target.connection.name,
				taskId: target.taskId,
				nextIndex: Math.max(target.nextIndex, follow.nextIndex),
				title: firstLine(target.title, MAXIMUM_NOTE),
			});
			this.save();
		}
		void this.run(key, follow, isResumed);
		return follow;
	}

	private async run(key: string, follow: TaskFollow, isResumed: boolean): Promise<void> {
		await follow.run(this.dependencies.client);
		if (follow.failure) {
			if (ClientError.is(follow.failure.error, 'not-found')) {
				this.forget(key);
			}
			if (!isResumed) {
				await showExplanation(follow.failure.explanation);
			}
		} else if (follow.final) {
			this.forget(key);
			this.dropOldest();
			await this.tellEnd(follow, follow.final);
		}
	}

	/** One message for a task that ended out of sight. */
	private async tellEnd(follow: TaskFollow, task: Task): Promise<void> {
		const kind = outcomeOf(task);
		if (!follow.wasActive || follow.isVisible || kind === 'active') {
			return;
		}
		const open = vscode.l10n.t('Open Log');
		const title = firstLine(follow.target.title, MAXIMUM_NOTE) || rowWords.untitled;
		const message = vscode.l10n.t('“{0}”: {1}.', title, outcome(kind));
		if ((await vscode.window.showInformationMessage(message, open)) === open) {
			follow.show();
		}
	}

	private readonly listener: FollowListener = {
		onState: ({ target }) => this.changed.fire({ connection: target.connection.name, taskId: target.taskId }),
		onStatus: ({ target }, status, error) =>
			this.dependencies.onStatus(target.connection.name, target.taskId, status, error),
		onTask: ({ target }, task) => this.dependencies.onTask(target.connection.name, task),
		onNextIndex: ({ target, nextIndex }) => {
			const entry = this.stored.get(keyOf(target.connection.name, target.taskId));
			if (entry && nextIndex > entry.nextIndex) {
				entry.nextIndex = nextIndex;
				this.saving ??= setTimeout(() => this.save(), SAVE_MS);
			}
		},
	};

	private forget(key: string): void {
		if (this.stored.delete(key)) {
			this.save();
		}
	}

	private save(): void {
		clearTimeout(this.saving);
		this.saving = undefined;
		const entries = [...this.stored.values()];
		void this.dependencies.workspaceState.update(FOLLOWED_KEY, entries.length === 0 ? undefined : entries);
	}

	private dropOldest(): void {
		const ended = [...this.follows].filter(([, follow]) => follow.state.kind === 'ended' && !follow.isVisible);
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

/** What an earlier version of Errand wrote down may have another shape: what does not fit is left out. */
function readStored(value: unknown): StoredFollow[] {
	return (Array.isArray(value) ? value : []).filter(
		(entry: Partial<StoredFollow> | null): entry is StoredFollow =>
			typeof entry?.connection === 'string' &&
			typeof entry.taskId === 'string' &&
			typeof entry.title === 'string' &&
			Number.isSafeInteger(entry.nextIndex),
	);
}
