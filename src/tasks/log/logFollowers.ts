import * as vscode from 'vscode';
import * as z from 'zod';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { escapeIcons, firstLine, oneLine } from '../../base/plainText.ts';
import type { Client } from '../../client/types.ts';
import { isActiveTask, isFinalStatus, type Task } from '../../contract/tasks.ts';
import { commands } from '../../platform/ids.ts';
import { type Explanation, explainError, showExplanation } from '../../platform/notify.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import { TaskEntries } from '../common/taskEntries.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { type FollowState, isFollowing, staleSince } from '../model/followState.ts';
import { FOLLOWED_ENTRIES } from '../model/storageKeys.ts';
import { type TaskEnds, taskKey } from '../model/taskEnds.ts';
import { LogChannel } from './logChannel.ts';
import type { LogFiles } from './logFile.ts';
import { type FollowTarget, LogFollower, type LogFollowerOptions } from './logFollower.ts';
import type { FoundLog } from './openLog.ts';

/** The number of ended logs that stay open, because the editor holds the whole text of each. */
const MAXIMUM_ENDED = 12;

const MAXIMUM_NOTE = 60;
const MAXIMUM_TITLE = 24;
const MAXIMUM_ID = 40;

/** A connection with its client, which is used for a log even if another connection is active later. */
export interface LogTarget {
	connection: FollowTarget['connection'];
	client: Pick<Client, 'tasks'>;
}

/**
 * A followed task in the workspace's state. The content of its channel, and the last entry in it, are in a file of
 * their own.
 */
const storedSchema = z.object({ connection: z.string(), taskId: z.string(), title: z.string() });

export interface LogFollowersDependencies {
	workspaceState: vscode.Memento;
	/** Undefined if the window has no storage for them: then such logs are read from their start after a reload. */
	logFiles: LogFiles | undefined;
	store: TaskListStore;
	active: ActiveConnection;
	ends: TaskEnds;
}

/** A followed log, for a single line of text. */
export interface FollowSummary {
	taskId: string;
	title: string;
	state: FollowState;
}

/** The order of importance: trouble before progress, progress before ended logs. */
const order: Record<FollowState['kind'], number> = { failed: 0, reconnecting: 1, connecting: 2, live: 3, ended: 4 };

/** Returns the log that a single line should describe, or undefined if none is followed. */
function foremost(logs: readonly FollowSummary[]): FollowSummary | undefined {
	return [...logs].sort((one, other) => order[one.state.kind] - order[other.state.kind])[0];
}

/** Returns “Title: live”, or the state of the foremost of several logs and their number. */
export function followLine(logs: readonly FollowSummary[]): string | undefined {
	const log = foremost(logs);
	if (!log) {
		return undefined;
	}
	const title = firstLine(log.title, MAXIMUM_TITLE) || rowWords.untitled;
	const line = vscode.l10n.t('{0}: {1}', title, rowWords.follow(log.state) ?? vscode.l10n.t('ended'));
	return logs.length === 1 ? line : vscode.l10n.t('{0} ({1} followed)', line, logs.length);
}

/** The status bar item for followed logs, which opens the foremost one. */
class FollowStatusItem implements Disposable {
	private readonly item: vscode.StatusBarItem;

	constructor() {
		this.item = vscode.window.createStatusBarItem('errand.follow', vscode.StatusBarAlignment.Left, 0);
		this.item.name = vscode.l10n.t('Followed tasks');
	}

	show(logs: readonly FollowSummary[]): void {
		const log = foremost(logs);
		const line = followLine(logs);
		if (!log || line === undefined) {
			this.item.hide();
			return;
		}
		const isTrouble = log.state.kind === 'failed' || staleSince(log.state, Date.now()) !== undefined;
		// Only the icon is Errand's own; text from the task must not become one.
		this.item.text = `$(${iconOf(log.state)}) ${escapeIcons(line)}`;
		this.item.tooltip = vscode.l10n.t('Open the log of this task.');
		this.item.accessibilityInformation = { label: vscode.l10n.t('Followed task {0}', line) };
		this.item.backgroundColor = isTrouble ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
		this.item.command = {
			title: vscode.l10n.t('Open Task Log'),
			command: commands.openTaskLog,
			arguments: [log.taskId],
		};
		this.item.show();
	}

