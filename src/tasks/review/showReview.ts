import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { type Explanation, offer, showMessage } from '../../platform/notify.ts';
import { rowWords } from '../common/messages.ts';
import { taskTitle } from '../model/taskRow.ts';
import { MAXIMUM_DIFFS, versionUri } from '../results/changeUri.ts';
import type { ResultChanges } from '../results/taskChanges.ts';

const MAXIMUM_TITLE = 50;
const MAXIMUM_BRANCH = 40;

/** Shows the changes of a task in the editor's multi-file diff, from the file at `start` on. */
export async function showReview(
	task: Task,
	changes: ResultChanges,
	explain: (error: unknown) => Explanation,
	start = 0,
): Promise<void> {
	const { files } = changes;
	if (files.length === 0) {
		void showMessage('information', vscode.l10n.t('The branch doesn’t change any files.'));
		return;
	}
	const end = Math.min(files.length, start + MAXIMUM_DIFFS);
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
			() => showReview(task, changes, explain, end),
			explain,
		);
	}
}

function titleOf(task: Task, { files, moved }: ResultChanges, start: number, end: number): string {
	const parts = [vscode.l10n.t('Task: {0}', taskTitle(task, rowWords.untitled, MAXIMUM_TITLE))];
	if (files.length > MAXIMUM_DIFFS) {
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
