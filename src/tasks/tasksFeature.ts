import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { ClientError } from '../client/core/errors.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { explainError, showExplanation } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import { Follows } from './follows.ts';
import { taskTitle } from './model/taskRow.ts';
import { pickActiveTask, pickTaskOrId, taskIdOf } from './pickTask.ts';
import { RefreshTimer } from './refreshTimer.ts';
import type { TaskConnection, TasksDependencies } from './register.ts';
import { TaskLauncher } from './taskLauncher.ts';
import { TaskStore } from './taskStore.ts';
import { MORE_ARGUMENT, TaskTree, type TreeNode } from './taskTree.ts';
import { TaskView } from './taskView.ts';
import { rowWords } from './words.ts';

/** The shortest time between two refreshes, whatever the settings say, in seconds. */
const MINIMUM_INTERVAL = 2;

export interface TasksFeature extends Disposable {
	readonly tree: TaskTree;
	/** Resolves with the id of the task; undefined: dismissed, or failed, which was said. */
	start(argument: unknown): Promise<string | undefined>;
	follow(argument: unknown): Promise<void>;
	openLog(argument: unknown): Promise<void>;
	stop(argument: unknown): Promise<void>;
	refresh(argument: unknown): Promise<void>;
	/** Goes on with what a reload of the window cut short. */
	resume(): Promise<void>;
}

export function createTasksFeature(
	dependencies: TasksDependencies,
	treeView: vscode.TreeView<TreeNode>,
	fireTree: (node: TreeNode | undefined) => void,
): TasksFeature {
	return new Feature(dependencies, treeView, fireTree);
}

/** Ties the list, the followed logs, the view and the commands together. */
class Feature implements TasksFeature {
	readonly tree: TaskTree;
	private readonly dependencies: TasksDependencies;
	private readonly disposables = new DisposableStore();
	private readonly store: TaskStore;
	private readonly follows: Follows;
	private readonly timer: RefreshTimer;
	private readonly view: TaskView;
	private readonly launcher: TaskLauncher;
	private readonly treeView: vscode.TreeView<TreeNode>;
	/** The connection that the rows belong to, once it is known. */
	private connection: TaskConnection | undefined;
	private firstLoad: Promise<void> | undefined;

	constructor(
		dependencies: TasksDependencies,
		treeView: vscode.TreeView<TreeNode>,
		fireTree: (node: TreeNode | undefined) => void,
	) {
		this.dependencies = dependencies;
		this.treeView = treeView;
		this.store = this.disposables.add(new TaskStore(dependencies.client, systemClock));
		this.follows = this.disposables.add(
			new Follows({
				workspaceState: dependencies.workspaceState,
				client: dependencies.client,
				onStatus: (connection, id, status, error) => {
					if (connection === this.connection?.name) {
						this.store.setStatus(id, status, error);
					}
				},
				onTask: (connection, task) => {
					if (connection === this.connection?.name) {
						this.store.put({ ...this.store.get(task.id), ...task });
					}
				},
			}),
		);
		this.tree = new TaskTree({
			store: this.store,
			followState: id => this.connection && this.follows.state(this.connection.name, id),
			firstLoad: () => this.load(),
		});
		this.view = this.disposables.add(
			new TaskView({ treeView, store: this.store, tree: this.tree, fireTree, label: () => this.connection?.label }),
		);
		this.launcher = new TaskLauncher({
			workspaceState: dependencies.workspaceState,
			client: dependencies.client,
			tasks: () => this.store.all(),
			connection: () => this.readConnection(),
			load: () => this.load(),
			started: (task, connection) => this.started(task, connection),
			explain: error => this.explain(error),
		});
		this.timer = this.disposables.add(
			new RefreshTimer({
				isNeeded: () => this.isRefreshNeeded(),
				intervalMs: () => Math.max(MINIMUM_INTERVAL, readSetting('errand.tasks.refreshInterval') || 0) * 1000,
				refresh: () => this.refreshQuietly(),
				clock: systemClock,
			}),
		);
		this.disposables.add(this.store.onDidChange(() => this.timer.wake()));
		this.disposables.add(
			this.follows.onDidChange(({ connection, taskId }) => {
				if (connection === this.connection?.name) {
					this.view.taskChanged(taskId);
				}
				this.timer.wake();
			}),
		);
		this.disposables.add(
			treeView.onDidChangeVisibility(({ visible }) => {
				if (visible && this.firstLoad) {
					void this.refreshQuietly();
				}
				this.timer.wake();
			}),
		);
		this.disposables.add(dependencies.onDidChangeConnection(() => void this.connectionChanged()));
	}

