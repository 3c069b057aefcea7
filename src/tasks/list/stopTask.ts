import * as vscode from 'vscode';
import type { EditorOutcome } from '../../contract/editorPipe.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import type { ShownStop } from '../../mcp/api.ts';
import { showMessage } from '../../platform/notify.ts';
import { refusedByUser } from '../../platform/refusalMessages.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
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
			void showMessage('information', vscode.l10n.t('“{0}” has already ended.', taskTitle(task, rowWords.untitled)));
			return;
		}
		try {
			await this.send(id, () => active.target());
		} catch (error) {
			explain(error);
		}
	}

	/**
	 * Stops a task for another program, once `allow` has resolved with true for it. Rejects with an error to be explained.
	 */
	async stopForProgram(id: string, allow: (shown: ShownStop) => Promise<boolean>): Promise<EditorOutcome<Task>> {
		const target = await this.dependencies.active.target();
		const task = await target.client.tasks.get(id);
		if (!isActiveTask(task) || this.requests.has(id)) {
			return { done: false, reason: isOver() };
		}
		if (!(await allow({ task, connection: target.connection.label }))) {
			return { done: false, reason: refusedByUser() };
		}
		// The user may have stopped it meanwhile.
		return this.requests.has(id)
			? { done: false, reason: isOver() }
			: { done: true, value: await this.send(id, async () => target) };
	}

	private async send(id: string, find: () => Promise<TaskTarget>): Promise<Task> {
		const { store, active } = this.dependencies;
		this.requests.add(id);
		store.setStopping(id, true);
		try {
			const { connection, client } = await find();
			const stopped = await client.tasks.stop(id);
			// The row shows “stopping” until the service reports a final state: in this reply, in the log or in the list.
			if (active.is(connection.name)) {
				store.put(stopped);
			}
			return stopped;
		} catch (error) {
			store.setStopping(id, false);
			throw error;
		} finally {
			this.requests.delete(id);
		}
	}
}

const isOver = () => vscode.l10n.t('The task has already ended, or is being stopped.');
