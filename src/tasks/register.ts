import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { registerCommand, setContextKey } from '../platform/commands.ts';
import { commands, internalCommands, views } from '../platform/ids.ts';
import { isEntryKey } from '../platform/sharedState.ts';
import { registerEntryPoints } from './launch/entryPoints.ts';
import {
	BEHIND_ENTRIES,
	FOLLOWED_ENTRIES,
	OPEN_LOGS_KEY,
	PENDING_ENTRIES,
	SCRATCH_ENTRIES,
} from './model/storageKeys.ts';
import type { TasksDependencies, TasksFeature } from './tasksFeature.ts';
import type { TreeNode } from './taskTree.ts';

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
			store.add(createTasksFeature(dependencies, entryPoints.promptFile, view, rows => changed.fire(rows))),
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

	const entryPoints = store.add(
		registerEntryPoints(dependencies.workspaceState, async () => (await feature()).launcher),
	);

	store.add(registerCommand(commands.startTask, async argument => (await feature()).start(argument)));
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