	start(argument: unknown): Promise<string | undefined> {
		return this.launcher.start(argument);
	}

	async follow(argument: unknown): Promise<void> {
		const id = taskIdOf(argument) ?? (await this.pick(vscode.l10n.t('Follow Task')));
		await this.openLog(id);
	}

	async openLog(argument: unknown): Promise<void> {
		const id = taskIdOf(argument) ?? (await this.pick(vscode.l10n.t('Open Task Log')));
		if (id === undefined) {
			return;
		}
		try {
			this.showLog(id, await this.readConnection());
		} catch (error) {
			this.explain(error);
		}
	}

	async stop(argument: unknown): Promise<void> {
		const id = taskIdOf(argument) ?? (await pickActiveTask(this.store, vscode.l10n.t('Stop Task')));
		const task = id === undefined ? undefined : this.store.get(id);
		if (id === undefined || this.store.isStopping(id)) {
			return;
		}
		if (task && !isActiveTask(task)) {
			void vscode.window.showInformationMessage(
				vscode.l10n.t('“{0}” is over already.', taskTitle(task, rowWords.untitled)),
			);
			return;
		}
		this.store.setStopping(id, true);
		try {
			const client = await this.dependencies.client();
			// The row says “stopping” until the service shows a final state: in this reply, in the log or in the list.
			this.store.put(await client.tasks.stop(id));
		} catch (error) {
			this.store.setStopping(id, false);
			this.explain(error);
		}
	}

	async refresh(argument: unknown): Promise<void> {
		if (argument === MORE_ARGUMENT) {
			await this.store.loadMore();
			return;
		}
		// The connection itself may have been what failed.
		this.connection = undefined;
		await this.load('opened');
		this.timer.restart();
	}

	async resume(): Promise<void> {
		try {
			const connection = await this.readConnection();
			this.follows.resume(connection);
			await this.load();
			await this.launcher.settle(connection);
		} catch (error) {
			// A window that just opened has nobody waiting for this; the view and the rows say it.
			this.dependencies.logger.log('warn', 'followed tasks could not be resumed', { reason: describeError(error) });
		}
	}

	private async started(task: Task, connection: TaskConnection): Promise<void> {
		this.store.put(task);
		this.showLog(task.id, connection);
		await this.view.reveal(task.id);
	}

	private showLog(id: string, connection: TaskConnection): void {
		const task = this.store.get(id);
		this.follows.open({ connection, taskId: id, title: task?.prompt ?? '' }, task !== undefined && isActiveTask(task));
	}

	private async pick(title: string): Promise<string | undefined> {
		void this.load();
		return pickTaskOrId(this.store, title);
	}

	private async readConnection(): Promise<TaskConnection> {
		this.connection ??= await this.dependencies.connection();
		return this.connection;
	}

	/** Reads the list once; a refresh that is asked for by name reads it again. */
	private load(again?: 'opened'): Promise<void> {
		if (again || !this.firstLoad) {
			// A connection that cannot be read fails the list as well, which then says so.
			const named = this.readConnection().catch(() => {});
			this.firstLoad = named.then(() => this.store.refresh(again));
		}
		return this.firstLoad;
	}

	/** Resolves with undefined when it worked, else with the wait that the service asks for. */
	private async refreshQuietly(): Promise<number | undefined> {
		await this.store.refresh();
		const { error } = this.store;
		if (error === undefined) {
			return undefined;
		}
		this.dependencies.logger.log('warn', 'the task list could not be read', {
			...(ClientError.is(error) ? { code: error.code } : {}),
			reason: describeError(error),
		});
		return ClientError.is(error) ? (error.retryAfterMs ?? 0) : 0;
	}

	private isRefreshNeeded(): boolean {
		// What only the user can put right is not asked for again by itself.
		const { error } = this.store;
		if (error !== undefined && !(ClientError.is(error) && error.retryable)) {
			return false;
		}
		const isSeen = this.treeView.visible || this.follows.isFollowing || this.store.activeCount > 0;
		return this.firstLoad !== undefined && isSeen;
	}

	private async connectionChanged(): Promise<void> {
		this.connection = undefined;
		this.firstLoad = undefined;
		this.store.reset();
		this.timer.restart();
		try {
			this.follows.resume(await this.readConnection());
		} catch (error) {
			this.dependencies.logger.log('warn', 'the connection cannot be used', { reason: describeError(error) });
		}
	}

	private explain(error: unknown): void {
		void showExplanation(explainError(error, this.connection?.label ?? 'Errand'));
	}

	dispose(): void {
		this.disposables.dispose();
	}
}
