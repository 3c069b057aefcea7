import * as vscode from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { TaskEntries } from '../common/taskEntries.ts';
import { ARCHIVED_ENTRIES } from '../model/storageKeys.ts';
import { pickMatchingTask, taskIdOf } from './pickTask.ts';
import type { TaskListStore } from './taskListStore.ts';

const archivedSchema = z.object({
	connection: z.string(),
	taskId: z.string(),
	/**
	 * The time at which the task had ended, as its service reports it: a task that has continued since is no longer
	 * archived.
	 */
	completedAt: z.string(),
	at: z.number(),
});

/** Beyond this number, the task that was archived first is shown again. */
const MAXIMUM_ARCHIVED = 5000;

export interface TaskArchiveDependencies {
	globalState: vscode.Memento;
	store: TaskListStore;
	active: Pick<ActiveConnection, 'current' | 'read'>;
}

/** Hides tasks that have ended from the list, only on this machine. */
export class TaskArchive implements Disposable {
	private readonly dependencies: TaskArchiveDependencies;
	private readonly changed = new Emitter<void>();
	readonly onDidChange = this.changed.event;
	private readonly entries: TaskEntries<z.infer<typeof archivedSchema>>;

	constructor(dependencies: TaskArchiveDependencies) {
		this.dependencies = dependencies;
		this.entries = new TaskEntries(dependencies.globalState, ARCHIVED_ENTRIES, archivedSchema, MAXIMUM_ARCHIVED);
	}

	/** Returns whether the user has archived a task of the active connection. */
	has(task: Pick<Task, 'id' | 'status' | 'completedAt'>): boolean {
		const { current } = this.dependencies.active;
		const entry = current && this.entries.get(current.name, task.id);
		return entry !== undefined && !isActiveTask(task) && entry.completedAt === (task.completedAt ?? '');
	}

	/**
	 * Archives a task, or brings it back if it is archived. `keepPlace` runs an action that may remove the row of a
	 * task.
	 */
	async toggle(
		argument: unknown,
		keepPlace: (taskId: string, run: () => Promise<void>) => Promise<void>,
	): Promise<void> {
		const { active, store } = this.dependencies;
		const { name } = await active.read();
		const id = taskIdOf(argument) ?? (await this.pick());
		const task = id === undefined ? undefined : store.get(id);
		// The connection may have been switched while the user was choosing.
		if (!task || active.current?.name !== name) {
			return;
		}
		if (isActiveTask(task)) {
			void showMessage('information', vscode.l10n.t('An active task can’t be archived. Stop it first.'));
			return;
		}
		await keepPlace(task.id, async () => {
			if (this.has(task)) {
				this.entries.delete(name, task.id);
			} else {
				this.entries.set({ connection: name, taskId: task.id, completedAt: task.completedAt ?? '', at: Date.now() });
			}
			this.changed.fire();
		});
	}

	private async pick(): Promise<string | undefined> {
		const { store } = this.dependencies;
		const hasEnded = (task: Task) => !isActiveTask(task);
		if (Array.from(store.all()).some(hasEnded)) {
			const title = vscode.l10n.t('Archive or Unarchive Task');
			return pickMatchingTask(store, title, hasEnded, task => this.has(task));
		}
		void showMessage('information', vscode.l10n.t('There are no ended tasks to archive.'));
		return undefined;
	}

	dispose(): void {
		this.changed.dispose();
	}
}
