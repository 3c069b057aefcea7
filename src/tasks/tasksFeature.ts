import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { DisposableOwner } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { ChatView } from '../chat/api.ts';
import type { Client } from '../client/types.ts';
import type { TaskResult } from '../contract/taskResults.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import type { LocalService } from '../localService/api.ts';
import { COMMENT_PROMPT_SCHEME } from '../platform/ids.ts';
import { askModal } from '../platform/notify.ts';
import { withProgressNotice } from '../platform/progressNotice.ts';
import { readSetting } from '../platform/settings.ts';
import { ApplyCommands } from './apply/applyCommands.ts';
import { ApplyRecordFile } from './apply/applyRecord.ts';
import { BranchCommands } from './branches/branchCommands.ts';
import { editorDialogs } from './branches/dialogs.ts';
import { PartialWork } from './branches/partialWork.ts';
import { StepCommands } from './branches/stepCommands.ts';
import { StepSearches } from './branches/stepSearch.ts';
import { findWorktreeBranch } from './branches/worktreeBranch.ts';
import { ActiveConnection } from './common/activeConnection.ts';
import { showTaskProblem } from './common/dashboard.ts';
import { searchName } from './common/stepMessages.ts';
import { agentBranchOf, TaskFollowUps } from './continueTask.ts';
import type { LaunchCheckDependencies } from './launch/launchCheck.ts';
import { NextTask } from './launch/nextTask.ts';
import type { SubjectChoice } from './launch/pickSubject.ts';
import { PromptEditor, type TaskComposer } from './launch/promptEditor.ts';
import type { PromptFile } from './launch/promptFile.ts';
import { TaskLauncher } from './launch/taskLauncher.ts';
import { AgentTaskList } from './list/agentTaskList.ts';
import { intervalMsOf, ListRefresh } from './list/listRefresh.ts';
import { OwnRepositories } from './list/ownRepositories.ts';
import { TaskPicker } from './list/pickTask.ts';
import { TaskStops } from './list/stopTask.ts';
import { TaskArchive } from './list/taskArchive.ts';
import { TaskDetails } from './list/taskDetails.ts';
import { TaskListStore } from './list/taskListStore.ts';
import { TaskNotices } from './list/taskNotices.ts';
import { TaskTree, type TreeNode } from './list/taskTree.ts';
import { TaskView } from './list/taskView.ts';
import { LogChannel } from './log/logChannel.ts';
import { LogDocumentCommands } from './log/logDocumentCommands.ts';
import { LogDocuments } from './log/logDocuments.ts';
import { LogFiles } from './log/logFile.ts';
import { LogFollowers } from './log/logFollowers.ts';
import { StepLenses } from './log/stepLenses.ts';
import type { TaskConnection, TaskTarget } from './model/taskConnection.ts';
import { TaskEnds } from './model/taskEnds.ts';
import { TaskResumption } from './resumption.ts';
import { CommentPrompts } from './review/commentPrompts.ts';
import { CommentStore } from './review/commentStore.ts';
import { AgentComparison } from './review/compareAgents.ts';
import { ReviewComments } from './review/reviewComments.ts';
import { StepsPages } from './review/stepsPages.ts';
import { TaskMaterial } from './review/taskMaterial.ts';
import { TaskResults } from './review/taskResults.ts';
import { TaskCommands } from './taskCommands.ts';
import { TaskExport } from './taskExport.ts';

