import * as vscode from 'vscode';
import { isActiveTask } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import type { ActiveConnection } from './activeConnection.ts';
import { rowWords } from './common/messages.ts';
import { taskTitle } from './model/taskRow.ts';
import type { TaskListStore } from './taskListStore.ts';

export interface TaskStopsDependencies {
	store: TaskListStore;
	active: ActiveConnection;
	explain(error: unknown): void;
}

/** Stops tasks on the service, with one request at a time for each task. */
export class TaskStops {
	private readonly dependencies: TaskStopsDependencies;
	/** The ids of the tasks whose stop request is still pending. */
	private readonly requests = new Set<string>();

	constructor(dependencies: TaskStopsDependencies) {
		this.dependencies = dependencies;
	}

	async stop(id: string): Promise<void> {
		const { store, active, explain } = this.dependencies;
		if (this.requests.has(id)) {
			return;
		}
		const task = store.get(id);
		if (task && !isActiveTask(task)) {
			void showMessage('information', vscode.l10n.t('“{0}” is over already.', taskTitle(task, rowWords.untitled)));
			return;
		}
		this.requests.add(id);
		store.setStopping(id, true);
		try {
			const { connection, client } = await active.target();
			const stopped = await client.tasks.stop(id);
			// The row shows “stopping” until the service reports a final state: in this reply, in the log or in the list.
			if (active.is(connection.name)) {
				store.put(stopped);
			}
		} catch (error) {
			store.setStopping(id, false);
			explain(error);
		} finally {
			this.requests.delete(id);
		}
	}
}
