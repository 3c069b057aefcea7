import * as vscode from 'vscode';
import { isActiveTask } from '../contract/tasks.ts';
import type { PartialWork } from './branches/partialWork.ts';
import type { TaskFollowUps } from './continueTask.ts';
import type { AgentTaskList } from './list/agentTaskList.ts';
import { pickTaskFilter } from './list/filterTasks.ts';
import type { ListRefresh } from './list/listRefresh.ts';
import { type TaskPicker, taskIdOf } from './list/pickTask.ts';
import type { TaskStops } from './list/stopTask.ts';
import type { TaskArchive } from './list/taskArchive.ts';
import type { TaskListStore } from './list/taskListStore.ts';
import type { TaskTree } from './list/taskTree.ts';
import type { TaskView } from './list/taskView.ts';
import type { LogFollowers } from './log/logFollowers.ts';
import { canKeepWork } from './model/taskRow.ts';
import type { BelowNode } from './results/resultRows.ts';
import type { TaskResults } from './review/taskResults.ts';

export interface TaskCommandsDependencies {
	/** Asks for the key if it is missing. Resolves with false if there is still none. */
	ensureKey(): Promise<boolean>;
	lists: { store: TaskListStore; agentTasks: AgentTaskList; list: ListRefresh };
	picker: TaskPicker;
	results: TaskResults;
	logs: LogFollowers;
	view: TaskView;
	tree: TaskTree;
	actions: { stops: TaskStops; partialWork: PartialWork; followUps: TaskFollowUps; archive: TaskArchive };
}

/**
 * The commands of the list and of its rows. A command on a task gets its row, its id, or nothing as the argument; then
 * the user is asked.
 */
export class TaskCommands {
	private readonly dependencies: TaskCommandsDependencies;

	constructor(dependencies: TaskCommandsDependencies) {
		this.dependencies = dependencies;
	}

	async openLog(argument: unknown): Promise<void> {
		const { picker, results, logs } = this.dependencies;
		const chosen = await picker.choose(argument, vscode.l10n.t('Open Task Log'));
		if (chosen) {
			results.look(chosen.id);
			// A row that is only selected keeps the focus; a user who has named a task wants to read its log.
			logs.show(chosen.id, chosen.target, { takesFocus: typeof argument !== 'object' });
		}
	}

	async stop(argument: unknown): Promise<void> {
		const { ensureKey, picker, view, actions } = this.dependencies;
		if (!(await ensureKey())) {
			return;
		}
		const id =
			taskIdOf(argument) ??
			(await picker.pick(isActiveTask, vscode.l10n.t('Stop Task'), vscode.l10n.t('No task is active.')));
		if (id !== undefined) {
			await view.keepPlace(argument, id, () => actions.stops.stop(id));
		}
	}

	/** Gives a further prompt to a task that has ended. */
	async continue(argument: unknown): Promise<void> {
		const { picker, results, view, actions } = this.dependencies;
		const chosen = await picker.choose(argument, vscode.l10n.t('Continue Task'));
		if (chosen) {
			results.look(chosen.id);
			await view.keepPlace(argument, chosen.id, () => actions.followUps.goOn(chosen.id, argument));
		}
	}

	/** Keeps the work that the agent had done when its task was ended. */
	async keepWork(argument: unknown): Promise<void> {
		const { picker, view, actions } = this.dependencies;
		const id =
			taskIdOf(argument) ??
			(await picker.pick(
				canKeepWork,
				vscode.l10n.t('Keep Work of Stopped Task'),
				vscode.l10n.t('No stopped task has work to keep.'),
			));
		if (id !== undefined) {
			await view.keepPlace(argument, id, () => actions.partialWork.keep(id));
		}
	}

	/** Archives a task, or brings it back if it is archived. */
	archive(argument: unknown): Promise<void> {
		const { view, actions } = this.dependencies;
		return actions.archive.toggle(argument, (id, run) => view.keepPlace(argument, id, run));
	}

	refresh(): Promise<void> {
		return this.dependencies.lists.list.refresh();
	}

	async loadMore(): Promise<void> {
		const { lists, tree, view } = this.dependencies;
		const before = new Set(tree.shownIds());
		await lists.store.loadMore();
		// The chosen row has disappeared, so the focus moves to the first new row.
		const first = tree.shownIds().find(id => !before.has(id));
		await (first !== undefined && view.reveal(first, true));
	}

	loadMoreAgentTasks(): Promise<void> {
		return this.dependencies.lists.agentTasks.loadMore();
	}

	filter(): Promise<void> {
		const { lists, view } = this.dependencies;
		return pickTaskFilter(lists.store.filter, filter => {
			lists.agentTasks.setStatus(filter.status);
			if (lists.store.setFilter(filter)) {
				void lists.list.refresh();
			} else {
				view.redraw();
			}
		});
	}

	/** Shows another page of files. The argument is the row that offers it, which is gone or has moved afterwards. */
	async showMoreFiles(row: unknown): Promise<void> {
		const { results, view } = this.dependencies;
		const first = results.rows.showMore(row as BelowNode);
		await (first && view.showRow(first));
	}
}
