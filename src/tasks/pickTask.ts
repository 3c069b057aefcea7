import * as vscode from 'vscode';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { rowWords } from './common/messages.ts';
import { escapeIcons } from './model/plainText.ts';
import { sortTasks } from './model/taskGroups.ts';
import { describeTask } from './model/taskRow.ts';
import type { TaskStore } from './taskStore.ts';

/** No blanks, and not what turns into another path in an address; ids that the contract's services make are far below this. */
const ID = /^(?!\.{1,2}$)\S{1,200}$/;

interface TaskItem extends vscode.QuickPickItem {
	taskId: string;
}

/** What a command was called with: a row of the tree, an id, or something else. */
export function taskIdOf(argument: unknown): string | undefined {
	const candidate =
		typeof argument === 'object' && argument !== null && 'taskId' in argument ? argument.taskId : argument;
	return typeof candidate === 'string' && ID.test(candidate.trim()) ? candidate.trim() : undefined;
}

/** Lets the user choose among the tasks of the list, or type the id of another one. Undefined: dismissed. */
export function pickTaskOrId(store: TaskStore, title: string): Promise<string | undefined> {
	const picker = vscode.window.createQuickPick<TaskItem>();
	picker.title = title;
	picker.placeholder = vscode.l10n.t('Choose a task, or paste the id of one');
	picker.matchOnDescription = true;
	const show = () => {
		const items = sortTasks(store.all()).map(itemOf);
		const typed = taskIdOf(picker.value);
		if (typed !== undefined) {
			// The picker filters by what is shown, which an id is not.
			const listed = store.get(typed);
			const label = listed ? itemOf(listed).label : escapeIcons(vscode.l10n.t('Task with the id “{0}”', typed));
			items.push({ label, alwaysShow: true, taskId: typed });
		}
		picker.items = items;
	};
	return new Promise(resolve => {
		picker.onDidChangeValue(show);
		picker.onDidAccept(() => {
			// Enter may come before the row of what was pasted.
			const taskId = picker.activeItems[0]?.taskId ?? taskIdOf(picker.value);
			if (taskId !== undefined) {
				resolve(taskId);
				picker.dispose();
			}
		});
		picker.onDidHide(() => {
			resolve(undefined);
			picker.dispose();
		});
		show();
		picker.busy = true;
		picker.show();
		void store.refresh().then(() => {
			picker.busy = false;
			show();
		});
	});
}

/** Lets the user choose among the active tasks. Undefined: dismissed. */
export async function pickActiveTask(store: TaskStore, title: string): Promise<string | undefined> {
	const active = sortTasks(store.all()).filter(isActiveTask);
	return (await vscode.window.showQuickPick(active.map(itemOf), { title, matchOnDescription: true }))?.taskId;
}

function itemOf(task: Task): TaskItem {
	const row = describeTask(task, { now: Date.now(), follow: undefined, isStopping: false }, rowWords);
	return {
		label: `$(${row.icon.id}) ${escapeIcons(row.label)}`,
		description: escapeIcons(row.description),
		taskId: task.id,
	};
}
