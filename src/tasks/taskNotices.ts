import * as vscode from 'vscode';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import { firstLine, oneLine } from './model/plainText.ts';
import { outcomeOf } from './model/taskGroups.ts';
import { outcome, rowWords } from './words.ts';

const MAXIMUM_TITLE = 60;
const MAXIMUM_REASON = 160;

export interface TaskNoticesOptions {
	/** The user has the log of the task in sight. */
	isLooking(connection: string, taskId: string): boolean;
	openLog(connection: string, task: Task): void;
}

/** Says once of each task that was seen at work that it is over, and how. A task that the user stopped is no news. */
export class TaskNotices {
	private readonly options: TaskNoticesOptions;
	private readonly active = new Set<string>();
	private readonly told = new Set<string>();

	constructor(options: TaskNoticesOptions) {
		this.options = options;
	}

	/** Takes a task as it is known now. */
	see(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		if (isActiveTask(task)) {
			// A list that was read a moment earlier may still call a task active that is over.
			if (!this.told.has(key)) {
				this.active.add(key);
			}
		} else if (this.active.has(key)) {
			this.ended(connection, task);
		}
	}

	/** Takes a task that was at work and is over. */
	ended(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		this.active.delete(key);
		if (!this.told.has(key)) {
			this.told.add(key);
			void this.tell(connection, task);
		}
	}

	/** Takes a task that is gone on with after its end: its next end is news again. */
	goesOn(connection: string, taskId: string): void {
		const key = keyOf(connection, taskId);
		this.told.delete(key);
		this.active.add(key);
	}

	private async tell(connection: string, task: Task): Promise<void> {
		const isQuiet = !readSetting('errand.tasks.notify') || this.options.isLooking(connection, task.id);
		const notice = isQuiet ? undefined : noticeOf(task);
		if (!notice) {
			return;
		}
		const open = vscode.l10n.t('Open Log');
		const never = vscode.l10n.t('Don’t Show Again');
		const chosen = await showMessage(notice.severity, notice.message, open, never);
		if (chosen === open) {
			this.options.openLog(connection, task);
		} else if (chosen === never) {
			await writeSetting('errand.tasks.notify', false);
		}
	}
}

function noticeOf(task: Task): { severity: 'information' | 'warning'; message: string } | undefined {
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

function keyOf(connection: string, taskId: string): string {
	return JSON.stringify([connection, taskId]);
}
