import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import type { TasksForPrograms } from '../mcp/api.ts';
import { registerCommand, setContextKey } from '../platform/commands.ts';
import {
	CHANGE_SCHEME,
	COMMENT_PROMPT_SCHEME,
	COMPARISON_PAGE,
	type CommandId,
	commands,
	internalCommands,
	LOG_SCHEME,
	PROMPT_SCHEME,
	STEPS_PAGE,
	TASK_SCHEME,
	views,
} from '../platform/ids.ts';
import { isEntryKey } from '../platform/sharedState.ts';
import type { Tasks } from './api.ts';
import type { ApplyCommands } from './apply/applyCommands.ts';
import type { BranchCommands } from './branches/branchCommands.ts';
import { DraftFileSystem } from './common/draftFileSystem.ts';
import { registerReadOnlyFiles } from './common/readOnlyFiles.ts';
import { PromptFile } from './launch/promptFile.ts';
import type { TaskLauncher } from './launch/taskLauncher.ts';
import type { TreeNode } from './list/taskTree.ts';
import { isStepNode, type StepAction } from './model/stepNode.ts';
import {
	COMMENT_ENTRIES,
	FOLLOWED_ENTRIES,
	HAS_TASKS_KEY,
	LAST_APPLY_FILE,
	OPEN_LOGS_KEY,
	PENDING_ENTRIES,
	RUNNING_APPLY_FILE,
	SCRATCH_ENTRIES,
} from './model/storageKeys.ts';
import type { TaskAnswers } from './review/taskAnswers.ts';
import type { TaskCommands } from './taskCommands.ts';
import type { TasksDependencies, TasksFeature } from './tasksFeature.ts';

/** A test cheap enough for every move of the cursor; the code that is loaded afterwards decides exactly. */
const MAYBE_TODO = /TODO|FIXME/;

/**
 * Registers the tree and the commands. Their implementation loads when the view first becomes visible, a command first
 * runs, or another feature first uses the tasks.
 */
