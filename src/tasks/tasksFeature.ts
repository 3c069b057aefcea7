import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { ClientError } from '../client/core/errors.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import { AgentTaskList } from './agentTaskList.ts';
import { pickTaskFilter } from './filterTasks.ts';
import { type FollowedLog, FollowStatusItem } from './followStatusItem.ts';
import { Follows } from './follows.ts';
import { TaskLauncher, type TaskTarget } from './launch/taskLauncher.ts';
import { LogDocuments } from './logDocument/logDocuments.ts';
import { isFollowing } from './model/followState.ts';
import { NO_FILTER, type TaskFilter } from './model/taskFilter.ts';
import { taskTitle } from './model/taskRow.ts';
import { OwnRepositories } from './ownRepositories.ts';
import { pickActiveTask, pickTaskOrId, taskIdOf } from './pickTask.ts';
import { intervalMsOf, isLongAway, RefreshTimer } from './refreshTimer.ts';
import type { TaskConnection, TasksDependencies } from './register.ts';
import type { TaskFollow } from './taskFollow.ts';
import { TaskNotices } from './taskNotices.ts';
import { TaskStore } from './taskStore.ts';
import { TaskTree, type TreeNode } from './taskTree.ts';
import { TaskView } from './taskView.ts';
import { rowWords } from './words.ts';

/** Of a file that a log is saved to. */
const MAXIMUM_NAME = 40;

