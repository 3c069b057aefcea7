import * as vscode from 'vscode';
import { ClientError } from '../client/core/errors.ts';
import { isActiveTask, type Task } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import { StateEntries } from '../platform/sharedState.ts';
import type { ActiveConnection } from './activeConnection.ts';
import { rowWords } from './common/messages.ts';
import { firstLine } from './model/plainText.ts';
import { FOLLOW_UP_ENTRIES } from './model/storageKeys.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import type { TaskStore } from './taskStore.ts';

const MAXIMUM_TITLE = 60;

/** Whether the service took the prompt is not known after these: its reply did not come, or not whole. */
const UNSURE: ReadonlySet<string> = new Set(['offline', 'timeout', 'truncated', 'server', 'upstream', 'bad-response']);

export interface TaskFollowUpsDependencies {
	workspaceState: vscode.Memento;
	store: TaskStore;
	active: ActiveConnection;
	/** Shows and follows a task that goes on. */
	goesOn(task: Task, target: TaskTarget): void;
	explain(error: unknown): void;
}

/** Gives tasks that are over a further prompt, each with one request at a time. */
export class TaskFollowUps {
	private readonly dependencies: TaskFollowUpsDependencies;
	private readonly drafts: StateEntries<string>;
	private readonly requests = new Set<string>();

	constructor(dependencies: TaskFollowUpsDependencies) {
		this.dependencies = dependencies;
		this.drafts = new StateEntries(dependencies.workspaceState, FOLLOW_UP_ENTRIES, isText);
	}

	/** Asks what the task should do next, and sends that. What was written stays as a draft until the service took it. */
	async goOn(id: string): Promise<void> {
		if (this.requests.has(id)) {
			return;
		}
		this.requests.add(id);
		try {
			const target = await this.dependencies.active.target();
			const task = this.dependencies.store.get(id) ?? (await target.client.tasks.get(id));
			if (isActiveTask(task)) {
				void showMessage(
					'information',
					vscode.l10n.t('“{0}” is still at work. Wait for its end, or stop it.', taskTitle(task, rowWords.untitled)),
				);
				return;
			}
			const prompt = await this.ask(task);
			if (prompt !== undefined) {
				await this.send(task, prompt, target);
			}
		} catch (error) {
			this.dependencies.explain(error);
		} finally {
			this.requests.delete(id);
		}
	}

	private async send(task: Task, prompt: string, target: TaskTarget): Promise<void> {
		const { id } = task;
		try {
			await target.client.tasks.continue(id, { prompt });
		} catch (error) {
			// Never sent again by itself: the agent would do the same work twice.
			const now =
				ClientError.is(error) && error.wasSent && UNSURE.has(error.code)
					? await target.client.tasks.get(id).catch(() => undefined)
					: undefined;
			if (!now || !isActiveTask(now)) {
				throw error;
			}
		}
		this.keep(id, '');
		const going: Task = { ...task, status: 'pending', completedAt: undefined, error: undefined };
		if (this.dependencies.active.is(target.connection.name)) {
			this.dependencies.store.put(going);
		}
		this.dependencies.goesOn(going, target);
	}

	private ask(task: Task): Promise<string | undefined> {
		const input = vscode.window.createInputBox();
		input.title = vscode.l10n.t('Continue “{0}”', firstLine(task.prompt ?? '', MAXIMUM_TITLE) || rowWords.untitled);
		input.placeholder = vscode.l10n.t('What the task should do next, on the same branch');
		input.ignoreFocusOut = true;
		input.value = this.drafts.get(task.id) ?? '';
		const empty = vscode.l10n.t('Write what the task should do.');
		return new Promise(resolve => {
			const finish = (prompt: string | undefined) => {
				this.keep(task.id, input.value);
				resolve(prompt);
				// Hides it, which comes back to here and finds the answer given.
				input.dispose();
			};
			input.onDidChangeValue(() => {
				input.validationMessage = undefined;
			});
			input.onDidAccept(() => {
				const prompt = input.value.trim();
				if (prompt === '') {
					input.validationMessage = empty;
				} else {
					finish(prompt);
				}
			});
			input.onDidHide(() => finish(undefined));
			input.show();
		});
	}

	private keep(id: string, draft: string): void {
		if (draft !== (this.drafts.get(id) ?? '')) {
			this.drafts.note(id, draft === '' ? undefined : draft);
		}
	}
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}
