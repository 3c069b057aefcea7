import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Client } from '../../client/types.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { createEntryFormatter } from '../model/formatEntry.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { LogDocuments } from './logDocuments.ts';
import type { LogFollowers } from './logFollowers.ts';
import type { FoundLog } from './openLog.ts';
import { readEntries, saveLog } from './readEntries.ts';

/** The maximum length of a title in the name of a saved log. */
const MAXIMUM_NAME = 40;

export interface LogDocumentCommandsDependencies {
	documents: LogDocuments;
	logs: Pick<LogFollowers, 'follow'>;
	store: Pick<TaskListStore, 'get'>;
	choose: ChooseTask;
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
		const { documents, look, explain } = this.dependencies;
		const found = await this.choose(argument);
		if (found) {
			look(found.source.target.taskId);
			await documents.show(found).catch(explain);
		}
	}

	/** Opens the log of a task at one of its entries. */
	async showEntry(taskId: string, index: number): Promise<void> {
		const { documents, explain } = this.dependencies;
		const found = await this.choose(taskId);
		await (found && documents.show(found, index).catch(explain));
	}

	private async choose(argument: unknown): Promise<FoundLog | undefined> {
		const { logs, choose } = this.dependencies;
		const chosen = await choose(argument, vscode.l10n.t('Open Task Log as Document'));
		const source = chosen && logs.follow(chosen.id, chosen.target);
		await source?.restored;
		return source && { source, client: chosen.target.client };
	}

	/** Returns whether a command's argument, or otherwise the active editor, is the document of a log. */
	isInFront(argument: unknown): boolean {
		return this.dependencies.documents.active(argument) !== undefined;
	}

	/** Writes the whole log of a task, of the active document or of a task that the user chooses, to a file. */
	async save(argument: unknown, file?: unknown): Promise<void> {
		const { documents, store, choose } = this.dependencies;
		const open = documents.active(argument);
		if (open) {
			await this.saveAs(open.client, open.source.target.taskId, open.source.name);
			return;
		}
		const chosen = await choose(argument, vscode.l10n.t('Export Log'));
		if (!chosen) {
			return;
		}
		const { id, target } = chosen;
		if (file instanceof vscode.Uri) {
			await this.saveTo(file, target.client, id);
		} else {
			const task = store.get(id);
			await this.saveAs(target.client, id, task ? taskTitle(task, id, MAXIMUM_NAME) : id);
		}
	}

	/** Asks for a file and writes the whole log into it, as read from the service. */
	private async saveAs(client: Pick<Client, 'tasks'>, taskId: string, name: string): Promise<void> {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
		const fileName = `${name.replace(/[^\p{L}\p{N}()_-]+/gu, ' ').trim()}.log`;
		const target = await vscode.window.showSaveDialog({
			title: vscode.l10n.t('Export Log'),
			...defined({ defaultUri: folder?.scheme === 'file' ? vscode.Uri.joinPath(folder, fileName) : undefined }),
			filters: { [vscode.l10n.t('Logs')]: ['log', 'txt'] },
		});
		if (target) {
			await this.saveTo(target, client, taskId);
		}
	}

	/** Writes the whole log into a file, with cancellable progress. */
	private async saveTo(target: vscode.Uri, client: Pick<Client, 'tasks'>, taskId: string): Promise<void> {
		let stopped: AbortSignal | undefined;
		try {
			const count = await withProgressNotice(vscode.l10n.t('Exporting the log…'), signal => {
				stopped = signal;
				const records = readEntries({ client, taskId, from: 0, signal });
				return saveLog(records, target.fsPath, createEntryFormatter(), signal);
			});
			const open = vscode.l10n.t('Open File');
			const saved = vscode.l10n.t('The log was exported: {0} entries.', formatNumber(count));
			void vscode.window.showInformationMessage(saved, open).then(chosen => {
				if (chosen === open) {
					void vscode.window.showTextDocument(target);
				}
			});
		} catch (error) {
			if (!stopped?.aborted) {
				this.dependencies.explain(error);
			}
		}
	}
}