/** The parts that the root provides to this feature. */
export interface TasksDependencies {
	extensionUri: vscode.Uri;
	/** The places in which this feature keeps its state. */
	storage: {
		workspaceState: vscode.Memento;
		globalState: vscode.Memento;
		/** The storage folder of this workspace; undefined if none is open. */
		storageUri: vscode.Uri | undefined;
	};
	/** The active connection, on which tasks run. */
	connection: {
		client(): Promise<Client>;
		/** Returns the connection itself. */
		read(): Promise<TaskConnection>;
		/** Returns the connection's agents as its service describes them now. */
		agents(): Promise<TaskConnection['agents']>;
		/**
		 * Asks the user for the key that tasks need, if it is missing. Resolves with false if there is still none,
		 * which the user has been told. Must not be called for background work.
		 */
		ensureKey(): Promise<boolean>;
		readonly onDidChange: Event<void>;
	};
	/** The local service, as far as tasks need it beyond the contract. */
	localService: Pick<
		LocalService,
		| 'isStopped'
		| 'onDidChangeStopped'
		| 'nameRepositories'
		| 'checkTask'
		| 'createTask'
		| 'allow'
		| 'keepWork'
		| 'composeWork'
		| 'readSteps'
		| 'saveStepBundle'
		| 'readSearchPlan'
		| 'searchSteps'
	>;
	composer: TaskComposer;
	/** Resolves to the MCP servers that the agents of a task may be given. */
	serversForTasks: ChatView['serversForTasks'];
	logger: Logger;
}

/** The feature's parts of the editor before it loads. */
export interface TasksEditor {
	promptFile: PromptFile;
	treeView: vscode.TreeView<TreeNode>;
	/** Makes the editor ask for these rows again, or for all of them. */
	fireTree(rows: TreeNode[] | undefined): void;
}

/** The parts of the feature. They are made from top to bottom: each gets parts that are above it. */
export class TasksFeature extends DisposableOwner {
	readonly active: ActiveConnection;
	readonly results: TaskResults;
	readonly documents: LogDocuments;
	readonly logCommands: LogDocumentCommands;
	readonly exports: TaskExport;
	readonly details: TaskDetails;
	readonly tree: TaskTree;
	readonly stops: TaskStops;
	readonly branchCommands: BranchCommands;
	readonly applyCommands: ApplyCommands;
	readonly stepCommands: StepCommands;
	readonly stepSearches: StepSearches;
	readonly stepsPages: StepsPages;
	readonly promptEditor: PromptEditor;
	readonly next: NextTask;
	readonly launcher: TaskLauncher;
	readonly followUps: TaskFollowUps;
	readonly comments: ReviewComments;
	readonly prompts: CommentPrompts;
	readonly comparison: AgentComparison;
	/** Reads the prompts, logs and changes that questions about tasks need. */
	readonly material: TaskMaterial;
	readonly commands: TaskCommands;
	readonly resumption: TaskResumption;

