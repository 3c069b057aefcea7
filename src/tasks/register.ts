import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { registerCommand, setContextKey } from '../platform/commands.ts';
import { commands, internalCommands, PROMPT_SCHEME, views } from '../platform/ids.ts';
import { isEntryKey } from '../platform/sharedState.ts';
import { PromptFile } from './launch/promptFile.ts';
import type { TaskLauncher } from './launch/taskLauncher.ts';
import {
	BEHIND_ENTRIES,
	FOLLOWED_ENTRIES,
	OPEN_LOGS_KEY,
	PENDING_ENTRIES,
	SCRATCH_ENTRIES,
} from './model/storageKeys.ts';
import type { TasksDependencies, TasksFeature } from './tasksFeature.ts';
import type { TreeNode } from './taskTree.ts';

/** This check is cheap enough for every move of the cursor; the code that is loaded afterwards decides exactly. */
const MAYBE_TODO = /TODO|FIXME/;

/**
 * Registers the tree and the commands. Their implementation loads when the view first becomes visible or a command
 * first runs.
 */
export function registerTasks(dependencies: TasksDependencies): Disposable {
	const store = new DisposableStore();
	const changed = store.add(new vscode.EventEmitter<TreeNode[] | undefined>());
	let loaded: Promise<TasksFeature> | undefined;
	const feature = (): Promise<TasksFeature> => {
		loaded ??= import('./tasksFeature.ts').then(({ createTasksFeature }) =>
			store.add(createTasksFeature(dependencies, promptFile, view, rows => changed.fire(rows))),
		);
		return loaded;
	};

	const view = store.add(
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

	const promptFile = store.add(new PromptFile(PROMPT_SCHEME, dependencies.workspaceState, () => void feature()));
	store.add(registerWaysToStart(async () => (await feature()).launcher));

	store.add(registerCommand(commands.followTask, async argument => (await feature()).follow(argument)));
	store.add(registerCommand(commands.openTaskLog, async argument => (await feature()).openLog(argument)));
	store.add(registerCommand(commands.stopTask, async argument => (await feature()).stop(argument)));
	store.add(registerCommand(commands.continueTask, async argument => (await feature()).continueTask(argument)));
	store.add(registerCommand(commands.refreshTasks, async () => (await feature()).refresh()));
	store.add(registerCommand(commands.filterTasks, async () => (await feature()).filter()));
	store.add(registerCommand(commands.openTaskLogDocument, async argument => (await feature()).openDocument(argument)));
	store.add(registerCommand(commands.saveTaskLog, async (argument, file) => (await feature()).saveLog(argument, file)));
	store.add(registerCommand(commands.loadEarlierLog, async uri => (await feature()).documents.loadEarlier(uri)));
	store.add(registerCommand(commands.loadLaterLog, async uri => (await feature()).documents.loadLater(uri)));
	store.add(registerCommand(commands.showLogEnd, async uri => (await feature()).documents.showEnd(uri)));
	store.add(registerCommand(internalCommands.loadMoreTasks, async () => (await feature()).loadMore()));
	store.add(registerCommand(internalCommands.loadMoreAgentTasks, async () => (await feature()).loadMoreAgentTasks()));

	// After a reload, a window resumes the tasks that it followed, shows the logs that were open, looks for the task that
	// it was just starting, and cleans up after those that have ended meanwhile.
	const { workspaceState } = dependencies;
	const prefixes = [FOLLOWED_ENTRIES, PENDING_ENTRIES, SCRATCH_ENTRIES, BEHIND_ENTRIES];
	const isOurs = (key: string) => key === OPEN_LOGS_KEY || prefixes.some(prefix => isEntryKey(key, prefix));
	if (workspaceState.keys().some(isOurs)) {
		feature()
			.then(tasks => tasks.resume())
			.catch((error: unknown) =>
				dependencies.logger.log('error', 'followed tasks could not be resumed', { reason: describeError(error) }),
			);
	}
	return store;
}

/** Registers the ways to start a task: commands, links and code actions. */
function registerWaysToStart(launcher: () => Promise<TaskLauncher>): Disposable {
	const store = new DisposableStore();
	store.add(registerCommand(commands.startTask, async argument => (await launcher()).start(argument)));
	store.add(
		registerCommand(commands.startTaskFromSelection, async argument => (await launcher()).startFromPlace(argument)),
	);
	store.add(registerCommand(commands.startTaskFromPrompt, async () => (await launcher()).startFromPrompt()));
	store.add(
		vscode.window.registerUriHandler({ handleUri: async uri => (await launcher()).startFromLink(uri.path, uri.query) }),
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