export function registerTasks(dependencies: TasksDependencies): Tasks & { programs: TasksForPrograms } {
	const store = new DisposableStore();
	const changed = store.add(new vscode.EventEmitter<TreeNode[] | undefined>());
	let loaded: Promise<TasksFeature> | undefined;
	const feature = (): Promise<TasksFeature> => {
		loaded ??= import('./tasksFeature.ts').then(({ TasksFeature }) =>
			store.add(new TasksFeature(dependencies, { promptFile, treeView, fireTree: rows => changed.fire(rows) })),
		);
		return loaded;
	};

	const treeView = store.add(
		vscode.window.createTreeView<TreeNode>(views.tasks, {
			showCollapseAll: false,
			treeDataProvider: {
				onDidChangeTreeData: changed.event,
				getChildren: async node => (await feature()).tree.getChildren(node),
				getTreeItem: async node => (await feature()).tree.getTreeItem(node),
				getParent: async node => (await feature()).tree.getParent(node),
				resolveTreeItem: async (item, node) => (await feature()).tree.resolveTreeItem(item, node),
			},
		}),
	);
	setContextKey('errand.tasksState', 'loading');
	setContextKey('errand.hasTasks', dependencies.storage.globalState.get(HAS_TASKS_KEY, false));

	const promptFile = store.add(
		new PromptFile(PROMPT_SCHEME, dependencies.storage.workspaceState, () => void feature()),
	);
	store.add(registerWaysToStart(feature));

	store.add(registerTaskCommands(async () => (await feature()).commands));
	store.add(registerBranchCommands(async () => (await feature()).branchCommands));
	store.add(
		registerCommand(commands.openTaskLogDocument, async argument => (await feature()).logCommands.open(argument)),
	);
	store.add(registerCommand(commands.saveTaskLog, async (row, file) => (await feature()).exports.run(row, file)));
	store.add(registerReadOnlyFiles(LOG_SCHEME, async () => (await feature()).documents));
	store.add(registerCommand(commands.showTaskDetails, async argument => (await feature()).details.open(argument)));
	store.add(registerCommand(commands.showTaskSteps, async argument => (await feature()).stepsPages.open(argument)));
	store.add(
		vscode.window.registerWebviewPanelSerializer(`errand.${STEPS_PAGE}`, {
			deserializeWebviewPanel: async (tab, state) => (await feature()).stepsPages.restore(tab, state),
		}),
	);
	store.add(registerReadOnlyFiles(TASK_SCHEME, async () => (await feature()).details));
	store.add(registerStepCommands(feature));
	store.add(watchShownChanges());
	store.add(registerReadOnlyFiles(CHANGE_SCHEME, async () => (await feature()).results.files));
	store.add(registerCommand(internalCommands.readChangesAgain, async row => (await feature()).results.readAgain(row)));
	store.add(registerApplyCommands(async () => (await feature()).applyCommands));
	store.add(registerAnswers(async () => (await feature()).answers));

	const { workspaceState, storageUri } = dependencies.storage;
	const isStored = (name: string) => storageUri !== undefined && existsSync(path.join(storageUri.fsPath, name));
	if (isStored(LAST_APPLY_FILE)) {
		setContextKey('errand.canUndoApply', true);
	}
	if (isStored(RUNNING_APPLY_FILE)) {
		void feature().then(({ applyCommands }) => applyCommands.resume());
	}

	// After a reload, a window resumes the tasks that it followed, looks for the task that it was just starting, and
	// cleans up after tasks that have ended meanwhile.
	const prefixes = [FOLLOWED_ENTRIES, PENDING_ENTRIES, SCRATCH_ENTRIES, COMMENT_ENTRIES];
	const isOurs = (key: string) => key === OPEN_LOGS_KEY || prefixes.some(prefix => isEntryKey(key, prefix));
	if (workspaceState.keys().some(isOurs)) {
		feature()
			.then(({ resumption }) => resumption.windowOpened())
			.catch((error: unknown) =>
				dependencies.logger.log('error', 'followed tasks could not be resumed', { reason: describeError(error) }),
			);
	}
	return {
		choose: async (...asked) => (await feature()).answers.material.choose(...asked),
		readLog: async (...asked) => (await feature()).answers.material.readLog(...asked),
		readChanges: async (...asked) => (await feature()).answers.material.readChanges(...asked),
		readPatches: async (...asked) => (await feature()).answers.readPatches(...asked),
		readForChat: async argument => (await feature()).answers.readForChat(argument),
		startPrompt: async prompt => (await feature()).launcher.startPrompt(prompt),
		openEditor: async text => (await feature()).launcher.openEditor(text),
		next: {
			follow: async show => (await feature()).next.follow(show),
			choose: async choice => (await feature()).next.choose(choice),
		},
		showLogEntry: async (...asked) => (await feature()).logCommands.showEntry(...asked),
		ranges: {
			list: async range => (await import('./apply/commitRanges.ts')).describeRange(range),
			compare: async (...asked) => (await import('./apply/commitRanges.ts')).compareRanges(...asked),
			showFiles: async files => (await feature()).stepCommands.showFilesOf(files),
			take: async (...asked) =>
				(await import('./apply/commitRanges.ts')).takeRange((await feature()).applyCommands, ...asked),
			takeAllowed: async range =>
				(await import('./apply/commitRanges.ts')).takeAllowedRange((await feature()).applyCommands, range),
			takeBack: async (...asked) =>
				(await import('./apply/commitRanges.ts')).takeBackRange((await feature()).applyCommands, ...asked),
		},
		programs: {
			start: async (...asked) => (await feature()).launcher.startForProgram(...asked),
			continueTask: async (...asked) => (await feature()).followUps.sendForProgram(...asked),
			stop: async (...asked) => (await feature()).stops.stopForProgram(...asked),
			changes: async asked => (await import('./results/changeList.ts')).listChanges(await feature(), asked),
			diff: async asked => (await import('./results/changeList.ts')).readDiff(await feature(), asked),
		},
		dispose: () => store.dispose(),
	};
}

/** Updates the context key by which the menus distinguish a review from other editors with several files. */
function watchShownChanges(): Disposable {
	const isChange = ({ document }: vscode.TextEditor) => document.uri.scheme === CHANGE_SCHEME;
	const update = () => setContextKey('errand.showsChanges', vscode.window.visibleTextEditors.some(isChange));
	update();
	return vscode.window.onDidChangeVisibleTextEditors(update);
}

/** Registers the commands that rows of tasks and of their steps share: for a step, they mean the files as of there. */
function registerStepCommands(load: () => Promise<TasksFeature>): Disposable {
	const store = new DisposableStore();
	const register = (
		command: CommandId,
		action: StepAction,
		run: (feature: TasksFeature, argument: unknown) => Promise<void>,
	) =>
		store.add(
			registerCommand(command, async argument => {
				const feature = await load();
				await (isStepNode(argument) ? feature.stepCommands.run(action, argument) : run(feature, argument));
			}),
		);
	register(commands.reviewTaskChanges, 'changes', ({ results }, argument) => results.reviewChanges(argument));
	register(commands.applyTaskChanges, 'take', ({ applyCommands }, argument) => applyCommands.apply(argument));
	register(commands.continueTask, 'continue', (feature, argument) => feature.commands.continue(argument));
	register(commands.openTaskLog, 'log', (feature, argument) => feature.commands.openLog(argument));
	store.add(
		registerCommand(internalCommands.runStepAction, async (...asked) => (await load()).stepCommands.run(...asked)),
	);
	store.add(registerCommand(internalCommands.searchSteps, async taskId => (await load()).stepSearches.run(taskId)));
	return store;
}

