import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { explainError, showMessage } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import type { ActiveConnection } from './activeConnection.ts';
import { type FollowedLog, FollowStatusItem } from './followStatusItem.ts';
import { Follows } from './follows.ts';
import type { KeptLogs } from './keptLog.ts';
import { LogDocuments, type Reopened } from './logDocument/logDocuments.ts';
import { LogTabs } from './logDocument/logTabs.ts';
import { type FollowState, isFollowing } from './model/followState.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import { showTaskNotice } from './taskNotice.ts';
import { TaskNotices } from './taskNotices.ts';
import type { TaskStore } from './taskStore.ts';

/** The maximum length of a title in the name of a saved log. */
const MAXIMUM_NAME = 40;

export interface TaskLogsDependencies {
	workspaceState: vscode.Memento;
	keptLogs: KeptLogs | undefined;
	store: TaskStore;
	active: ActiveConnection;
	/** Called when the follow state of a task of the active connection has changed. */
	onFollowChanged(taskId: string): void;
	explain(error: unknown): void;
}

/**
 * The logs of tasks: followed in channels, shown as documents, summarised in the status bar, and announced in a notice
 * when the task ends.
 */
export class TaskLogs implements Disposable {
	readonly documents: LogDocuments;
	private readonly dependencies: TaskLogsDependencies;
	private readonly disposables = new DisposableStore();
	private readonly follows: Follows;
	private readonly notices: TaskNotices;
	private readonly statusItem: FollowStatusItem;
	private readonly tabs: LogTabs;

	constructor(dependencies: TaskLogsDependencies) {
		const { store, active, explain } = dependencies;
		this.dependencies = dependencies;
		this.follows = this.disposables.add(
			new Follows({
				workspaceState: dependencies.workspaceState,
				keptLogs: dependencies.keptLogs,
				onStatus: (connection, id, status, error) => {
					if (active.is(connection)) {
						store.setStatus(id, status, error);
					}
				},
				onTask: (connection, task, wasActive) => {
					if (active.is(connection)) {
						store.put({ ...store.get(task.id), ...task });
					}
					if (wasActive) {
						this.notices.ended(connection, task);
					}
				},
				onGoesOn: (connection, taskId) => this.notices.goesOn(connection, taskId),
			}),
		);
		this.documents = this.disposables.add(
			new LogDocuments({ explain, reopen: (connection, taskId) => this.reopen(connection, taskId) }),
		);
		this.tabs = this.disposables.add(new LogTabs(dependencies.workspaceState));
		this.notices = new TaskNotices({
			isQuiet: (connection, taskId) => !readSetting('errand.tasks.notify') || this.isLookedAt(connection, taskId),
			tell: (connection, task) => void showTaskNotice(task, () => void this.openNoticed(connection, task)),
		});
		this.statusItem = this.disposables.add(new FollowStatusItem());
		this.disposables.add(store.onDidChange(() => this.noticeEnds()));
		this.disposables.add(
			this.follows.onDidChange(({ connection, taskId }) => {
				if (active.is(connection)) {
					this.showFollowed();
					dependencies.onFollowChanged(taskId);
				}
			}),
		);
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => this.showFollowed()));
	}

	/** Returns the follow state of a task of the active connection, or undefined where it is not followed. */
	state(taskId: string): FollowState | undefined {
		const { current } = this.dependencies.active;
		return current && this.follows.state(current.name, taskId);
	}

	/** Returns the logs that are followed on the active connection. */
	followed(): FollowedLog[] {
		const { current } = this.dependencies.active;
		return current ? this.follows.list(current.name) : [];
	}

	/** Updates the status bar, which is also necessary after the connection was switched. */
	showFollowed(): void {
		this.statusItem.show(this.followed());
	}

	/** Follows a task in its channel and shows that channel. */
	show(id: string, target: TaskTarget, { task, takesFocus }: { task?: Task; takesFocus?: boolean } = {}): void {
		this.follow(id, target, task).show(takesFocus);
		this.showFollowed();
	}

	/** Follows a task and shows its log as a document. */
	async showDocument(id: string, target: TaskTarget): Promise<void> {
		const follow = this.follow(id, target);
		await follow.restored;
		await this.documents.show(follow, target.client).catch(error => this.dependencies.explain(error));
	}

	/** Writes the whole log into the given file, or into one that the user is asked for. */
	async save(id: string, { client }: TaskTarget, file: vscode.Uri | undefined): Promise<void> {
		if (file) {
			await this.documents.saveTo(file, client, id);
		} else {
			const task = this.dependencies.store.get(id);
			await this.documents.save(client, id, task ? taskTitle(task, id, MAXIMUM_NAME) : id);
		}
	}

	/** Shows the documents again that were open before a reload. */
	restoreDocuments(): Promise<void> {
		return this.tabs.restore();
	}

	/** Resumes what was followed on a connection before a reload, or before another one became active. */
	resume({ client, connection }: TaskTarget): void {
		this.follows.resume(client, connection);
		this.documents.reopenAll();
	}

	/** Stops following the logs of a connection until `resume`. `reason` is a sentence. */
	suspend(connection: string, reason: string): void {
		this.follows.suspend(connection, reason);
	}

	/** Follows the task of a document that the editor restored after a reload. */
	private async reopen(connection: string, taskId: string): Promise<Reopened> {
		const { active, store } = this.dependencies;
		try {
			const target = await active.target();
			if (target.connection.name !== connection) {
				return {
					reason: vscode.l10n.t(
						'This log is of the connection “{0}”, and “{1}” is active. Switch to it to read the log.',
						connection,
						target.connection.label,
					),
				};
			}
			// Follows from before the reload are resumed first, so that they continue at their last position.
			this.follows.resume(target.client, target.connection);
			const task = store.get(taskId) ?? (this.state(taskId) ? undefined : await target.client.tasks.get(taskId));
			const follow = this.follow(taskId, target, task);
			await follow.restored;
			return { source: follow, client: target.client };
		} catch (error) {
			return { reason: explainError(error, active.label).message };
		}
	}

	private follow(id: string, { client, connection }: TaskTarget, task = this.dependencies.store.get(id)) {
		const isActive = task !== undefined && isActiveTask(task);
		return this.follows.open(client, { connection, taskId: id, title: task?.prompt ?? '' }, isActive);
	}

	/** Whether the user can see the log. */
	private isLookedAt(connection: string, taskId: string): boolean {
		const isVisible = this.follows.isVisible(connection, taskId) || this.documents.isVisible(connection, taskId);
		return vscode.window.state.focused && isVisible;
	}

	/** A notice may stay for hours, so another connection may be active by then. */
	private async openNoticed(connection: string, task: Task): Promise<void> {
		const { active, explain } = this.dependencies;
		try {
			const target = await active.target();
			if (target.connection.name === connection) {
				this.show(task.id, target, { task, takesFocus: true });
			} else {
				void showMessage(
					'information',
					vscode.l10n.t('The task ran on the connection “{0}”. Switch to it to open its log.', connection),
				);
			}
		} catch (error) {
			explain(error);
		}
	}

	private noticeEnds(): void {
		const { store, active } = this.dependencies;
		if (active.current) {
			for (const task of store.all()) {
				// A followed task reports its end itself, with the whole record.
				if (isActiveTask(task) || !isFollowing(this.state(task.id))) {
					this.notices.see(active.current.name, task);
				}
			}
		}
	}

	dispose(): void {
		this.disposables.dispose();
	}
}
