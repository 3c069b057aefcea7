import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import { inertText } from '../../platform/inertText.ts';
import { showMessage } from '../../platform/notify.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { canKeepWork, taskTitle } from '../model/taskRow.ts';

export interface PartialWorkDependencies {
	store: Pick<TaskListStore, 'get'>;
	active: Pick<ActiveConnection, 'target'>;
	/** Makes the commit and returns the name of its branch. Rejects with a ClientError or a UserFacingError. */
	keepWork(taskId: string): Promise<string>;
	/** Asks in a modal dialog and resolves with the button that was chosen. */
	askModal(message: string, detail: string, button: string): Thenable<string | undefined>;
	/** Reads the list of tasks again. */
	refresh(): Promise<void>;
	explain(error: unknown): void;
}

/** Commits the work that agents had done when their tasks were ended, with one request at a time for each task. */
export class PartialWork {
	private readonly dependencies: PartialWorkDependencies;
	private readonly requests = new Set<string>();

	constructor(dependencies: PartialWorkDependencies) {
		this.dependencies = dependencies;
	}

	/** Asks, makes the commit, and tells the user the name of its branch. */
	async keep(id: string): Promise<void> {
		if (this.requests.has(id)) {
			return;
		}
		this.requests.add(id);
		try {
			const { connection, client } = await this.dependencies.active.target();
			const task = this.dependencies.store.get(id) ?? (await client.tasks.get(id));
			const title = taskTitle(task, rowWords.untitled);
			if (!connection.isLocal || !canKeepWork(task)) {
				void showMessage('information', vscode.l10n.t('“{0}” left no work to keep.', title));
			} else if (await this.mayKeep(task, title)) {
				await this.keepNow(id, title);
			}
		} catch (error) {
			this.dependencies.explain(error);
		} finally {
			this.requests.delete(id);
		}
	}

	private async keepNow(id: string, title: string): Promise<void> {
		const branch = await vscode.window.withProgress(
			{
				location: vscode.ProgressLocation.Notification,
				title: inertText(vscode.l10n.t('Keeping the work of “{0}”…', title)),
			},
			() => this.dependencies.keepWork(id),
		);
		await this.dependencies.refresh();
		void showMessage(
			'information',
			vscode.l10n.t('The work of “{0}” is on the branch “{1}”.', title, shortName(branch)),
		);
	}

	private async mayKeep({ branchName }: Task, title: string): Promise<boolean> {
		const keep = vscode.l10n.t('Keep');
		const what =
			branchName === undefined
				? vscode.l10n.t('This commits the agent’s work to its own branch.')
				: vscode.l10n.t('This commits the agent’s work to the branch “{0}”.', shortName(branchName));
		const state = vscode.l10n.t('The task ended before its agent finished, so the work may be incomplete.');
		return (
			(await this.dependencies.askModal(vscode.l10n.t('Keep the work of “{0}”?', title), `${what} ${state}`, keep)) ===
			keep
		);
	}
}