	constructor(dependencies: TasksDependencies, { promptFile, treeView, fireTree }: TasksEditor) {
		super();
		const { extensionUri, connection, localService, composer, logger } = dependencies;
		const { workspaceState, globalState, storageUri } = dependencies.storage;
		const { disposables } = this;
		const ensureKey = () => connection.ensureKey();
		const active = new ActiveConnection(dependencies);
		this.active = active;
		const explain = (error: unknown) => void showTaskProblem(error, active.label, active.current?.dashboardUrl);

		// The tasks of the connection.
		const store = disposables.add(new TaskListStore(connection.client, systemClock));
		const agentTasks = disposables.add(new AgentTaskList(connection.client));
		const list = disposables.add(
			new ListRefresh({
				store,
				agentTasks,
				active,
				view: { isVisible: () => treeView.visible, isFocused: vscode.window.state.focused },
				timing: { clock: systemClock, intervalMs: () => intervalMsOf(readSetting('errand.tasks.refreshInterval')) },
				logger,
			}),
		);
		const picker = new TaskPicker({ store, list, active, ensureKey, explain });
		const { choose } = picker;

		// Their results.
		const comments = disposables.add(new CommentStore(workspaceState));
		const results = disposables.add(
			new TaskResults({
				workspaceState,
				store,
				active,
				choose,
				explain,
				readSteps: (...asked) => localService.readSteps(...asked),
				onGone: id => comments.forget(id),
				logger,
			}),
		);
		this.results = results;
		const { changes, steps, unread } = results;
		const look = (id: string) => results.look(id);

		// Their logs.
		const ends = new TaskEnds();
		const logFiles = storageUri && new LogFiles(path.join(storageUri.fsPath, 'followed'));
		const logs = disposables.add(new LogFollowers({ workspaceState, logFiles, store, active, ends }));
		const documents = disposables.add(new LogDocuments(logs));
		this.documents = documents;
		disposables.add(
			new StepLenses({
				steps,
				isOver: id => !isActiveTask(store.get(id) ?? {}),
				onDidEnd: ends.onDidEnd,
				isActive: name => active.is(name),
				linesOf: document => documents.linesOf(document),
			}),
		);
		this.logCommands = new LogDocumentCommands({ documents, logs, store, choose, look, explain });
		this.exports = new TaskExport({ changes, logCommands: this.logCommands, choose, explain });

		// Their rows, and the notices about them.
		this.details = disposables.add(new TaskDetails({ store, active, choose }));
		const archive = disposables.add(new TaskArchive({ globalState, store, active }));
		const own = disposables.add(new OwnRepositories());
		const tree = new TaskTree({
			lists: { store, agentTasks, load: () => list.load() },
			marks: {
				followState: id => logs.state(id),
				isArchived: task => archive.has(task),
				hasComments: id => comments.hasUnsent(id),
			},
			active,
			own,
			below: results.rows,
		});
		this.tree = tree;
		const view = disposables.add(new TaskView({ treeView, fireTree, store, tree, active, unread, globalState }));
		disposables.add(
			new TaskNotices({
				ends,
				logs: {
					isVisible: (connection, id) => logs.isVisible(connection, id) || documents.isVisible(connection, id),
					show: (task, target) => logs.show(task.id, target, { task, takesFocus: true }),
				},
				unread,
				active,
				explain,
			}),
		);

		// The actions on them.
		this.stops = new TaskStops({ store, active, explain });
		const partialWork = new PartialWork({
			store,
			active,
			keepWork: id => localService.keepWork(id),
			askModal,
			refresh: () => list.refresh(),
			explain,
		});
		this.branchCommands = new BranchCommands({
			globalState,
			store,
			explain,
			choose,
			forgetBranch: result => changes.remove(result),
			dialogs: editorDialogs,
		});
		this.applyCommands = new ApplyCommands({
			changes,
			store,
			choose,
			recordFile: storageUri && new ApplyRecordFile(storageUri.fsPath),
			explain,
		});

		// The start of tasks.
		const promptEditor = disposables.add(new PromptEditor({ file: promptFile, composer, explain }));
		this.promptEditor = promptEditor;
		/** Agents may be installed or removed at any time, so each launch reads them again. */
		const target = async (): Promise<TaskTarget> => {
			const { connection: found, client } = await active.target();
			return { client, connection: { ...found, agents: await connection.agents() } };
		};
		const check = (subjects: SubjectChoice): LaunchCheckDependencies => ({
			subjects,
			globalState,
			nameFolder: folder => localService.nameRepositories([folder]),
			checkTask: request => localService.checkTask(request),
			serversForTasks: dependencies.serversForTasks,
			isEmptyGitUser: store.latest()?.isEmptyGitUser === true,
		});
		const next = disposables.add(
			new NextTask({
				promptFile,
				promptEditor,
				globalState,
				connection: {
					target,
					label: () => active.label,
					isStopped: async () => (await active.read()).isLocal && localService.isStopped(),
					changes: [connection.onDidChange, localService.onDidChangeStopped],
				},
				readSandbox: async folder =>
					(await localService.checkTask({ repoUrl: folder, agents: [], installDependencies: false })).sandbox,
				check,
			}),
		);
		this.next = next;
		const launcher = new TaskLauncher({
			workspaceState,
			composer,
			promptEditor,
			next,
			check,
			connection: {
				...{ target, ensureKey, allow: consent => localService.allow(consent) },
				createWithServers: request => localService.createTask(request),
			},
			...{ store, list, active, logs, view, explain },
			starts: results.starts,
			logger,
		});
		this.launcher = launcher;

		// Their continuation.
		const followUps = new TaskFollowUps({
			workspaceState,
			tasks: { store, findWorktree: findWorktreeBranch },
			active,
			agents: () => connection.agents(),
			runner: {
				goesOn: (task, target) => logs.show(task.id, target, { task }),
				start: (request, target) => launcher.startFollowUp(request, target),
			},
			user: { isTrusted: () => vscode.workspace.isTrusted, askModal, explain },
		});
		this.followUps = followUps;
		this.stepsPages = disposables.add(
			new StepsPages({ extensionUri, active, store, load: () => list.load(), steps, choose, explain, logger }),
		);
		this.stepCommands = new StepCommands({
			...{ active, store, steps, explain },
			references: results.references,
			apply: this.applyCommands,
			dialogs: editorDialogs,
			saveBundle: (...asked) => localService.saveStepBundle(...asked),
			showEntry: (...asked) => this.logCommands.showEntry(...asked),
			showSteps: (...asked) => this.stepsPages.open(...asked),
			continueFrom: (...asked) => followUps.goOnFrom(...asked),
		});
		this.stepSearches = new StepSearches({
			...{ store, steps, explain },
			dialogs: editorDialogs,
			service: localService,
			withProgress: withProgressNotice,
			openLog: () => disposables.add(new LogChannel(`Errand: ${searchName}`)),
			runStepAction: (...asked) => this.stepCommands.run(...asked),
		});

		// The answers of the user to their work.
		const access = { client: connection.client, ensureKey, label: () => active.label };
		const tasks = {
			all: () => store.all(),
			get: async (id: string) => store.get(id) ?? (await active.target()).client.tasks.get(id),
			pick: picker.pick,
			send: (task: Task, result: TaskResult, prompt: string) =>
				followUps.sendPrompt(task.id, prompt, agentBranchOf(task, result)),
		};
		const answering = { workspaceState, extensionUri, changes, tasks, connection: access, explain, logger };
		this.comments = disposables.add(new ReviewComments(comments, explain));
		this.prompts = disposables.add(
			new CommentPrompts({ ...answering, scheme: COMMENT_PROMPT_SCHEME, store: comments }),
		);
		const composeWork: LocalService['composeWork'] = async (...asked) => {
			const task = await localService.composeWork(...asked);
			store.put(task);
			return task;
		};
		this.comparison = disposables.add(
			new AgentComparison({
				...answering,
				composeWork: () => (active.current?.isLocal ? composeWork : undefined),
				list: {
					get: id => store.get(id),
					load: () => list.load(),
					refresh: async () => {
						await list.load('first');
						return store.error;
					},
					// A stopped service is not started again to read how its tasks have ended.
					onDidChange: listener => store.onDidChange(() => active.isStopped || listener(undefined)),
				},
			}),
		);
		this.material = new TaskMaterial(answering);

		// The commands that concern many of these parts.
		const { stops } = this;
		this.commands = new TaskCommands({
			ensureKey,
			lists: { store, agentTasks, list },
			picker,
			results,
			logs,
			view,
			tree,
			actions: { stops, partialWork, followUps, archive },
		});
		this.resumption = new TaskResumption({
			workspaceState,
			active,
			isServiceStopped: () => localService.isStopped(),
			lists: { store, list, view },
			logs,
			documents,
			launcher,
			results,
			logger,
		});

		// The reactions to events.
		const redraw = () => view.redraw();
		disposables.add(store.onDidChange(() => void this.resumption.listChanged()));
		disposables.add(
			logs.onDidChange(id => {
				view.taskChanged(id);
				view.update();
				list.wake();
			}),
		);
		disposables.add(changes.onDidChange(redraw));
		disposables.add(steps.onDidChange(redraw));
		disposables.add(agentTasks.onDidChange(redraw));
		disposables.add(archive.onDidChange(redraw));
		disposables.add(own.onDidChange(redraw));
		disposables.add(comments.onDidChange(id => view.taskChanged(id)));
		disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => view.update()));
		disposables.add(vscode.window.onDidChangeWindowState(({ focused }) => list.focusChanged(focused)));
		disposables.add(treeView.onDidChangeVisibility(({ visible }) => list.visibilityChanged(visible)));
		disposables.add(localService.onDidChangeStopped(() => void this.resumption.serviceChanged()));
		disposables.add(connection.onDidChange(() => void this.resumption.connectionChanged()));
		void own.find();
	}
}