/** Registers the commands of the list and of its rows. */
function registerTaskCommands(load: () => Promise<TaskCommands>): Disposable {
	const store = new DisposableStore();
	store.add(registerCommand(commands.stopTask, async argument => (await load()).stop(argument)));
	store.add(registerCommand(commands.keepTaskWork, async argument => (await load()).keepWork(argument)));
	store.add(registerCommand(commands.archiveTask, async argument => (await load()).archive(argument)));
	store.add(registerCommand(commands.refreshTasks, async () => (await load()).refresh()));
	store.add(registerCommand(commands.filterTasks, async () => (await load()).filter()));
	store.add(registerCommand(internalCommands.loadMoreTasks, async () => (await load()).loadMore()));
	store.add(registerCommand(internalCommands.loadMoreAgentTasks, async () => (await load()).loadMoreAgentTasks()));
	store.add(registerCommand(internalCommands.showMoreFiles, async row => (await load()).showMoreFiles(row)));
	return store;
}

/** Registers the commands for the branch of a task. */
function registerBranchCommands(load: () => Promise<BranchCommands>): Disposable {
	const store = new DisposableStore();
	const register = (command: CommandId, run: (all: BranchCommands, argument: unknown) => Promise<void>) =>
		store.add(registerCommand(command, async argument => run(await load(), argument)));
	register(commands.checkoutTaskBranch, (all, argument) => all.checkOut(argument));
	register(commands.openTaskWorktree, (all, argument) => all.openWorktree(argument));
	register(commands.mergeTaskBranch, (all, argument) => all.merge(argument));
	register(commands.pushTaskBranch, (all, argument) => all.push(argument));
	register(commands.openTaskPullRequest, (all, argument) => all.openPullRequest(argument));
	register(commands.openTaskDashboard, (all, argument) => all.openInBrowser(argument));
	register(commands.copyTaskId, (all, argument) => all.copy(argument));
	register(commands.deleteTaskBranch, (all, argument) => all.delete(argument));
	return store;
}

/** Registers the commands that take the changes of tasks into the user's files. */
function registerApplyCommands(apply: () => Promise<ApplyCommands>): Disposable {
	const store = new DisposableStore();
	store.add(registerCommand(commands.takeHunk, async argument => (await apply()).takeHunk(argument)));
	store.add(registerCommand(commands.compareWithFile, async argument => (await apply()).compareWithFile(argument)));
	store.add(registerCommand(commands.undoApply, async () => (await apply()).undo()));
	return store;
}

/** Registers the commands for the user's comments on tasks' changes, with the files for prompts made from comments. */
function registerAnswers(answers: () => Promise<TaskAnswers>): Disposable {
	const store = new DisposableStore();
	store.add(registerCommand(commands.saveComment, async argument => (await answers()).comments.save(argument)));
	store.add(registerCommand(commands.cancelComment, async argument => (await answers()).comments.cancel(argument)));
	store.add(registerCommand(commands.editComment, async argument => (await answers()).comments.edit(argument)));
	store.add(registerCommand(commands.deleteComment, async argument => (await answers()).comments.remove(argument)));
	store.add(registerCommand(commands.sendTaskComments, async argument => (await answers()).sendComments(argument)));
	store.add(registerCommand(commands.compareAgents, async argument => (await answers()).compare(argument)));
	store.add(
		vscode.window.registerWebviewPanelSerializer(`errand.${COMPARISON_PAGE}`, {
			deserializeWebviewPanel: async (tab, state) => (await answers()).comparison.restore(tab, state),
		}),
	);
	store.add(
		new DraftFileSystem(COMMENT_PROMPT_SCHEME, {
			read: async uri => (await answers()).prompts.read(uri),
			write: async (uri, text) => (await answers()).prompts.write(uri, text),
		}),
	);
	return store;
}

/** Registers the ways to start a task: commands, links and code actions. */
function registerWaysToStart(feature: () => Promise<TasksFeature>): Disposable {
	const store = new DisposableStore();
	const launcher = async (): Promise<TaskLauncher> => (await feature()).launcher;
	store.add(registerCommand(commands.startTask, async argument => (await launcher()).start(argument)));
	store.add(
		registerCommand(internalCommands.startTaskFromSelection, async argument =>
			(await launcher()).startFromPlace(argument),
		),
	);
	store.add(registerCommand(internalCommands.startTaskFromPrompt, async () => (await launcher()).startFromEditor()));
	store.add(
		registerCommand(internalCommands.takePromptToChat, async () => (await feature()).promptEditor.takeToChat()),
	);
	store.add(
		vscode.languages.registerCodeActionsProvider(
			{ scheme: 'file' },
			{
				async provideCodeActions(document, range, { diagnostics }) {
					const { line } = document.validatePosition(range.start);
					if (diagnostics.length === 0 && !MAYBE_TODO.test(document.lineAt(line).text)) {
						return undefined;
					}
					const { placeActions } = await import('./launch/promptSources.ts');
					return placeActions(document, range, diagnostics);
				},
			},
			{ providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
		),
	);
	return store;
}