	dispose(): void {
		this.item.dispose();
	}
}

function iconOf(state: FollowState): string {
	switch (state.kind) {
		case 'live':
			return 'radio-tower';
		// The log has ended, whether or not the task has failed.
		case 'ended':
			return 'output';
		case 'failed':
			return 'debug-disconnect';
		default:
			return 'sync';
	}
}

/** The tasks that this window follows, across reloads, each in its output channel and all in the status bar. */
export class LogFollowers implements Disposable {
	private readonly dependencies: LogFollowersDependencies;
	private readonly disposables = new DisposableStore();
	private readonly changed = this.disposables.add(new Emitter<string>());
	/** Fires with the id of a task of the active connection when the state of its log changes. */
	readonly onDidChange = this.changed.event;
	private readonly statusItem = this.disposables.add(new FollowStatusItem());

	private readonly logs = new Map<string, LogFollower>();
	/** The logs with which the window continues after a reload. */
	private readonly stored: TaskEntries<z.infer<typeof storedSchema>>;

	constructor(dependencies: LogFollowersDependencies) {
		this.dependencies = dependencies;
		this.stored = new TaskEntries(dependencies.workspaceState, FOLLOWED_ENTRIES, storedSchema);
		void dependencies.logFiles?.prune(
			this.stored.values().map(({ connection, taskId }) => taskKey(connection, taskId)),
		);
		this.disposables.add(dependencies.store.onDidChange(() => this.seeListedTasks()));
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => this.showStatus()));
	}

	/** Returns the state of the log of a task of the active connection, or undefined if it is not followed. */
	state(taskId: string): FollowState | undefined {
		const { current } = this.dependencies.active;
		return current && this.logs.get(taskKey(current.name, taskId))?.state;
	}

	isVisible(connection: string, taskId: string): boolean {
		return this.logs.get(taskKey(connection, taskId))?.isVisible === true;
	}

	/**
	 * Updates the status bar, which is also necessary after the connection was switched. It can describe the logs of the
	 * active connection: those being followed, and visible ones that are no longer followed.
	 */
	showStatus(): void {
		const { active } = this.dependencies;
		const shown = [...this.logs.values()]
			.filter(({ target, isFollowing, isVisible }) => active.is(target.connection.name) && (isFollowing || isVisible))
			.map(({ target: { taskId, title }, state }) => ({ taskId, title, state }));
		this.statusItem.show(shown);
	}

	/** Follows a task in its channel and shows that channel. */
	show(id: string, target: LogTarget, { task, takesFocus }: { task?: Task; takesFocus?: boolean } = {}): void {
		this.follow(id, target, task).show(takesFocus);
		this.showStatus();
	}

	/** Follows a task unless it is being followed already. A log that failed continues with its next entry. */
	follow(taskId: string, { client, connection }: LogTarget, task = this.dependencies.store.get(taskId)): LogFollower {
		const isActive = task !== undefined && isActiveTask(task);
		return this.start(client, { connection, taskId, title: task?.prompt ?? '' }, isActive, false);
	}

	/** Resumes the logs that were followed on this connection before a reload, or before its key was refused. */
	resume({ client, connection }: LogTarget): void {
		for (const { connection: name, taskId, title } of this.stored.values()) {
			if (name === connection.name) {
				this.start(client, { connection, taskId, title }, true, true);
			}
		}
	}

	/** Stops following the logs of a connection until `resume`. `reason` is a sentence. */
	suspend(connection: string, reason: string): void {
		for (const log of this.logs.values()) {
			if (log.isFollowing && log.target.connection.name === connection) {
				log.suspend(reason);
			}
		}
	}

	/** Follows the task of a document that the editor restored after a reload. */
	async reopen(connection: string, taskId: string): Promise<FoundLog> {
		const { active, store } = this.dependencies;
		const target = await active.targetOf(connection);
		// Logs from before the reload are resumed first, so that they continue with their next entry.
		this.resume(target);
		const task = store.get(taskId) ?? (this.state(taskId) ? undefined : await target.client.tasks.get(taskId));
		const source = this.follow(taskId, target, task);
		await source.restored;
		return { source, client: target.client };
	}

	/** Returns why the log of a task of the active connection cannot be read, and what to do. */
	explain(error: unknown, taskId: string): string {
		return explainLog(error, this.dependencies.active.label, taskId).message;
	}

	private start(client: LogTarget['client'], target: FollowTarget, isActive: boolean, isResumed: boolean): LogFollower {
		const { ends, logFiles } = this.dependencies;
		const key = taskKey(target.connection.name, target.taskId);
		let log = this.logs.get(key);
		// A task that is active again after its end, because of a further prompt, continues in the same log.
		if (log && (log.isFollowing || (log.state.kind === 'ended' && !isActive))) {
			return log;
		}
		if (log?.state.kind === 'ended') {
			ends.goesOn(target.connection.name, target.taskId);
		}
		if (!log) {
			log = new LogFollower(target, this.options, logFiles?.of(key));
			this.logs.set(key, log);
		}
		log.wasActive ||= isActive;
		if (isActive) {
			this.remember(log);
		}
		void this.run(client, log, isResumed);
		return log;
	}

	private async run(client: LogTarget['client'], log: LogFollower, isResumed: boolean): Promise<void> {
		const hasEnded = await log.run(client);
		const { failure } = log;
		if (hasEnded || ClientError.is(failure?.error, 'not-found')) {
			this.forget(log);
		}
		if (hasEnded || failure) {
			this.dropOldest();
		}
		if (failure && !isResumed) {
			await showExplanation(failure.explanation);
		}
	}

	private readonly options: LogFollowerOptions = {
		openChannel: name => new LogChannel(name),
		explain: (error, { connection, taskId }) => explainLog(error, connection.label, taskId),
		onState: ({ target }) => {
			if (this.dependencies.active.is(target.connection.name)) {
				this.showStatus();
				this.changed.fire(target.taskId);
			}
		},
		onStatus: (log, status, error) => {
			const { connection, taskId } = log.target;
			// For a task that was opened by its id, this is the first sign that it is active.
			if (!isFinalStatus(status)) {
				this.remember(log);
			}
			if (this.dependencies.active.is(connection.name)) {
				this.dependencies.store.setStatus(taskId, status, error);
			}
		},
		onEnd: (log, read) => {
			const { active, store, ends } = this.dependencies;
			const { connection, title } = log.target;
			// A task that cannot be read by its id keeps the title that it was opened with.
			const task = { ...read, prompt: read.prompt || title };
			if (active.is(connection.name)) {
				store.put({ ...store.get(task.id), ...task });
			}
			if (log.wasActive) {
				ends.end(connection.name, task);
			}
		},
	};

	/** A followed task reports its end itself, with the whole record. The list reports the end of all others. */
	private seeListedTasks(): void {
		const { store, active, ends } = this.dependencies;
		if (active.current) {
			for (const task of store.all()) {
				if (isActiveTask(task) || !isFollowing(this.state(task.id))) {
					ends.see(active.current.name, task);
				}
			}
		}
	}

	/** Records the log, so that the window continues with it after a reload. */
	private remember(log: LogFollower): void {
		log.keep();
		const { connection, taskId, title } = log.target;
		if (!this.stored.get(connection.name, taskId)) {
			this.stored.set({ connection: connection.name, taskId, title: firstLine(title, MAXIMUM_NOTE) });
		}
	}

	private forget(log: LogFollower): void {
		if (this.stored.delete(log.target.connection.name, log.target.taskId)) {
			log.forget();
		}
	}

	private dropOldest(): void {
		const ended = [...this.logs].filter(([, log]) => !log.isFollowing && !log.isVisible);
		for (const [key, log] of ended.slice(0, Math.max(0, ended.length - MAXIMUM_ENDED))) {
			this.logs.delete(key);
			log.dispose();
		}
	}

	dispose(): void {
		for (const log of this.logs.values()) {
			log.dispose();
		}
		this.logs.clear();
		this.disposables.dispose();
	}
}

/** `label` is that of the connection. */
function explainLog(error: unknown, label: string, taskId: string): Explanation {
	return ClientError.is(error, 'not-found') && !error.isPage
		? {
				message: vscode.l10n.t(
					'{0} has no task “{1}” that you have access to. Check the ID and the connection.',
					label,
					oneLine(taskId, MAXIMUM_ID),
				),
			}
		: explainError(error, label);
}
