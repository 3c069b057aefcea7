import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { ClientError } from '../client/core/errors.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import { Follows } from './follows.ts';
import { taskTitle } from './model/taskRow.ts';
import { pickActiveTask, pickTaskOrId, taskIdOf } from './pickTask.ts';
import { intervalMsOf, RefreshTimer } from './refreshTimer.ts';
import type { TaskConnection, TasksDependencies } from './register.ts';
import { TaskLauncher, type TaskTarget } from './taskLauncher.ts';
import { TaskStore } from './taskStore.ts';
import { TaskTree, type TreeNode } from './taskTree.ts';
import { TaskView } from './taskView.ts';
import { rowWords } from './words.ts';

export interface TasksFeature extends Disposable {
	readonly tree: TaskTree;
	/** Resolves with the id of the task; undefined: dismissed, or failed, which was said. */
	start(argument: unknown): Promise<string | undefined>;
	follow(argument: unknown): Promise<void>;
	openLog(argument: unknown): Promise<void>;
	stop(argument: unknown): Promise<void>;
	refresh(): Promise<void>;
	loadMore(): Promise<void>;
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
	/** Counts the switches of the connection. */
	private generation = 0;
	/** Ids of the tasks whose stop has no answer yet. */
	private readonly stopRequests = new Set<string>();

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
				onStatus: (connection, id, status, error) => {
					if (this.isActive(connection)) {
						this.store.setStatus(id, status, error);
					}
				},
				onTask: (connection, task) => {
					if (this.isActive(connection)) {
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
			tasks: () => this.store.all(),
			target: () => this.readTarget(),
			load: () => this.load(),
			started: (task, target) => this.started(task, target),
			explain: error => this.explain(error),
		});
		this.timer = this.disposables.add(
			new RefreshTimer({
				isNeeded: () => this.isRefreshNeeded(),
				intervalMs: () => intervalMsOf(readSetting('errand.tasks.refreshInterval')),
				refresh: () => this.refreshQuietly(),
				clock: systemClock,
			}),
		);
		this.disposables.add(this.store.onDidChange(() => this.timer.wake()));
		this.disposables.add(
			this.follows.onDidChange(({ connection, taskId }) => {
				if (this.isActive(connection)) {
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

	async start(argument: unknown): Promise<string | undefined> {
		return (await this.dependencies.ensureKey()) ? this.launcher.start(argument) : undefined;
	}

	follow(argument: unknown): Promise<void> {
		return this.open(argument, vscode.l10n.t('Follow Task'));
	}

	openLog(argument: unknown): Promise<void> {
		return this.open(argument, vscode.l10n.t('Open Task Log'));
	}

	async stop(argument: unknown): Promise<void> {
		if (!(await this.dependencies.ensureKey())) {
			return;
		}
		const id = taskIdOf(argument) ?? (await this.pickActive());
		const task = id === undefined ? undefined : this.store.get(id);
		if (id === undefined || this.stopRequests.has(id)) {
			return;
		}
		if (task && !isActiveTask(task)) {
			void showMessage('information', vscode.l10n.t('“{0}” is over already.', taskTitle(task, rowWords.untitled)));
			return;
		}
		this.stopRequests.add(id);
		this.store.setStopping(id, true);
		try {
			const { connection, client } = await this.readTarget();
			const stopped = await client.tasks.stop(id);
			// The row says “stopping” until the service shows a final state: in this reply, in the log or in the list.
			if (this.isActive(connection.name)) {
				this.store.put(stopped);
			}
		} catch (error) {
			this.store.setStopping(id, false);
			this.explain(error);
		} finally {
			this.stopRequests.delete(id);
		}
	}

	async refresh(): Promise<void> {
		await this.load('opened');
		this.timer.restart();
	}

	loadMore(): Promise<void> {
		return this.store.loadMore();
	}

	async resume(): Promise<void> {
		try {
			const target = await this.readTarget();
			this.follows.resume(target.client, target.connection);
			await this.load();
			await this.launcher.settle(target);
		} catch (error) {
			// A window that just opened has nobody waiting for this; the view and the rows say it.
			this.dependencies.logger.log('warn', 'followed tasks could not be resumed', { reason: describeError(error) });
		}
	}

	private async started(task: Task, target: TaskTarget): Promise<void> {
		// The connection may have been switched while the request was under way: the list is then another one's.
		const isListed = this.isActive(target.connection.name);
		if (isListed) {
			this.store.put(task);
		}
		this.showLog(task.id, task, target);
		if (isListed) {
			await this.view.reveal(task.id);
		}
	}

	private async open(argument: unknown, title: string): Promise<void> {
		if (!(await this.dependencies.ensureKey())) {
			return;
		}
		const id = taskIdOf(argument) ?? (await this.pick(title));
		if (id === undefined) {
			return;
		}
		try {
			this.showLog(id, this.store.get(id), await this.readTarget());
		} catch (error) {
			this.explain(error);
		}
	}

	private showLog(id: string, task: Task | undefined, { client, connection }: TaskTarget): void {
		const isActive = task !== undefined && isActiveTask(task);
		this.follows.open(client, { connection, taskId: id, title: task?.prompt ?? '' }, isActive);
	}

	private async pick(title: string): Promise<string | undefined> {
		void this.load();
		return pickTaskOrId(this.store, title);
	}

	/** Undefined: dismissed, or there is none, which is said. */
	private async pickActive(): Promise<string | undefined> {
		await this.load('first');
		if (this.store.activeCount > 0) {
			return pickActiveTask(this.store, vscode.l10n.t('Stop Task'));
		}
		if (this.store.error === undefined) {
			void showMessage('information', vscode.l10n.t('No task is active.'));
		} else {
			this.explain(this.store.error);
		}
		return undefined;
	}

	private isActive(connection: string): boolean {
		return connection === this.connection?.name;
	}

	private async readTarget(): Promise<TaskTarget> {
		const [connection, client] = await Promise.all([this.readConnection(), this.dependencies.client()]);
		return { connection, client };
	}

	private async readConnection(): Promise<TaskConnection> {
		if (this.connection) {
			return this.connection;
		}
		const { generation } = this;
		const connection = await this.dependencies.connection();
		// What was asked for before a switch must not come to stand for what is active after it.
		if (generation === this.generation) {
			this.connection = connection;
		}
		return connection;
	}

	/** Reads the list once; a refresh that is asked for by name reads it again. */
	private load(again?: 'first' | 'opened'): Promise<void> {
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
		const isSeen = this.treeView.visible || this.store.activeCount > 0;
		return this.firstLoad !== undefined && isSeen;
	}

	private async connectionChanged(): Promise<void> {
		this.generation++;
		this.connection = undefined;
		this.firstLoad = undefined;
		this.store.reset();
		this.timer.restart();
		try {
			const { client, connection } = await this.readTarget();
			this.follows.resume(client, connection);
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
