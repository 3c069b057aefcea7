import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import { firstLine, oneLine } from '../../base/plainText.ts';
import { resultsOf } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { tell } from '../../platform/news.ts';
import { showMessage } from '../../platform/notify.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { outcome, rowWords } from '../common/messages.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import type { TaskEnd, TaskEnds } from '../model/taskEnds.ts';
import { outcomeOf } from '../model/taskGroups.ts';
import type { UnreadTasks } from './unreadTasks.ts';

const MAXIMUM_TITLE = 60;
const MAXIMUM_REASON = 160;

export interface TaskNotice {
	severity: 'information' | 'warning';
	message: string;
}

export interface TaskNoticesDependencies {
	ends: TaskEnds;
	/** The logs of tasks, in channels and documents. */
	logs: {
		isVisible(connection: string, taskId: string): boolean;
		/** Shows the log of a task, with the focus in it. */
		show(task: Task, target: TaskTarget): void;
	};
	/** The tasks that have ended and that the user has not looked at. */
	unread: UnreadTasks;
	active: ActiveConnection;
	explain(error: unknown): void;
}

/** Notifies the user when tasks end whose logs are not in view. */
export class TaskNotices extends DisposableOwner {
	private readonly dependencies: TaskNoticesDependencies;

	constructor(dependencies: TaskNoticesDependencies) {
		super();
		this.dependencies = dependencies;
		this.disposables.add(dependencies.ends.onDidEnd(end => void this.tell(end)));
		this.disposables.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.look()));
	}

	/** Shows how a task ended, with buttons for its results, for its log, and to turn notices off. */
	private async tell({ connection, task }: TaskEnd): Promise<void> {
		const { logs, unread } = this.dependencies;
		const notice = noticeOf(task);
		if (!notice) {
			return;
		}
		const review = vscode.l10n.t('Review');
		const apply = vscode.l10n.t('Apply…');
		const log = vscode.l10n.t('Log');
		const ways = resultsOf(task).length > 0 ? [review, apply] : [];
		const chosen = await tell({
			...notice,
			isInView: logs.isVisible(connection, task.id),
			buttons: [...ways, log],
			setting: 'errand.tasks.notify',
			mark: () => unread.add(connection, task.id),
		});
		if (chosen === log) {
			await this.onItsConnection(connection, target => {
				unread.look(connection, task.id);
				logs.show(task, target);
			});
		} else if (chosen !== undefined) {
			await this.onItsConnection(connection, () =>
				executeCommand(chosen === review ? commands.reviewTaskChanges : commands.applyTaskChanges, task.id),
			);
		}
	}

	/** Handles the user's return to the window, in which logs may be in view. */
	private look(): void {
		const { logs, unread } = this.dependencies;
		for (const { connection, taskId } of unread.all()) {
			if (logs.isVisible(connection, taskId)) {
				unread.look(connection, taskId);
			}
		}
	}

	/** A notice may stay for hours, so another connection may be active by then. */
	private async onItsConnection(connection: string, run: (target: TaskTarget) => unknown): Promise<void> {
		const { active, explain } = this.dependencies;
		try {
			const target = await active.target();
			if (target.connection.name === connection) {
				await run(target);
			} else {
				void showMessage(
					'information',
					vscode.l10n.t('The task ran on the connection “{0}”. Switch to it, then select the task there.', connection),
				);
			}
		} catch (error) {
			explain(error);
		}
	}
}

/** Returns the notice for a task, or undefined if there is no news: the user knows of a task that they stopped. */
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
						? vscode.l10n.t('“{0}” finished: {1}.', title, changes)
						: vscode.l10n.t('“{0}” finished.', title),
			};
		}
		case 'failed':
			return {
				severity: 'warning',
				message:
					reason === '' ? vscode.l10n.t('“{0}” failed.', title) : vscode.l10n.t('“{0}” failed: {1}', title, reason),
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
