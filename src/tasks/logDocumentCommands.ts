import * as vscode from 'vscode';
import type { FollowedLogs } from './followedLogs.ts';
import type { LogDocuments } from './logDocument/logDocuments.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import type { TaskListStore } from './taskListStore.ts';

/** The maximum length of a title in the name of a saved log. */
const MAXIMUM_NAME = 40;

export interface LogDocumentCommandsDependencies {
	documents: LogDocuments;
	logs: Pick<FollowedLogs, 'follow'>;
	store: Pick<TaskListStore, 'get'>;
	/** Returns the task that a command's argument names or that the user chooses; undefined for none. */
	choose(argument: unknown, title: string): Promise<{ id: string; target: TaskTarget } | undefined>;
	/** Called with the id of a task that the user looks at. */
	look(taskId: string): void;
	explain(error: unknown): void;
}

/** The commands that show and save the whole log of a task. */
export class LogDocumentCommands {
	private readonly dependencies: LogDocumentCommandsDependencies;

	constructor(dependencies: LogDocumentCommandsDependencies) {
		this.dependencies = dependencies;
	}

	/** Opens the log of the given task, or of one that the user chooses, as a document. */
	async open(argument: unknown): Promise<void> {
		const { documents, logs, choose, look, explain } = this.dependencies;
		const chosen = await choose(argument, vscode.l10n.t('Open Task Log as Document'));
		if (chosen) {
			look(chosen.id);
			const log = logs.follow(chosen.id, chosen.target);
			await log.restored;
			await documents.show(log, chosen.target.client).catch(explain);
		}
	}

	/** Opens the log of a task at one of its entries. */
	async showEntry(taskId: string, index: number): Promise<void> {
		const { documents, logs, choose, explain } = this.dependencies;
		const chosen = await choose(taskId, vscode.l10n.t('Open Task Log as Document'));
		if (chosen) {
			const log = logs.follow(chosen.id, chosen.target);
			await log.restored;
			await documents.showEntry(log, chosen.target.client, index).catch(explain);
		}
	}

	/** Whether a command's argument, or otherwise the active editor, is the document of a log. */
	isInFront(argument: unknown): boolean {
		return this.dependencies.documents.active(argument) !== undefined;
	}

	/** Writes the whole log of a task, of the active document or of a task that the user chooses, to a file. */
	async save(argument: unknown, file?: unknown): Promise<void> {
		const { documents, store, choose } = this.dependencies;
		const open = documents.active(argument);
		if (open) {
			await documents.save(open.client, open.taskId, open.name);
			return;
		}
		const chosen = await choose(argument, vscode.l10n.t('Save Log'));
		if (!chosen) {
			return;
		}
		const { id, target } = chosen;
		if (file instanceof vscode.Uri) {
			await documents.saveTo(file, target.client, id);
		} else {
			const task = store.get(id);
			await documents.save(target.client, id, task ? taskTitle(task, id, MAXIMUM_NAME) : id);
		}
	}
}
