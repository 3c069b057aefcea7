import * as vscode from 'vscode';
import { TASK_SCHEME } from '../../platform/ids.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import { encodeText, type FileSource } from '../common/readOnlyFiles.ts';
import { readTarget, uriOf } from '../common/taskUri.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { type DetailGroup, taskDetails } from '../model/taskDetails.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { TaskListStore } from './taskListStore.ts';

/** The maximum length of a title in the name of a document. */
const MAXIMUM_NAME = 40;

interface TaskDetailsDependencies {
	store: Pick<TaskListStore, 'get' | 'onDidChange'>;
	active: Pick<ActiveConnection, 'targetOf' | 'explain'>;
	choose: ChooseTask;
}

/** Documents with all that the service reports about a task, which follow the list. */
export class TaskDetails implements FileSource, vscode.Disposable {
	private readonly dependencies: TaskDetailsDependencies;
	private readonly changed = new vscode.EventEmitter<vscode.Uri>();
	readonly onDidChange = this.changed.event;
	private readonly listener: { dispose(): void };
	private version = 1;

	constructor(dependencies: TaskDetailsDependencies) {
		this.dependencies = dependencies;
		this.listener = dependencies.store.onDidChange(() => {
			this.version++;
			for (const { uri } of vscode.workspace.textDocuments) {
				if (uri.scheme === TASK_SCHEME) {
					this.changed.fire(uri);
				}
			}
		});
	}

	/** Opens the document of the given task, or of one that the user chooses. */
	async open(argument: unknown): Promise<void> {
		const { choose, store } = this.dependencies;
		const chosen = await choose(argument, vscode.l10n.t('Show Task Details'));
		if (chosen) {
			const { id, target } = chosen;
			const task = store.get(id);
			const title = task ? taskTitle(task, rowWords.untitled, MAXIMUM_NAME) : rowWords.untitled;
			const name = `${title} (${id.slice(0, 8)}).yaml`;
			const uri = uriOf(TASK_SCHEME, { target: { connection: target.connection, taskId: id }, name });
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
		}
	}

	stat(): vscode.FileStat {
		return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size: 0 };
	}

	/** Returns the text of a document: the details, or why they cannot be read. */
	async read(uri: vscode.Uri): Promise<Uint8Array> {
		const { active } = this.dependencies;
		const text = await this.details(uri).catch((error: unknown) => `# ${active.explain(error)}\n`);
		return encodeText(text);
	}

	private async details(uri: vscode.Uri): Promise<string> {
		const named = readTarget(uri);
		if (!named) {
			return `# ${vscode.l10n.t('This document doesn’t belong to a task. Open it from the Tasks view.')}\n`;
		}
		const { client } = await this.dependencies.active.targetOf(named.connection);
		const task = this.dependencies.store.get(named.taskId) ?? (await client.tasks.get(named.taskId));
		return taskDetails(task, heading);
	}

	dispose(): void {
		this.listener.dispose();
		this.changed.dispose();
	}
}

function heading(group: DetailGroup): string {
	switch (group) {
		case 'state':
			return vscode.l10n.t('State');
		case 'work':
			return vscode.l10n.t('Request');
		case 'place':
			return vscode.l10n.t('Repository and sandbox');
		case 'deployment':
			return vscode.l10n.t('Deployment');
		case 'people':
			return vscode.l10n.t('Started by');
		case 'times':
			return vscode.l10n.t('Times');
		case 'other':
			return vscode.l10n.t('Other details from the service');
	}
}
