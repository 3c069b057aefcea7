import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import { PickList } from '../../platform/pick.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import { distinctTitles } from '../model/distinctTitles.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { sortTasks } from '../model/taskGroups.ts';
import { describeTask } from '../model/taskRow.ts';
import type { ListRefresh } from './listRefresh.ts';
import type { TaskListStore } from './taskListStore.ts';

/**
 * Ids contain no white space and must not be `.` or `..`, which would change the path of a URL. Ids of the contract's
 * services are far shorter than the limit.
 */
const ID = /^(?!\.{1,2}$)\S{1,200}$/;

interface TaskItem extends vscode.QuickPickItem {
	taskId: string;
}

/** Returns the id in a command's argument, which may be a row of the tree, an id or something else. */
export function taskIdOf(argument: unknown): string | undefined {
	const candidate =
		typeof argument === 'object' && argument !== null && 'taskId' in argument ? argument.taskId : argument;
	return typeof candidate === 'string' && ID.test(candidate.trim()) ? candidate.trim() : undefined;
}

export interface TaskPickerDependencies {
	store: TaskListStore;
	list: Pick<ListRefresh, 'load'>;
	active: Pick<ActiveConnection, 'target'>;
	/** Asks for the key if it is missing. Resolves with false if there is still none, which the user has been told. */
	ensureKey(): Promise<boolean>;
	explain(error: unknown): void;
}

/** Finds the task of a command. */
export class TaskPicker {
	private readonly dependencies: TaskPickerDependencies;

	constructor(dependencies: TaskPickerDependencies) {
		this.dependencies = dependencies;
	}

	/** Returns the task that an argument names or that the user chooses among all tasks. */
	readonly choose: ChooseTask = async (argument, title) => {
		const { store, list, active, ensureKey, explain } = this.dependencies;
		if (!(await ensureKey())) {
			return undefined;
		}
		let id = taskIdOf(argument);
		if (id === undefined) {
			void list.load();
			id = await pickTaskOrId(store, title);
		}
		if (id === undefined) {
			return undefined;
		}
		try {
			return { id, target: await active.target() };
		} catch (error) {
			explain(error);
			return undefined;
		}
	};

	/**
	 * Lets the user choose among the tasks that match. Resolves with undefined when dismissed, or if no task matches,
	 * which the user is told with the sentence `none`.
	 */
	readonly pick = async (
		matches: (task: Task) => boolean,
		title: string,
		none: string,
	): Promise<string | undefined> => {
		const { store, list, explain } = this.dependencies;
		await list.load('first');
		if (Array.from(store.all()).some(matches)) {
			return pickMatchingTask(store, title, matches);
		}
		if (store.error === undefined) {
			void showMessage('information', none);
		} else {
			explain(store.error);
		}
		return undefined;
	};
}

/**
 * Lets the user choose one of the listed tasks or type the id of another one. Resolves with undefined when dismissed.
 */
function pickTaskOrId(store: TaskListStore, title: string): Promise<string | undefined> {
	const rowsFor = (text: string): TaskItem[] => {
		const titles = distinctTitles([...store.all()], rowWords.untitled);
		const items = sortTasks(store.all()).map(task => itemOf(task, titles));
		const typed = taskIdOf(text);
		if (typed !== undefined) {
			// The picker filters by the visible text, which does not include the id.
			const listed = store.get(typed);
			const label = listed ? itemOf(listed, titles).label : escapeIcons(vscode.l10n.t('Task with ID “{0}”', typed));
			items.push({ label, alwaysShow: true, taskId: typed });
		}
		return items;
	};
	const list = new PickList<TaskItem, string>(picker => {
		picker.title = title;
		picker.placeholder = vscode.l10n.t('Select a task, or paste a task ID');
		picker.matchOnDescription = true;
		picker.onDidChangeValue(text => {
			picker.items = rowsFor(text);
		});
		picker.onDidAccept(() => {
			// Enter may be pressed before the row for the pasted text exists.
			const taskId = picker.activeItems[0]?.taskId ?? taskIdOf(picker.value);
			if (taskId !== undefined) {
				list.end(taskId);
			}
		});
	});
	const picker = list.show(rowsFor(''));
	picker.busy = true;
	void store.refresh().then(() => {
		picker.busy = false;
		picker.items = rowsFor(picker.value);
	});
	return list.result;
}

/**
 * Lets the user choose one of the listed tasks that match; rows say so if `isArchived` returns true for their tasks.
 * Resolves with undefined when dismissed.
 */
export async function pickMatchingTask(
	store: TaskListStore,
	title: string,
	matches: (task: Task) => boolean,
	isArchived?: (task: Task) => boolean,
): Promise<string | undefined> {
	const titles = distinctTitles([...store.all()], rowWords.untitled);
	const items = sortTasks(store.all())
		.filter(matches)
		.map(task => itemOf(task, titles, isArchived?.(task)));
	return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.taskId;
}

function itemOf(task: Task, titles: ReadonlyMap<string, string>, isArchived = false): TaskItem {
	const title = titles.get(task.id);
	const row = describeTask(
		task,
		{ title, now: Date.now(), follow: undefined, isStopping: false, isArchived },
		rowWords,
	);
	return {
		label: `$(${row.icon.id}) ${escapeIcons(row.label)}`,
		description: escapeIcons(row.description),
		taskId: task.id,
	};
}
