import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { onFirstUse } from '../base/async.ts';
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
import { DraftFileSystem } from './common/draftFileSystem.ts';
import { registerReadOnlyFiles } from './common/readOnlyFiles.ts';
import { PromptFile } from './launch/promptFile.ts';
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
import type { BelowNode } from './results/resultRows.ts';
import type { TasksDependencies, TasksFeature } from './tasksFeature.ts';

/** A test cheap enough for every move of the cursor; the code that is loaded afterwards decides exactly. */
const MAYBE_TODO = /TODO|FIXME/;

/** Registers a command that the loaded feature carries out. */
type Register = (command: CommandId, run: (parts: TasksFeature, ...asked: unknown[]) => unknown) => void;
type Restore = vscode.WebviewPanelSerializer['deserializeWebviewPanel'];

/**
 * Registers the tree and the commands. Their implementation loads when the view first becomes visible, a command first
 * runs, or another feature first uses the tasks.
 */
export function registerTasks(dependencies: TasksDependencies): Tasks & { programs: TasksForPrograms } {
	const store = new DisposableStore();
	const changed = store.add(new vscode.EventEmitter<TreeNode[] | undefined>());
	const feature = onFirstUse(async (): Promise<TasksFeature> => {
		const { TasksFeature } = await import('./tasksFeature.ts');
		return store.add(new TasksFeature(dependencies, { promptFile, treeView, fireTree: rows => changed.fire(rows) }));
	});

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
	const register: Register = (command, run) =>
		store.add(registerCommand(command, async (...asked) => run(await feature(), ...asked)));
	registerCommands(register);
	store.add(
		vscode.languages.registerCodeActionsProvider(
			{ scheme: 'file' },
			{ provideCodeActions: offerTask },
			{ providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
		),
	);
	store.add(registerReadOnlyFiles(LOG_SCHEME, async () => (await feature()).documents));
	store.add(registerReadOnlyFiles(TASK_SCHEME, async () => (await feature()).details));
	store.add(registerReadOnlyFiles(CHANGE_SCHEME, async () => (await feature()).results.files));
	store.add(watchShownChanges());
	const restored = (page: string, load: (parts: TasksFeature) => { restore: Restore }) =>
		store.add(
			vscode.window.registerWebviewPanelSerializer(`errand.${page}`, {
				deserializeWebviewPanel: async (tab, state) => load(await feature()).restore(tab, state),
			}),
		);
	restored(STEPS_PAGE, ({ stepsPages }) => stepsPages);
	restored(COMPARISON_PAGE, ({ comparison }) => comparison);
	store.add(
		new DraftFileSystem(COMMENT_PROMPT_SCHEME, {
			read: async uri => (await feature()).prompts.read(uri),
			write: async (uri, text) => (await feature()).prompts.write(uri, text),
		}),
	);

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
		choose: async (...asked) => (await feature()).material.choose(...asked),
		readLog: async (...asked) => (await feature()).material.readLog(...asked),
		readChanges: async (...asked) => (await feature()).material.readChanges(...asked),
		readPatches: async (...asked) => (await feature()).comparison.readPatches(...asked),
		readForChat: async argument => {
			const { material, active } = await feature();
			return (await import('./review/taskForChat.ts')).readTaskForChat(material, argument, active.label);
		},
		launcher: async () => (await feature()).launcher,
		next: async () => (await feature()).next,
		showLogEntry: async (...asked) => (await feature()).logCommands.showEntry(...asked),
		ranges: {
			list: async range => (await import('./apply/commitRanges.ts')).describeRange(range),
			compare: async (...asked) => (await import('./apply/commitRanges.ts')).compareRanges(...asked),
			showFiles: async files => (await feature()).stepCommands.showFilesOf(files),
			take: async (...asked) => (await feature()).applyCommands.take(...asked),
			takeAllowed: async range => (await feature()).applyCommands.takeAllowed(range),
			takeBack: async (...asked) => (await feature()).applyCommands.takeBack(...asked),
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

function registerCommands(register: Register): void {
	register(commands.startTask, ({ launcher }, argument) => launcher.start(argument));
	register(internalCommands.startTaskFromSelection, ({ launcher }, argument) => launcher.startFromPlace(argument));
	register(internalCommands.startTaskFromPrompt, ({ launcher }) => launcher.startFromEditor());
	register(internalCommands.takePromptToChat, ({ promptEditor }) => promptEditor.takeToChat());

	// The list and its rows, of which those of steps mean the files as of there.
	const orOfStep =
		(action: StepAction, run: (parts: TasksFeature, argument: unknown) => unknown) =>
		(parts: TasksFeature, argument: unknown) =>
			isStepNode(argument) ? parts.stepCommands.run(action, argument) : run(parts, argument);
	register(
		commands.reviewTaskChanges,
		orOfStep('changes', ({ results }, argument) => results.reviewChanges(argument)),
	);
	register(
		commands.applyTaskChanges,
		orOfStep('take', ({ applyCommands }, argument) => applyCommands.apply(argument)),
	);
	register(
		commands.continueTask,
		orOfStep('continue', (parts, argument) => parts.commands.continue(argument)),
	);
	register(
		commands.openTaskLog,
		orOfStep('log', (parts, argument) => parts.commands.openLog(argument)),
	);
	register(internalCommands.runStepAction, ({ stepCommands }, action, row) => stepCommands.run(action, row));
	register(internalCommands.searchSteps, ({ stepSearches }, taskId) => stepSearches.run(taskId));
	register(commands.showTaskSteps, ({ stepsPages }, argument) => stepsPages.open(argument));
	register(commands.showTaskDetails, ({ details }, argument) => details.open(argument));
	register(commands.openTaskLogDocument, ({ logCommands }, argument) => logCommands.open(argument));
	register(commands.saveTaskLog, ({ exports }, row, file) => exports.run(row, file));
	register(commands.stopTask, (parts, argument) => parts.commands.stop(argument));
	register(commands.keepTaskWork, (parts, argument) => parts.commands.keepWork(argument));
	register(commands.archiveTask, (parts, argument) => parts.commands.archive(argument));
	register(commands.refreshTasks, parts => parts.commands.refresh());
	register(commands.filterTasks, parts => parts.commands.filter());
	register(internalCommands.loadMoreTasks, parts => parts.commands.loadMore());
	register(internalCommands.loadMoreAgentTasks, parts => parts.commands.loadMoreAgentTasks());
	register(internalCommands.showMoreFiles, (parts, row) => parts.commands.showMoreFiles(row));
	register(internalCommands.readChangesAgain, ({ results }, row) => results.rows.readAgain(row as BelowNode));

	// The branch of a task, and what takes its changes into the user's files.
	register(commands.checkoutTaskBranch, ({ branchCommands }, argument) => branchCommands.checkOut(argument));
	register(commands.openTaskWorktree, ({ branchCommands }, argument) => branchCommands.openWorktree(argument));
	register(commands.mergeTaskBranch, ({ branchCommands }, argument) => branchCommands.merge(argument));
	register(commands.pushTaskBranch, ({ branchCommands }, argument) => branchCommands.push(argument));
	register(commands.openTaskPullRequest, ({ branchCommands }, argument) => branchCommands.openPullRequest(argument));
	register(commands.openTaskDashboard, ({ branchCommands }, argument) => branchCommands.openInBrowser(argument));
	register(commands.copyTaskId, ({ branchCommands }, argument) => branchCommands.copy(argument));
	register(commands.deleteTaskBranch, ({ branchCommands }, argument) => branchCommands.delete(argument));
	register(commands.takeHunk, ({ applyCommands }, argument) => applyCommands.takeHunk(argument));
	register(commands.compareWithFile, ({ applyCommands }, argument) => applyCommands.compareWithFile(argument));
	register(commands.undoApply, ({ applyCommands }) => applyCommands.undo());

	// The user's answers to the work of tasks.
	register(commands.saveComment, ({ comments }, argument) => comments.save(argument));
	register(commands.cancelComment, ({ comments }, argument) => comments.cancel(argument));
	register(commands.editComment, ({ comments }, argument) => comments.edit(argument));
	register(commands.deleteComment, ({ comments }, argument) => comments.remove(argument));
	register(commands.sendTaskComments, ({ prompts }, argument) => prompts.openOrSend(argument));
	register(commands.compareAgents, ({ comparison }, argument) => comparison.compare(argument));
}

/** Offers a task for a problem or for a remark such as a TODO. */
async function offerTask(
	document: vscode.TextDocument,
	range: vscode.Range,
	{ diagnostics }: vscode.CodeActionContext,
): Promise<vscode.CodeAction[] | undefined> {
	const { line } = document.validatePosition(range.start);
	if (diagnostics.length === 0 && !MAYBE_TODO.test(document.lineAt(line).text)) {
		return undefined;
	}
	const { placeActions } = await import('./launch/promptSources.ts');
	return placeActions(document, range, diagnostics);
}
