import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { ArchiveStore } from './archiveStore.ts';
import { pickMatchingTask, taskIdOf } from './pickTask.ts';
import type { TaskListStore } from './taskListStore.ts';

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
	private readonly entries: ArchiveStore;

	constructor(dependencies: TaskArchiveDependencies) {
		this.dependencies = dependencies;
		this.entries = new ArchiveStore(dependencies.globalState);
	}

	/** Returns whether the user has archived a task of the active connection. */
	has(task: Task): boolean {
		const { current } = this.dependencies.active;
		return current !== undefined && this.entries.has(current.name, task);
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
			if (this.entries.has(name, task)) {
				this.entries.remove(name, task.id);
			} else {
				this.entries.add(name, task, Date.now());
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
