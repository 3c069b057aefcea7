import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { askModal, showMessage } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import { ApplyCommands } from './apply/applyCommands.ts';
import { ApplyRecordFile } from './apply/applyRecord.ts';
import { BranchCommands } from './branches/branchCommands.ts';
import { KeptTasks } from './branches/partialWork.ts';
import { CheckedOutBranches } from './branches/worktreeBranches.ts';
import { ActiveConnection } from './common/activeConnection.ts';
import { showTaskProblem } from './common/dashboard.ts';
import { serviceIsStopped } from './common/messages.ts';
import { TaskFollowUps } from './continueTask.ts';
import { createTaskAnswers } from './createTaskAnswers.ts';
import { createTaskLauncher } from './createTaskLauncher.ts';
import type { NextTask } from './launch/nextTask.ts';
import type { PromptFile } from './launch/promptFile.ts';
import type { TaskLauncher } from './launch/taskLauncher.ts';
import { AgentTaskList } from './list/agentTaskList.ts';
import { pickTaskFilter } from './list/filterTasks.ts';
import { ListRefresh } from './list/listRefresh.ts';
import { OwnRepositories } from './list/ownRepositories.ts';
import { pickMatchingTask, pickTaskOrId, taskIdOf } from './list/pickTask.ts';
import { intervalMsOf } from './list/refreshTimer.ts';
import { TaskStops } from './list/stopTask.ts';
import { TaskArchive } from './list/taskArchive.ts';
import { TaskDetails } from './list/taskDetails.ts';
import { TaskListStore } from './list/taskListStore.ts';
import { TaskNotices } from './list/taskNotices.ts';
import { TaskTree, type TreeNode } from './list/taskTree.ts';
import { TaskView } from './list/taskView.ts';
import { LogDocumentCommands } from './log/logDocumentCommands.ts';
import { LogDocuments } from './log/logDocuments.ts';
import { KeptLogs } from './log/logFile.ts';
import { FollowedLogs } from './log/logFollowers.ts';
import { openStoredTabs } from './log/storedTabs.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import { TaskEnds } from './model/taskEnds.ts';
import { canKeepWork } from './model/taskRow.ts';
import type { TaskAnswers } from './review/taskAnswers.ts';
import { TaskResults } from './review/taskResults.ts';
import { TaskExport } from './taskExport.ts';
import type { TasksDependencies } from './tasksDependencies.ts';

export interface TasksFeature extends Disposable {
	readonly tree: TaskTree;
	readonly launcher: TaskLauncher;
	readonly next: NextTask;
	openLog(argument: unknown): Promise<void>;
	stop(argument: unknown): Promise<void>;
	/** Gives a further prompt to a task that has ended. */
	continueTask(argument: unknown): Promise<void>;
	/** Keeps what the agent had done when its task was ended. */
	keepWork(argument: unknown): Promise<void>;
	readonly exports: TaskExport;
	readonly details: TaskDetails;
	readonly archive: TaskArchive;
	readonly branchCommands: BranchCommands;
	refresh(): Promise<void>;
	loadMore(): Promise<void>;
	loadMoreAgentTasks(): Promise<void>;
	filter(): Promise<void>;
	readonly logCommands: LogDocumentCommands;
	readonly documents: LogDocuments;
	readonly results: TaskResults;
	readonly applyCommands: ApplyCommands;
	readonly answers: TaskAnswers;
	readonly active: ActiveConnection;
	readonly stops: TaskStops;
	readonly followUps: TaskFollowUps;
	/** Resumes what a reload of the window interrupted. */
	resume(): Promise<void>;
}

export function createTasksFeature(
	dependencies: TasksDependencies,
	promptFile: PromptFile,
	treeView: vscode.TreeView<TreeNode>,
	fireTree: (rows: TreeNode[] | undefined) => void,
): TasksFeature {
	return new Feature(dependencies, promptFile, treeView, fireTree);
}

/** Connects the list, the logs, the view and the commands. */
class Feature implements TasksFeature {
	readonly tree: TaskTree;
	private readonly dependencies: TasksDependencies;
	private readonly disposables = new DisposableStore();
	readonly active: ActiveConnection;
	private readonly store: TaskListStore;
	private readonly agentTasks: AgentTaskList;
	private readonly list: ListRefresh;
	private readonly logs: FollowedLogs;
	readonly documents: LogDocuments;
	readonly logCommands: LogDocumentCommands;
	readonly results: TaskResults;
	readonly stops: TaskStops;
	private readonly kept: KeptTasks;
	private readonly branches: CheckedOutBranches;
	readonly followUps: TaskFollowUps;
	private readonly view: TaskView;
	readonly launcher: TaskLauncher;
	readonly next: NextTask;
	readonly archive: TaskArchive;
	readonly branchCommands: BranchCommands;
	readonly applyCommands: ApplyCommands;
	readonly answers: TaskAnswers;
	readonly exports: TaskExport;
	readonly details: TaskDetails;

