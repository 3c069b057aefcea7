import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { firstLine, oneLine } from '../base/plainText.ts';
import type { Task } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import type { ActiveConnection } from './activeConnection.ts';
import { outcome, rowWords } from './common/messages.ts';
import type { FollowedLogs } from './followedLogs.ts';
import type { LogDocuments } from './logDocument/logDocuments.ts';
import type { TaskEnd, TaskEnds } from './model/taskEnds.ts';
import { outcomeOf } from './model/taskGroups.ts';

const MAXIMUM_TITLE = 60;
const MAXIMUM_REASON = 160;

export interface TaskNotice {
	severity: 'information' | 'warning';
	message: string;
}

export interface TaskNoticesDependencies {
	ends: TaskEnds;
	logs: FollowedLogs;
	documents: LogDocuments;
	active: ActiveConnection;
	explain(error: unknown): void;
}

/** Tells the user how tasks end whose logs are not in view. */
export class TaskNotices implements Disposable {
	private readonly dependencies: TaskNoticesDependencies;
	private readonly listener: Disposable;

	constructor(dependencies: TaskNoticesDependencies) {
		this.dependencies = dependencies;
		this.listener = dependencies.ends.onDidEnd(end => void this.tell(end));
	}

	/** Shows how a task ended, with buttons to open its log and to turn notices off. */
	private async tell(end: TaskEnd): Promise<void> {
		const notice = noticeOf(end.task);
		if (!notice || !readSetting('errand.tasks.notify') || this.isInView(end)) {
			return;
		}
		const open = vscode.l10n.t('Open Log');
		const never = vscode.l10n.t('Don’t Show Again');
		const chosen = await showMessage(notice.severity, notice.message, open, never);
		if (chosen === open) {
			await this.openLog(end);
		} else if (chosen === never) {
			await writeSetting('errand.tasks.notify', false);
		}
	}

	/** Whether the user can see the log. */
	private isInView({ connection, task }: TaskEnd): boolean {
		const { logs, documents } = this.dependencies;
		return (
			vscode.window.state.focused && (logs.isVisible(connection, task.id) || documents.isVisible(connection, task.id))
		);
	}

	/** A notice may stay for hours, so another connection may be active by then. */
	private async openLog({ connection, task }: TaskEnd): Promise<void> {
		const { active, logs, explain } = this.dependencies;
		try {
			const target = await active.target();
			if (target.connection.name === connection) {
				logs.show(task.id, target, { task, takesFocus: true });
			} else {
				void showMessage(
					'information',
					vscode.l10n.t('The task ran on the connection “{0}”. Switch to it to open its log.', connection),
				);
			}
		} catch (error) {
			explain(error);
		}
	}

	dispose(): void {
		this.listener.dispose();
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
