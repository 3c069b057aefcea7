import * as vscode from 'vscode';
import { ClientError, describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import { isActiveTask, type Task, type TaskCreateRequest } from '../../contract/tasks.ts';
import { getGitApi } from '../../platform/git.ts';
import { showMessage } from '../../platform/notify.ts';
import { rowWords } from '../common/messages.ts';
import { UNDER_WAY_MS } from '../model/createdTask.ts';
import { readLaunchLink } from '../model/launchLink.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import { carryOut, placeOf } from './carryOut.ts';
import { linkProblemText } from './linkMessages.ts';
import { findRepositories } from './pickRepository.ts';
import type { PromptEditor } from './promptEditor.ts';
import { promptOfPlace } from './promptSources.ts';
import { ScratchBranches } from './scratchBranches.ts';
import {
	openRequests,
	type PendingTask,
	type SendDependencies,
	sendTask,
	settleFromKnown,
	settlePending,
} from './sendTask.ts';
import { askForTask, type LaunchWish, wishOf } from './startTask.ts';

export interface TaskLauncherDependencies {
	workspaceState: vscode.Memento;
	globalState: vscode.Memento;
	promptEditor: PromptEditor;
	/** The tasks that are known so far. */
	tasks(): Iterable<Task>;
	/** Returns the active connection and its client. */
	target(): Promise<TaskTarget>;
	/**
	 * Asks for the key where it is missing. Resolves with false when there is still none, which the user has been told.
	 */
	ensureKey(): Promise<boolean>;
	/** Registers folders for the local service's look-ups. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	/** Resolves when the list has been read once, successfully or not. */
	load(): Promise<void>;
	/** Takes note of a task that goes on with the branch of another one. */
	followUpMade(task: Task, target: TaskTarget): void;
	/** Shows and follows a task that was created. */
	started(task: Task, target: TaskTarget): Promise<void>;
	explain(error: unknown): void;
	logger: Logger;
}

/** A request with the scratch branch that was made for it. */
interface Sending {
	request: TaskCreateRequest;
	/** The name of the scratch branch that the task starts from. */
	scratch?: string;
	/** The task goes on with the branch of another task. */
	isFollowUp?: boolean;
}

/** Starts tasks one at a time, so that a second click does not start a second task. */
export class TaskLauncher {
	private readonly dependencies: TaskLauncherDependencies;
	private readonly scratchBranches: ScratchBranches;
	private isStarting = false;
	private readonly openedAt = Date.now();
	/** The times of requests that got no reply and whose tasks are still unknown. */
	private readonly givenUp = new Set<number>();
	/** Never rejects. */
	private settling: Promise<void> = Promise.resolve();

	constructor(dependencies: TaskLauncherDependencies) {
		this.dependencies = dependencies;
		this.scratchBranches = new ScratchBranches({
			workspaceState: dependencies.workspaceState,
			place: async directory => {
				const git = await getGitApi().catch(() => undefined);
				return git && vscode.workspace.isTrusted ? placeOf(git, directory) : undefined;
			},
			onKept: ({ name, remote }) =>
				void showMessage(
					'information',
					remote === undefined
						? vscode.l10n.t('The scratch branch “{0}” has moved on since the task started, so it was kept.', name)
						: vscode.l10n.t(
								'The scratch branch “{0}” on {1} has moved on since the task started, so it was kept.',
								name,
								remote,
							),
				),
			logger: dependencies.logger,
		});
	}

	/**
	 * With a prompt, shows what affects the task and starts it when the user confirms. Resolves with its id, or with
	 * undefined when it was dismissed or failed, which is reported. Without a prompt, opens the prompt editor first.
	 */
	async start(argument: unknown): Promise<string | undefined> {
		const wish = wishOf(argument);
		if (wish) {
			return this.launch(wish);
		}
		await this.dependencies.promptEditor.open();
		void this.sayWhatHinders();
		return undefined;
	}

	/** Reports problems that prevent every task before the prompt is written. */
	private async sayWhatHinders(): Promise<void> {
		try {
			await findRepositories();
		} catch (error) {
			const { connection } = await this.dependencies.target().catch(() => ({ connection: undefined }));
			if (!connection?.hasLookUps) {
				this.dependencies.explain(error);
			}
		}
	}

	/** Starts a task from the text in the prompt editor. */
	async startFromPrompt(): Promise<string | undefined> {
		const { promptEditor } = this.dependencies;
		const { wish } = promptEditor;
		if (wish.prompt === '') {
			await promptEditor.open();
			void showMessage('information', vscode.l10n.t('Write what the task should do, then start it.'));
			return undefined;
		}
		return this.launch(wish);
	}

	/** Starts a prompt from a selection, a problem or a comment. */
	async startFromPlace(argument: unknown): Promise<void> {
		try {
			await this.dependencies.promptEditor.propose(await promptOfPlace(argument), 'add');
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Shows a link's prompt in the prompt editor; nothing starts by itself. */
	async startFromLink(path: string, query: string): Promise<void> {
		const link = readLaunchLink(path, query);
		if (typeof link === 'string') {
			void showMessage('error', linkProblemText(link));
			return;
		}
		const { promptEditor } = this.dependencies;
		const written = promptEditor.wish.prompt;
		let how: 'add' | 'replace' = 'replace';
		if (written !== '' && written !== link.prompt.trim()) {
			const replace = vscode.l10n.t('Replace the Draft');
			const add = vscode.l10n.t('Add to the Draft');
			const answer = await vscode.window.showWarningMessage(
				vscode.l10n.t('A link brings a prompt for a task, and a draft is written already.'),
				{ modal: true, detail: vscode.l10n.t('Nothing is sent. You see the prompt before anything starts.') },
				replace,
				add,
			);
			if (answer === undefined) {
				return;
			}
			how = answer === add ? 'add' : 'replace';
		}
		await promptEditor.propose(link.prompt, how, link);
		void showMessage('information', vscode.l10n.t('This prompt came with a link. Read it before you start the task.'));
	}

	/** Resolves what an earlier request left open, and shows its task if the service has created one. */
	settle(target: TaskTarget): Promise<void> {
		return this.settleInTurn(target, settlePending);
	}

	/** Does the same when the list has changed, because a service may create a task only after the window has closed. */
	async settleFromList(connection: string): Promise<void> {
		if (openRequests(this.dependencies.workspaceState, connection).some(this.isOrphan)) {
			await this.settleInTurn(await this.dependencies.target(), settleFromKnown);
		}
	}

	/**
	 * No window waits for the reply of the request any more: it was sent before this window opened, this window has given
	 * up, or any other window would have given up by now.
	 */
	private readonly isOrphan = ({ sentAt }: PendingTask): boolean =>
		sentAt <= this.openedAt || this.givenUp.has(sentAt) || Date.now() - sentAt > UNDER_WAY_MS;

	/** Runs one look-up at a time, so that a task is shown only once. */
	private settleInTurn(target: TaskTarget, look: typeof settlePending): Promise<void> {
		const settled = this.settling.then(async () => {
			const task = await this.findOpen(target, look);
			await (task && this.dependencies.started(task, target));
		});
		this.settling = settled.catch(() => {});
		return settled;
	}

	private async findOpen(target: TaskTarget, look: typeof settlePending): Promise<Task | undefined> {
		const task = await look(this.sending(target, {}), this.isOrphan);
		if (task) {
			void showMessage(
				'information',
				vscode.l10n.t(
					'“{0}” was started before the connection was lost. Its log is open; for another task, start again.',
					taskTitle(task, rowWords.untitled),
				),
			);
		}
		return task;
	}

	/** Removes scratch branches whose tasks have ended. `client` is asked for tasks that are not known in this window. */
	async sweep(connection: string, client?: Pick<Client, 'tasks'>): Promise<void> {
		// This is called at every change of the list, which may be long.
		if (this.scratchBranches.isEmpty) {
			return;
		}
		const waiting = this.scratchBranches.taskIds(connection);
		const known = new Map(Array.from(this.dependencies.tasks(), task => [task.id, task]));
		for (const id of waiting) {
			if (client && !known.has(id)) {
				const task = await client.tasks.get(id).catch(() => undefined);
				if (task) {
					known.set(id, task);
				}
			}
		}
		const { workspaceState } = this.dependencies;
		await this.scratchBranches.sweep(
			connection,
			id => {
				const task = known.get(id);
				return task && (isActiveTask(task) ? 'active' : 'ended');
			},
			this.isStarting || openRequests(workspaceState, connection).length > 0,
		);
	}

	private async launch(wish: LaunchWish): Promise<string | undefined> {
		if (!(await this.dependencies.ensureKey())) {
			return undefined;
		}
		return this.startOnce(async target => {
			// Tasks that exist already must not be mistaken for the one whose reply was lost.
			const loading = this.dependencies.load();
			await this.settling;
			const open = await this.findOpen(target, settlePending);
			if (open) {
				return open;
			}
			const { globalState, nameRepositories, promptEditor } = this.dependencies;
			const confirmed = await askForTask(
				{
					globalState,
					connection: target.connection,
					client: target.client,
					nameFolder: folder => nameRepositories([folder]),
					isEmptyGitUser: this.latestTask()?.isEmptyGitUser === true,
					explain: error => this.dependencies.explain(error),
				},
				wish,
			);
			if (confirmed === 'edit-prompt') {
				await (wish.prompt === promptEditor.wish.prompt
					? promptEditor.open()
					: promptEditor.propose(wish.prompt, 'add', wish));
				return undefined;
			}
			if (!confirmed) {
				return undefined;
			}
			await loading;
			const { plan, opened, request } = confirmed;
			const scratch =
				opened &&
				(await carryOut(plan, opened, {
					remember: branch =>
						this.scratchBranches.remember(branch, target.connection.name, opened.repository.rootUri.fsPath),
					failed: ({ name }) => void this.scratchBranches.remove(name),
				}));
			if (!scratch) {
				return this.send({ request }, target);
			}
			return this.send({ request: { ...request, selectedBranch: scratch.name }, scratch: scratch.name }, target);
		});
	}

	/**
	 * Sends what goes on with the branch of another task, of which everything is said already. Resolves with the task's id;
	 * undefined: failed, which was said.
	 */
	startFollowUp(request: TaskCreateRequest, { connection }: TaskTarget): Promise<string | undefined> {
		return this.startOnce(async target => {
			await this.dependencies.load();
			this.checkConnection(target, connection.name);
			return this.send({ request, isFollowUp: true }, target);
		});
	}

	private checkConnection({ connection }: TaskTarget, meant: string): void {
		if (connection.name !== meant) {
			throw new UserFacingError(
				vscode.l10n.t('The task was for another connection. Start it again; the prompt is kept.'),
			);
		}
	}

	private latestTask(): Task | undefined {
		return Array.from(this.dependencies.tasks()).reduce<Task | undefined>(
			(latest, task) => ((task.createdAt ?? '') > (latest?.createdAt ?? '') ? task : latest),
			undefined,
		);
	}

	/** Resolves with the id of the task that `run` created, once it is shown. */
	private async startOnce(run: (target: TaskTarget) => Promise<Task | undefined>): Promise<string | undefined> {
		if (this.isStarting) {
			void showMessage(
				'information',
				vscode.l10n.t('A task is being started. Wait until that is done, or dismiss it.'),
			);
			return undefined;
		}
		this.isStarting = true;
		let made: { task: Task; target: TaskTarget } | undefined;
		try {
			const target = await this.dependencies.target();
			const task = await run(target);
			made = task && { task, target };
		} catch (error) {
			this.dependencies.explain(error);
		} finally {
			// The next task may be started while this one is being shown.
			this.isStarting = false;
		}
		await (made && this.dependencies.started(made.task, made.target));
		return made?.task.id;
	}

	private async send(sending: Sending, target: TaskTarget, again?: PendingTask): Promise<Task | undefined> {
		const { request, scratch } = sending;
		if (again) {
			this.givenUp.delete(again.sentAt);
		}
		const outcome = await sendTask(this.sending(target, sending), request, again).catch(async (error: unknown) => {
			if (scratch !== undefined && ClientError.is(error)) {
				await this.scratchBranches.remove(scratch);
			}
			throw error;
		});
		if (outcome.kind === 'made') {
			return outcome.task;
		}
		// The question is not awaited: one that nobody answers must not keep other tasks from being started.
		this.givenUp.add(outcome.again.sentAt);
		void this.offerAgain(outcome.message, sending, outcome.again);
		return undefined;
	}

	/** Called when a task exists: its prompt is no longer a draft, and its scratch branch is removed when it ends. */
	private async made(task: Task, scratch: string | undefined): Promise<void> {
		const { selectedBranch, prompt } = task;
		if (scratch !== undefined && selectedBranch !== undefined && selectedBranch !== scratch) {
			// An earlier attempt has created the task, from a scratch branch of its own.
			await this.scratchBranches.remove(scratch);
		}
		const used = selectedBranch ?? scratch;
		if (used !== undefined) {
			await this.scratchBranches.claim(used, task.id);
		}
		if (prompt !== undefined) {
			await this.dependencies.promptEditor.sent(prompt);
		}
	}

	private async offerAgain(message: string, sending: Sending, again: PendingTask): Promise<void> {
		const tryAgain = vscode.l10n.t('Try Again');
		if ((await showMessage('warning', message, tryAgain)) !== tryAgain) {
			return;
		}
		await this.startOnce(async target => {
			this.checkConnection(target, again.connection);
			return this.send(sending, target, again);
		});
	}

	private sending(target: TaskTarget, { scratch, isFollowUp }: Omit<Sending, 'request'>): SendDependencies {
		const { workspaceState, tasks } = this.dependencies;
		const made = async (task: Task) => {
			try {
				await this.made(task, scratch);
				if (isFollowUp) {
					this.dependencies.followUpMade(task, target);
				}
			} catch (error) {
				this.dependencies.logger.log('error', 'a task could not be noted', { reason: describeError(error) });
				throw error;
			}
		};
		return { ...target, workspaceState, tasks, made };
	}
}