export interface TasksFeature extends Disposable {
	readonly tree: TaskTree;
	/** Resolves with the id of the task; undefined: dismissed, or failed, which was said. */
	start(argument: unknown): Promise<string | undefined>;
	follow(argument: unknown): Promise<void>;
	openLog(argument: unknown): Promise<void>;
	stop(argument: unknown): Promise<void>;
	refresh(): Promise<void>;
	loadMore(): Promise<void>;
	loadMoreAgentTasks(): Promise<void>;
	filter(): Promise<void>;
	/** The log as a document, of a task or of one that is chosen. */
	openDocument(argument: unknown): Promise<void>;
	/** Writes the whole log of a task, of the document in front or of one that is chosen, to a file. */
	saveLog(argument: unknown, file?: unknown): Promise<void>;
	readonly documents: LogDocuments;
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
	readonly documents: LogDocuments;
	private readonly dependencies: TasksDependencies;
	private readonly disposables = new DisposableStore();
	private readonly store: TaskStore;
	private readonly follows: Follows;
	private readonly timer: RefreshTimer;
	private readonly view: TaskView;
	private readonly launcher: TaskLauncher;
	private readonly agentTasks: AgentTaskList;
	private readonly own: OwnRepositories;
	private readonly notices: TaskNotices;
	private readonly statusItem: FollowStatusItem;
	private currentFilter: TaskFilter = NO_FILTER;
	/** When the window lost the focus, in milliseconds since the epoch. */
	private unfocusedAt: number | undefined;
	private readonly treeView: vscode.TreeView<TreeNode>;
	private readonly fireTree: (node: TreeNode | undefined) => void;
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
		this.fireTree = fireTree;
		this.store = this.disposables.add(new TaskStore(dependencies.client, systemClock));
		this.follows = this.disposables.add(
			new Follows({
				workspaceState: dependencies.workspaceState,
				onStatus: (connection, id, status, error) => {
					if (this.isActive(connection)) {
						this.store.setStatus(id, status, error);
					}
				},
				onTask: (connection, task, wasActive) => {
					if (this.isActive(connection)) {
						this.store.put({ ...this.store.get(task.id), ...task });
					}
					if (wasActive) {
						this.notices.ended(connection, task);
					}
				},
				onGoesOn: (connection, taskId) => this.notices.goesOn(connection, taskId),
			}),
		);
		this.documents = this.disposables.add(new LogDocuments({ explain: error => this.explain(error) }));
		this.notices = new TaskNotices({
			isLooking: (connection, taskId) =>
				vscode.window.state.focused &&
				(this.follows.isVisible(connection, taskId) || this.documents.isVisible(connection, taskId)),
			openLog: (connection, task) => void this.openNoticed(connection, task),
		});
		this.agentTasks = this.disposables.add(new AgentTaskList(dependencies.client));
		this.own = this.disposables.add(new OwnRepositories());
		this.statusItem = this.disposables.add(new FollowStatusItem());
		this.tree = new TaskTree({
			store: this.store,
			agentTasks: this.agentTasks,
			filter: () => this.currentFilter,
			ownRepository: () => this.own.matcher(),
			explain: error => explainError(error, this.connection?.label ?? 'Errand').message,
			followState: id => this.connection && this.follows.state(this.connection.name, id),
			firstLoad: () => this.load(),
		});
		this.view = this.disposables.add(
			new TaskView({
				treeView,
				store: this.store,
				agentTasks: this.agentTasks,
				tree: this.tree,
				fireTree,
				label: () => this.connection?.label,
				filter: () => this.currentFilter,
				followed: () => this.followed(),
			}),
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
		this.disposables.add(
			this.store.onDidChange(() => {
				this.noticeEnds();
				this.timer.wake();
			}),
		);
		this.disposables.add(this.own.onDidChange(() => fireTree(undefined)));
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => this.showFollowed()));
		this.unfocusedAt = vscode.window.state.focused ? undefined : Date.now();
		this.disposables.add(vscode.window.onDidChangeWindowState(({ focused }) => this.focusChanged(focused)));
		void this.own.find();
		this.disposables.add(
			this.follows.onDidChange(({ connection, taskId }) => {
				if (this.isActive(connection)) {
					this.view.taskChanged(taskId);
					this.showFollowed();
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

	loadMoreAgentTasks(): Promise<void> {
		return this.agentTasks.loadMore();
	}

	filter(): Promise<void> {
		return pickTaskFilter(this.currentFilter, filter => {
			this.currentFilter = filter;
			if (this.store.setQuery(filter)) {
				void this.refresh();
			} else {
				this.fireTree(undefined);
				this.view.update();
			}
		});
	}

	async openDocument(argument: unknown): Promise<void> {
		const chosen = await this.choose(argument, vscode.l10n.t('Open Task Log as Document'));
		if (chosen) {
			const follow = this.followTask(chosen.id, chosen.target);
			await this.documents.show(follow, chosen.target.client).catch(error => this.explain(error));
		}
	}

	async saveLog(argument: unknown, file?: unknown): Promise<void> {
		const open = this.documents.active(argument);
		if (open) {
			await this.documents.save(open.client, open.taskId, open.name);
			return;
		}
		const chosen = await this.choose(argument, vscode.l10n.t('Save Log'));
		if (chosen) {
			const { client } = chosen.target;
			if (file instanceof vscode.Uri) {
				await this.documents.saveTo(file, client, chosen.id);
			} else {
				const task = this.store.get(chosen.id);
				await this.documents.save(client, chosen.id, task ? taskTitle(task, chosen.id, MAXIMUM_NAME) : chosen.id);
			}
		}
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
		this.showLog(task.id, target, task);
		if (isListed) {
			await this.view.reveal(task.id);
		}
	}

	private async open(argument: unknown, title: string): Promise<void> {
		const chosen = await this.choose(argument, title);
		if (chosen) {
			this.showLog(chosen.id, chosen.target);
		}
	}

	/** The task that an argument names, or that the user chooses. Undefined: dismissed, or failed, which was said. */
	private async choose(argument: unknown, title: string): Promise<{ id: string; target: TaskTarget } | undefined> {
		if (!(await this.dependencies.ensureKey())) {
			return undefined;
		}
		const id = taskIdOf(argument) ?? (await this.pick(title));
		if (id === undefined) {
			return undefined;
		}
		try {
			return { id, target: await this.readTarget() };
		} catch (error) {
			this.explain(error);
			return undefined;
		}
	}

	private showLog(id: string, target: TaskTarget, task = this.store.get(id)): void {
		this.followTask(id, target, task).show();
		this.showFollowed();
	}

	private followTask(id: string, { client, connection }: TaskTarget, task = this.store.get(id)): TaskFollow {
		const isActive = task !== undefined && isActiveTask(task);
		return this.follows.open(client, { connection, taskId: id, title: task?.prompt ?? '' }, isActive);
	}

	/** A message may stand for hours: another connection may be active by then. */
	private async openNoticed(connection: string, task: Task): Promise<void> {
		try {
			const target = await this.readTarget();
			if (target.connection.name === connection) {
				this.showLog(task.id, target, task);
			} else {
				void showMessage(
					'information',
					vscode.l10n.t('The task ran on the connection “{0}”. Switch to it to open its log.', connection),
				);
			}
		} catch (error) {
			this.explain(error);
		}
	}

	private followed(): FollowedLog[] {
		return this.connection ? this.follows.list(this.connection.name) : [];
	}

	private showFollowed(): void {
		this.statusItem.show(this.followed());
		this.view.update();
	}

	private noticeEnds(): void {
		const { connection } = this;
		if (connection) {
			for (const task of this.store.all()) {
				// What is followed tells of its end itself, with the whole record.
				if (isActiveTask(task) || !isFollowing(this.follows.state(connection.name, task.id))) {
					this.notices.see(connection.name, task);
				}
			}
		}
	}

	private focusChanged(focused: boolean): void {
		const wasAway = isLongAway(this.unfocusedAt, Date.now());
		this.unfocusedAt = focused ? undefined : (this.unfocusedAt ?? Date.now());
		if (focused && wasAway && this.isRefreshNeeded()) {
			void this.refreshQuietly();
		}
		this.timer.wake();
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
			void named.then(() => this.agentTasks.refresh());
		}
		return this.firstLoad;
	}

	/** Resolves with undefined when it worked, else with the wait that the service asks for. */
	private async refreshQuietly(): Promise<number | undefined> {
		await Promise.all([this.store.refresh(), this.agentTasks.refresh()]);
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
		return this.firstLoad !== undefined && isSeen && !isLongAway(this.unfocusedAt, Date.now());
	}

	private async connectionChanged(): Promise<void> {
		this.generation++;
		this.connection = undefined;
		this.firstLoad = undefined;
		this.store.reset();
		this.agentTasks.reset();
		this.showFollowed();
		this.timer.restart();
		try {
			const { client, connection } = await this.readTarget();
			this.follows.resume(client, connection);
			this.showFollowed();
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
