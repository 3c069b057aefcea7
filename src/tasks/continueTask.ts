import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import { firstLine } from '../base/plainText.ts';
import { isActiveTask, type Task, type TaskCreateRequest } from '../contract/tasks.ts';
import { showMessage } from '../platform/notify.ts';
import { StateEntries } from '../platform/sharedState.ts';
import type { ActiveConnection } from './activeConnection.ts';
import type { CheckedOutBranches } from './checkedOutBranches.ts';
import { rowWords } from './common/messages.ts';
import { shortName } from './launch/preflightMessages.ts';
import { FOLLOW_UP_ENTRIES } from './model/storageKeys.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import { taskTitle } from './model/taskRow.ts';
import type { TaskListStore } from './taskListStore.ts';

const MAXIMUM_TITLE = 60;

/** The errors after which it is not known whether the service took the prompt, because its reply is missing or cut. */
const UNSURE: ReadonlySet<string> = new Set(['offline', 'timeout', 'truncated', 'server', 'upstream', 'bad-response']);

export interface TaskFollowUpsDependencies {
	workspaceState: vscode.Memento;
	store: TaskListStore;
	active: ActiveConnection;
	branches: Pick<CheckedOutBranches, 'find' | 'remember'>;
	/** Shows and follows a task that continues. */
	goesOn(task: Task, target: TaskTarget): void;
	/**
	 * Starts a task from the branch of another one, and shows it. `onMade` is called when it exists. Resolves with its id,
	 * or with undefined when it failed, which is reported.
	 */
	start(request: TaskCreateRequest, target: TaskTarget, onMade: (task: Task) => void): Promise<string | undefined>;
	explain(error: unknown): void;
}

/** Where the branch of a task is checked out. */
type CheckedOut = Awaited<ReturnType<CheckedOutBranches['find']>>;

/**
 * Gives tasks that have ended a further prompt, with one request at a time for each task. A branch that is checked out
 * must not be moved, so a new task starts from it instead.
 */
export class TaskFollowUps {
	private readonly dependencies: TaskFollowUpsDependencies;
	private readonly drafts: StateEntries<string>;
	private readonly requests = new Set<string>();

	constructor(dependencies: TaskFollowUpsDependencies) {
		this.dependencies = dependencies;
		this.drafts = new StateEntries(dependencies.workspaceState, FOLLOW_UP_ENTRIES, isText);
	}

	/** Asks what the task should do next, and sends the prompt. It stays as a draft until the service has taken it. */
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
			const checkedOut = await this.dependencies.branches.find(task, target);
			const prompt = await this.ask(task, checkedOut);
			if (prompt !== undefined) {
				await (checkedOut ? this.startFrom(task, checkedOut.branch, prompt, target) : this.send(task, prompt, target));
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
			// The prompt is never sent again automatically, because the agent would do the same work twice.
			const now =
				ClientError.is(error) && error.wasSent && UNSURE.has(error.code)
					? await target.client.tasks.get(id).catch(() => undefined)
					: undefined;
			if (!now || !isActiveTask(now)) {
				throw error;
			}
		}
		this.keep(id, '');
		// The branch may be checked out while the agent works.
		this.dependencies.branches.remember(id, target, task.branchName);
		const going: Task = { ...task, status: 'pending', completedAt: undefined, error: undefined };
		if (this.dependencies.active.is(target.connection.name)) {
			this.dependencies.store.put(going);
		}
		this.dependencies.goesOn(going, target);
	}

	private async startFrom(task: Task, branch: string, prompt: string, target: TaskTarget): Promise<void> {
		const { id, repoUrl = '', selectedAgent, selectedModel, installDependencies, maxDuration = 0 } = task;
		const request: TaskCreateRequest = {
			prompt,
			repoUrl,
			selectedBranch: branch,
			...defined({
				selectedAgent,
				selectedModel,
				installDependencies: installDependencies || undefined,
				maxDuration: maxDuration > 0 ? maxDuration : undefined,
			}),
		};
		const { start, branches } = this.dependencies;
		const made = await start(request, target, task => branches.remember(task.id, target, task.selectedBranch));
		if (made !== undefined) {
			this.keep(id, '');
		}
	}

	private ask(task: Task, checkedOut: CheckedOut): Promise<string | undefined> {
		const input = vscode.window.createInputBox();
		input.title = vscode.l10n.t('Continue “{0}”', firstLine(task.prompt ?? '', MAXIMUM_TITLE) || rowWords.untitled);
		if (checkedOut) {
			input.placeholder = vscode.l10n.t('What a new task should do next, on a branch of its own');
			input.prompt = vscode.l10n.t(
				'“{0}” is checked out in {1}, so it stays as it is. A new task starts from it; fast-forwarding is offered at its end.',
				shortName(checkedOut.branch),
				checkedOut.worktree,
			);
		} else {
			input.placeholder = vscode.l10n.t('What the task should do next, on the same branch');
		}
		input.ignoreFocusOut = true;
		input.value = this.drafts.get(task.id) ?? '';
		const empty = vscode.l10n.t('Write what the task should do.');
		return new Promise(resolve => {
			const finish = (prompt: string | undefined) => {
				this.keep(task.id, input.value);
				resolve(prompt);
				// This hides the box and calls `finish` again, which then has no effect.
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
