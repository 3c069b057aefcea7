import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { views } from '../../platform/ids.ts';
import { type Explanation, offer, showMessage } from '../../platform/notify.ts';
import { rowWords } from '../common/messages.ts';
import { taskTitle } from '../model/taskRow.ts';
import { versionUri } from '../results/changeUri.ts';
import type { ResultChanges, TaskChanges } from '../results/taskChanges.ts';

/** The maximum number of files in one multi-file diff, because the editor reads all of them at once. */
const REVIEW_PAGE = 200;

const MAXIMUM_TITLE = 50;
const MAXIMUM_BRANCH = 40;

export interface TaskReviewDependencies {
	changes: Pick<TaskChanges, 'read'>;
	/** Called when the changes of a task are shown. */
	onReview(taskId: string): void;
	explain(error: unknown): Explanation;
}

/** Shows a task's changes in the editor's multi-file diff. */
export class TaskReview {
	private readonly dependencies: TaskReviewDependencies;

	constructor(dependencies: TaskReviewDependencies) {
		this.dependencies = dependencies;
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

	private async showPage(task: Task, changes: ResultChanges, start: number): Promise<void> {
		const { files } = changes;
		const end = Math.min(files.length, start + REVIEW_PAGE);
		const title = titleOf(task, changes, start, end);
		const resources = files
			.slice(start, end)
			.map(file => [
				versionUri(changes, file, file.after ? 'after' : 'before'),
				file.before && versionUri(changes, file, 'before', true),
				file.after && versionUri(changes, file, 'after', true),
			]);
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