	constructor(
		dependencies: TasksDependencies,
		promptFile: PromptFile,
		treeView: vscode.TreeView<TreeNode>,
		fireTree: (rows: TreeNode[] | undefined) => void,
	) {
		this.dependencies = dependencies;
		const { extensionUri, connection, localService, logger } = dependencies;
		const { workspaceState, globalState, storageUri } = dependencies.storage;
		const explain = (error: unknown) => this.explain(error);
		this.active = new ActiveConnection(dependencies);
		this.store = this.disposables.add(new TaskListStore(connection.client, systemClock));
		this.agentTasks = this.disposables.add(new AgentTaskList(connection.client));
		const { store, active, agentTasks } = this;
		this.list = this.disposables.add(
			new ListRefresh({
				store,
				agentTasks,
				active,
				view: { isVisible: () => treeView.visible, isFocused: vscode.window.state.focused },
				timing: { clock: systemClock, intervalMs: () => intervalMsOf(readSetting('errand.tasks.refreshInterval')) },
				logger,
			}),
		);
		const ends = new TaskEnds();
		this.logs = this.disposables.add(
			new FollowedLogs({
				workspaceState,
				keptLogs: storageUri && new KeptLogs(path.join(storageUri.fsPath, 'followed')),
				store,
				active,
				ends,
			}),
		);
		this.documents = this.disposables.add(new LogDocuments(this.logs));
		this.logCommands = new LogDocumentCommands({
			documents: this.documents,
			logs: this.logs,
			store,
			choose: (...asked) => this.choose(...asked),
			look: id => results.look(id),
			explain,
		});
		this.results = this.disposables.add(
			new TaskResults({
				workspaceState,
				store,
				active,
				user: {
					choose: (argument, title) => this.choose(argument, title),
					showRow: row => this.view.showRow(row),
					explain,
				},
				onGone: id => this.answers.store.forget(id),
				logger,
			}),
		);
		const { results } = this;
		const { logs, documents } = this;
		this.disposables.add(
			new TaskNotices({
				ends,
				logs: {
					isVisible: (connection, id) => logs.isVisible(connection, id) || documents.isVisible(connection, id),
					show: (task, target) => logs.show(task.id, target, { task, takesFocus: true }),
				},
				ended: results.ended,
				active,
				explain,
			}),
		);
		this.stops = new TaskStops({ store, active, explain });
		this.kept = new KeptTasks({
			store,
			active,
			keepWork: id => localService.keepWork(id),
			askModal,
			refresh: () => this.list.refresh(),
			explain,
		});
		this.branches = new CheckedOutBranches({
			workspaceState,
			task: id => store.get(id),
			explain,
		});
		this.followUps = new TaskFollowUps({
			workspaceState,
			tasks: { store, branches: this.branches },
			active,
			runner: {
				goesOn: (task, target) => this.logs.show(task.id, target, { task }),
				start: (request, target, onMade) => this.launcher.startFollowUp(request, target, onMade),
			},
			user: { isTrusted: () => vscode.workspace.isTrusted, askModal, explain },
		});
		this.applyCommands = new ApplyCommands({
			changes: results.changes,
			store,
			choose: (...asked) => this.choose(...asked),
			recordFile: storageUri && new ApplyRecordFile(storageUri.fsPath),
			explain,
		});
		const { changes } = results;
		this.answers = this.disposables.add(
			createTaskAnswers(
				{ store, active, changes, followUps: this.followUps, list: this.list },
				{ extensionUri, workspaceState, connection, pick: (...asked) => this.pickWhere(...asked), explain, logger },
			),
		);
		const { logCommands } = this;
		this.exports = new TaskExport({ changes, logCommands, choose: (...asked) => this.choose(...asked), explain });
		this.details = this.disposables.add(
			new TaskDetails({ store, active, choose: (...asked) => this.choose(...asked) }),
		);
		const own = this.disposables.add(new OwnRepositories());
		this.branchCommands = new BranchCommands({
			globalState,
			store,
			explain,
			choose: (...asked) => this.choose(...asked),
			forgetBranch: result => results.changes.remove(result),
		});
		this.archive = new TaskArchive({
			globalState,
			store,
			active,
			keepPlace: (argument, id, run) => this.keepingPlace(argument, id, run),
			redraw: () => this.view.redraw(),
		});
		this.tree = new TaskTree({
			lists: { store, agentTasks, load: () => this.list.load() },
			marks: {
				followState: id => this.logs.state(id),
				isArchived: task => this.archive.has(task),
				hasComments: id => this.answers.store.hasUnsent(id),
			},
			active,
			own,
			below: results.rows,
		});
		this.view = this.disposables.add(
			new TaskView({ treeView, fireTree, store, tree: this.tree, active, ended: results.ended, globalState }),
		);
		const launch = createTaskLauncher(
			{ store, active, list: this.list, starts: results.starts },
			{ ...dependencies, promptFile, started: (task, target) => this.started(task, target), explain },
		);
		this.launcher = launch.launcher;
		this.next = this.disposables.add(launch.next);
		this.disposables.add(launch.promptEditor);
		this.disposables.add(store.onDidChange(() => void (active.current && this.listChanged(active.current.name))));
		this.disposables.add(
			this.logs.onDidChange(taskId => {
				this.view.taskChanged(taskId);
				this.view.update();
				this.list.wake();
			}),
		);
		this.disposables.add(results.changes.onDidChange(() => this.view.redraw()));
		this.disposables.add(agentTasks.onDidChange(() => this.view.redraw()));
		this.disposables.add(this.answers.store.onDidChange(id => this.view.taskChanged(id)));
		this.disposables.add(own.onDidChange(() => this.view.redraw()));
		void own.find();
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => this.view.update()));
		this.disposables.add(vscode.window.onDidChangeWindowState(({ focused }) => this.list.focusChanged(focused)));
		this.disposables.add(treeView.onDidChangeVisibility(({ visible }) => this.list.visibilityChanged(visible)));
		this.disposables.add(localService.onDidChangeStopped(() => void this.serviceChanged()));
		this.disposables.add(connection.onDidChange(() => void this.connectionChanged()));
	}

	openLog(argument: unknown): Promise<void> {
		return this.open(argument, vscode.l10n.t('Open Task Log'));
	}

	async stop(argument: unknown): Promise<void> {
		if (!(await this.dependencies.connection.ensureKey())) {
			return;
		}
		const id =
			taskIdOf(argument) ??
			(await this.pickWhere(isActiveTask, vscode.l10n.t('Stop Task'), vscode.l10n.t('No task is active.')));
		if (id !== undefined) {
			await this.keepingPlace(argument, id, () => this.stops.stop(id));
		}
	}

	async continueTask(argument: unknown): Promise<void> {
		const chosen = await this.choose(argument, vscode.l10n.t('Continue Task'));
		if (chosen) {
			this.results.look(chosen.id);
			await this.keepingPlace(argument, chosen.id, () => this.followUps.goOn(chosen.id, argument));
		}
	}

	async keepWork(argument: unknown): Promise<void> {
		const id =
			taskIdOf(argument) ??
			(await this.pickWhere(
				canKeepWork,
				vscode.l10n.t('Keep Work of Stopped Task'),
				vscode.l10n.t('No task has left work that could be kept.'),
			));
		if (id !== undefined) {
			await this.keepingPlace(argument, id, () => this.kept.keep(id));
		}
	}

	/**
	 * A command from a row's own menu keeps the keyboard focus on that row. After a command from elsewhere, the tree must
	 * not take the focus.
	 */
	private keepingPlace(argument: unknown, id: string, run: () => Promise<void>): Promise<void> {
		return argument === this.tree.knownNode(id) && argument !== undefined ? this.view.keepPlace(id, run) : run();
	}

	refresh(): Promise<void> {
		return this.list.refresh();
	}

	async loadMore(): Promise<void> {
		const before = new Set(this.tree.shownIds());
		await this.store.loadMore();
		// The row that was chosen has disappeared, so the focus moves to the first new row.
		const first = this.tree.shownIds().find(id => !before.has(id));
		await (first !== undefined && this.view.reveal(first, true));
	}

	loadMoreAgentTasks(): Promise<void> {
		return this.agentTasks.loadMore();
	}

	filter(): Promise<void> {
		return pickTaskFilter(this.store.filter, filter => {
			this.agentTasks.setStatus(filter.status);
			if (this.store.setFilter(filter)) {
				void this.refresh();
			} else {
				this.view.redraw();
			}
		});
	}

	async resume(): Promise<void> {
		try {
			await openStoredTabs(this.dependencies.storage.workspaceState);
			const target = await this.active.target();
			this.resumeLogs(target);
			await this.list.load();
			await this.launcher.requests.settle(target);
			await this.launcher.sweep(target.connection.name, target.client);
			await this.sweepBranches();
		} catch (error) {
			// Nobody waits for this in a window that has just opened; the view and the rows show the problem.
			this.dependencies.logger.log('warn', 'followed tasks could not be resumed', { reason: describeError(error) });
		}
	}

	/** Resumes what was followed on a connection before a reload, or before another one became active. */
	private resumeLogs(target: TaskTarget): void {
		this.logs.resume(target);
		this.documents.readAgain();
	}

	/** Continues what waits for the service, or for a task to appear or to end. */
	private async listChanged(connection: string): Promise<void> {
		if (this.store.error === undefined) {
			this.documents.readAgain();
		}
		try {
			await this.launcher.requests.settleFromList(connection, () => this.active.target());
			await this.launcher.sweep(connection);
			await this.sweepBranches();
		} catch (error) {
			this.dependencies.logger.log('warn', 'what waits for a task could not go on', { reason: describeError(error) });
		}
	}

	private async sweepBranches(): Promise<void> {
		// A stopped service is not started for this.
		if (!this.active.isStopped) {
			await this.branches.sweep(() => this.active.target());
			await this.results.listChanged(await this.active.target());
		}
	}

	private async started(task: Task, target: TaskTarget): Promise<void> {
		// The connection may have been switched during the request, so that the list belongs to another one.
		const isListed = this.active.is(target.connection.name);
		if (isListed) {
			this.store.put(task);
		}
		this.logs.show(task.id, target, { task });
		if (isListed) {
			await this.view.reveal(task.id);
		}
	}

	private async open(argument: unknown, title: string): Promise<void> {
		const chosen = await this.choose(argument, title);
		if (chosen) {
			this.results.look(chosen.id);
			// A row that is only passed over keeps the focus; a user who has named a task wants to read its log.
			this.logs.show(chosen.id, chosen.target, { takesFocus: typeof argument !== 'object' });
		}
	}

	/**
	 * Returns the task that an argument names or that the user chooses. Resolves with undefined when it was dismissed or
	 * failed, which is reported.
	 */
	private async choose(argument: unknown, title: string): Promise<{ id: string; target: TaskTarget } | undefined> {
		if (!(await this.dependencies.connection.ensureKey())) {
			return undefined;
		}
		const id = taskIdOf(argument) ?? (await this.pick(title));
		if (id === undefined) {
			return undefined;
		}
		try {
			return { id, target: await this.active.target() };
		} catch (error) {
			this.explain(error);
			return undefined;
		}
	}

	private async pick(title: string): Promise<string | undefined> {
		void this.list.load();
		return pickTaskOrId(this.store, title);
	}

	/** Resolves with undefined when dismissed, or when no task matches, which is reported. */
	private async pickWhere(matches: (task: Task) => boolean, title: string, none: string): Promise<string | undefined> {
		await this.list.load('first');
		if (Array.from(this.store.all()).some(matches)) {
			return pickMatchingTask(this.store, title, matches);
		}
		if (this.store.error === undefined) {
			void showMessage('information', none);
		} else {
			this.explain(this.store.error);
		}
		return undefined;
	}

	private async connectionChanged(): Promise<void> {
		this.active.switched();
		this.list.reset();
		this.logs.showStatus();
		try {
			this.resumeLogs(await this.active.target());
			this.logs.showStatus();
			this.view.update();
		} catch (error) {
			this.dependencies.logger.log('warn', 'the connection cannot be used', { reason: describeError(error) });
		}
	}

	/** Called when the user has stopped the local service, which stays stopped, or when it runs again. */
	private async serviceChanged(): Promise<void> {
		if (this.dependencies.localService.isStopped()) {
			this.logs.suspend(LOCAL_CONNECTION_NAME, serviceIsStopped());
			if (this.active.current?.isLocal) {
				this.store.interruptRunning();
			}
		} else if (this.active.current?.isLocal) {
			this.resumeLogs(await this.active.target());
		}
		this.list.wake();
		this.view.redraw();
	}

	private explain(error: unknown): void {
		void showTaskProblem(error, this.active.label, this.active.current?.dashboardUrl);
	}

	dispose(): void {
		this.disposables.dispose();
	}
}
