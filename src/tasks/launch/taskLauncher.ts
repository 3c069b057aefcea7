import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Task, TaskCreateRequest } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { TaskConnection } from '../register.ts';
import { rowWords } from '../words.ts';
import { type PendingTask, type SendDependencies, sendTask, settlePending } from './sendTask.ts';
import { askForTask } from './startTask.ts';

/** A connection with its client: what was asked and confirmed for one is never sent to another. */
export interface TaskTarget {
	connection: TaskConnection;
	client: Client;
}

export interface TaskLauncherDependencies {
	workspaceState: vscode.Memento;
	/** The tasks that are known. */
	tasks(): Iterable<Task>;
	/** The active connection and its client. */
	target(): Promise<TaskTarget>;
	/** Resolves when the list was read once, whether that worked or not. */
	load(): Promise<void>;
	/** Shows and follows a task that was made. */
	started(task: Task, target: TaskTarget): Promise<void>;
	explain(error: unknown): void;
}

/** Starts tasks, one at a time, so that no second click sends a second one. */
export class TaskLauncher {
	private readonly dependencies: TaskLauncherDependencies;
	private isStarting = false;

	constructor(dependencies: TaskLauncherDependencies) {
		this.dependencies = dependencies;
	}

	/** Resolves with the id of the task; undefined: dismissed, or failed, which was said. */
	async start(argument: unknown): Promise<string | undefined> {
		return this.startOnce(async target => {
			// The tasks that are there already must not be taken for the one whose reply was lost.
			const loading = this.dependencies.load();
			const settled = await this.settle(target);
			if (settled !== undefined) {
				return settled;
			}
			const request = await askForTask(this.dependencies.workspaceState, target.connection, promptOf(argument));
			if (!request) {
				return undefined;
			}
			await loading;
			return this.send(request, target);
		});
	}

	/** Settles what an earlier request left open. Resolves with the id of its task, where the service has made one. */
	async settle(target: TaskTarget): Promise<string | undefined> {
		const task = await settlePending(this.sending(target));
		if (task) {
			await this.dependencies.started(task, target);
			void showMessage(
				'information',
				vscode.l10n.t(
					'“{0}” was started before the connection was lost. Its log is open; for another task, start again.',
					taskTitle(task, rowWords.untitled),
				),
			);
		}
		return task?.id;
	}

	private async startOnce(run: (target: TaskTarget) => Promise<string | undefined>): Promise<string | undefined> {
		if (this.isStarting) {
			void showMessage(
				'information',
				vscode.l10n.t('A task is being started. Wait until that is done, or dismiss it.'),
			);
			return undefined;
		}
		this.isStarting = true;
		try {
			return await run(await this.dependencies.target());
		} catch (error) {
			this.dependencies.explain(error);
			return undefined;
		} finally {
			this.isStarting = false;
		}
	}

	private async send(request: TaskCreateRequest, target: TaskTarget, again?: PendingTask): Promise<string | undefined> {
		const outcome = await sendTask(this.sending(target), request, again);
		if (outcome.kind === 'made') {
			await this.dependencies.started(outcome.task, target);
			return outcome.task.id;
		}
		// Not waited for: a question that nobody answers must not keep other tasks from being started.
		void this.offerAgain(outcome.message, request, outcome.again);
		return undefined;
	}

	private async offerAgain(message: string, request: TaskCreateRequest, again: PendingTask): Promise<void> {
		const tryAgain = vscode.l10n.t('Try Again');
		if ((await showMessage('warning', message, tryAgain)) !== tryAgain) {
			return;
		}
		await this.startOnce(async target => {
			if (target.connection.name !== again.connection) {
				throw new UserFacingError(
					vscode.l10n.t('The task was for another connection. Start it again; the prompt is kept.'),
				);
			}
			return this.send(request, target, again);
		});
	}

	private sending(target: TaskTarget): SendDependencies {
		return { ...target, workspaceState: this.dependencies.workspaceState, tasks: this.dependencies.tasks };
	}
}

/** A prompt to begin with, from a key binding or another command; the user still sees and confirms it. */
function promptOf(argument: unknown): string | undefined {
	const prompt =
		typeof argument === 'object' && argument !== null && 'prompt' in argument ? argument.prompt : undefined;
	return typeof prompt === 'string' ? prompt : undefined;
}
