import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { oneLine } from '../../base/plainText.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { views } from '../../platform/ids.ts';
import { type Explanation, offer, showMessage } from '../../platform/notify.ts';
import { rowWords } from '../common/messages.ts';
import { taskTitle } from '../model/taskRow.ts';
import { versionUri } from '../results/fileUris.ts';
import type { ResultChanges, TaskChanges } from '../results/taskChanges.ts';

/** The maximum number of files in one multi-file diff, because the editor reads all of them at once. */
export const REVIEW_PAGE = 200;

const MAXIMUM_TITLE = 50;
const MAXIMUM_BRANCH = 40;

interface OpenReview {
	taskId: string;
	result: TaskResult;
	/** The commit that it shows. */
	tip: string;
	/** The title of its tab, by which the tab is found again. */
	title: string;
}

export interface TaskReviewDependencies {
	task(id: string): Task | undefined;
	changes: TaskChanges;
	/** Called when the changes of a task are shown. */
	onReview(taskId: string): void;
	explain(error: unknown): Explanation;
}

/** Shows a task's changes in the editor's multi-file diff, and tells the user when it is out of date. */
export class TaskReview implements Disposable {
	private readonly dependencies: TaskReviewDependencies;
	private readonly open = new Map<string, OpenReview>();
	private readonly listener: Disposable;

	constructor(dependencies: TaskReviewDependencies) {
		this.dependencies = dependencies;
		this.listener = dependencies.changes.onDidChange(result => this.tellIfOld(result));
	}

	/** Rejects with a UserFacingError if the changes cannot be read. */
	async show(task: Task, result: TaskResult): Promise<void> {
		const { changes, onReview } = this.dependencies;
		const read = await vscode.window.withProgress({ location: { viewId: views.tasks } }, () =>
			changes.read(task, result),
		);
		onReview(task.id);
		if (read.files.length === 0) {
			void showMessage('information', vscode.l10n.t('The branch doesn’t change any files.'));
			return;
		}
		await this.showPage(task, read, 0);
	}

	/** Reads the changes of open reviews again whose tasks have moved on. */
	refresh(): void {
		const { task: find, changes } = this.dependencies;
		for (const { taskId, result } of this.open.values()) {
			const task = find(taskId);
			if (task && !isActiveTask(task) && changes.state(task, result) === undefined) {
				changes.list(task, result).catch(() => {
					// The row of the task says why.
				});
			}
		}
	}

	private async showPage(task: Task, changes: ResultChanges, start: number): Promise<void> {
		const { result, tip, files } = changes;
		const end = Math.min(files.length, start + REVIEW_PAGE);
		const title = titleOf(task, changes, start, end);
		const resources = files
			.slice(start, end)
			.map(file => [
				versionUri(changes, file, file.after ? 'after' : 'before'),
				file.before && versionUri(changes, file, 'before', true),
				file.after && versionUri(changes, file, 'after', true),
			]);
		this.open.set(result.key, { taskId: task.id, result, tip, title });
		await vscode.commands.executeCommand('vscode.changes', title, resources);
		if (end < files.length) {
			offer(
				vscode.l10n.t(
					'Showing files {0} to {1} of {2}.',
					formatNumber(start + 1),
					formatNumber(end),
					formatNumber(files.length),
				),
				vscode.l10n.t('Show the Next Files'),
				() => this.showPage(task, changes, end),
				this.dependencies.explain,
			);
		}
	}

	/** An open review stays as it is until the user asks for the newer one, because the user may be reading it. */
	private tellIfOld(result: TaskResult): void {
		const review = this.open.get(result.key);
		const task = this.dependencies.task(result.taskId);
		const state = task && this.dependencies.changes.state(task, result);
		if (!review || !task || state?.kind !== 'read' || state.changes.tip === review.tip) {
			return;
		}
		this.open.delete(result.key);
		if (!tabsOf(review.title).length) {
			return;
		}
		offer(
			vscode.l10n.t('“{0}” has made more changes since this review was opened.', titleText(task)),
			vscode.l10n.t('Refresh Review'),
			async () => {
				await vscode.window.tabGroups.close(tabsOf(review.title));
				await this.show(task, result);
			},
			this.dependencies.explain,
		);
	}

	dispose(): void {
		this.listener.dispose();
	}
}

function titleOf(task: Task, { files, moved }: ResultChanges, start: number, end: number): string {
	const title = titleText(task);
	const parts = [vscode.l10n.t('Task: {0}', title)];
	if (files.length > REVIEW_PAGE) {
		parts.push(
			vscode.l10n.t('files {0} to {1} of {2}', formatNumber(start + 1), formatNumber(end), formatNumber(files.length)),
		);
	}
	if (moved) {
		const branch = oneLine(moved.branch, MAXIMUM_BRANCH);
		parts.push(
			moved.commits === 1
				? vscode.l10n.t('{0} has 1 commit since', branch)
				: vscode.l10n.t('{0} has {1} commits since', branch, moved.commits),
		);
	}
	return parts.join(' · ');
}

const titleText = (task: Task): string => taskTitle(task, rowWords.untitled, MAXIMUM_TITLE);

/** The editor exposes nothing of a multi-file diff but its label: the title, and the number of files in brackets. */
function tabsOf(title: string): vscode.Tab[] {
	return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(({ label }) => label.startsWith(`${title} (`)));
}
