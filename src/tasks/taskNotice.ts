import * as vscode from 'vscode';
import { firstLine, oneLine } from '../base/plainText.ts';
import type { Task } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import { writeSetting } from '../platform/settings.ts';
import { outcome, rowWords } from './common/messages.ts';
import { outcomeOf } from './model/taskGroups.ts';

const MAXIMUM_TITLE = 60;
const MAXIMUM_REASON = 160;

export interface TaskNotice {
	severity: 'information' | 'warning';
	message: string;
}

/** Shows how a task ended, with buttons to open its log and to turn notices off. */
export async function showTaskNotice(task: Task, openLog: () => void): Promise<void> {
	const notice = noticeOf(task);
	if (!notice) {
		return;
	}
	const open = vscode.l10n.t('Open Log');
	const never = vscode.l10n.t('Don’t Show Again');
	const chosen = await showMessage(notice.severity, notice.message, open, never);
	if (chosen === open) {
		openLog();
	} else if (chosen === never) {
		await writeSetting('errand.tasks.notify', false);
	}
}

/**
 * Returns the notice for a task, or undefined where there is nothing to say: a task that the user stopped is no news.
 */
export function noticeOf(task: Task): TaskNotice | undefined {
	const title = firstLine(task.prompt ?? '', MAXIMUM_TITLE) || rowWords.untitled;
	const reason = oneLine(task.error ?? '', MAXIMUM_REASON);
	const kind = outcomeOf(task);
	switch (kind) {
		case 'completed': {
			const { totalLinesAdded = 0, totalLinesRemoved = 0, totalFilesChanged = 0 } = task.diffStats ?? {};
			const changes = rowWords.changes(totalLinesAdded, totalLinesRemoved, totalFilesChanged);
			return {
				severity: 'information',
				message:
					totalFilesChanged > 0
						? vscode.l10n.t('“{0}” has finished: {1}.', title, changes)
						: vscode.l10n.t('“{0}” has finished.', title),
			};
		}
		case 'failed':
			return {
				severity: 'warning',
				message:
					reason === ''
						? vscode.l10n.t('“{0}” has failed.', title)
						: vscode.l10n.t('“{0}” has failed: {1}', title, reason),
			};
		case 'interrupted':
		case 'timeout':
			return {
				severity: 'warning',
				message: vscode.l10n.t('“{0}” needs attention: {1}.', title, outcome(kind)),
			};
		case 'active':
		case 'stopped':
			return undefined;
	}
}
