// The launch of a task. What it works on is a `LaunchSubject`: a repository of this window, which is read and not
// changed, or one that only the service sees. The rules in `tasks/model` decide from the facts and the user's choices
// what is said and what will be done, as a plan, and the preflight shows both. Only after the user has agreed, and
// only while the repository still gives the same plan, is anything pushed or a scratch branch made. The request is
// sent once; where its reply is lost, the list of tasks is read before anything is sent again.
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Client } from '../../client/types.ts';
import type { Consent } from '../../contract/agents.ts';
import type { EditorOutcome, StartedTask } from '../../contract/editorPipe.ts';
import { isActiveTask, type Task, type TaskCreateRequest } from '../../contract/tasks.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import { showMessage } from '../../platform/notify.ts';
import { refusedByUser } from '../../platform/refusalMessages.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { carryOut, handOver } from './carryOut.ts';
import type { ConfirmedLaunch, LaunchCheckDependencies } from './launchCheck.ts';
import { type AllowLaunch, askLaunch, type LaunchRequest } from './launchRequest.ts';
import type { NextTask } from './nextTask.ts';
import { findSubjects, firstSubject, type LaunchWish, type SubjectChoice, wishOf } from './pickSubject.ts';
import { Preflight } from './preflight.ts';
import { promptOfPlace } from './promptSources.ts';
import { ScratchBranches } from './scratchBranches.ts';
import { type SendOutcome, type TaskRequest, TaskRequests, type TaskRequestsDependencies } from './taskRequests.ts';

export interface TaskLauncherDependencies extends TaskRequestsDependencies {
	/** The place and the choices of the next task. */
	next: Pick<NextTask, 'place' | 'setPlace' | 'chosenSubject'>;
	/** Returns the dependencies for checking a repository. */
	check(subjects: SubjectChoice): LaunchCheckDependencies;
	/** The connection on which tasks are started. */
	connection: TaskRequestsDependencies['connection'] & {
		/** Returns the active connection and its client. */
		target(): Promise<TaskTarget>;
		/** Asks for the key if it is missing. Resolves with false if there is still none, which the user has been told. */
		ensureKey(): Promise<boolean>;
		/** Makes the local service remember the user's consent for a repository. */
		allow(consent: Consent): Promise<void>;
	};
	store: TaskRequestsDependencies['store'] & { put(task: Task): void };
	/** Resolves when the list has been read once, successfully or not. */
	list: { load(): Promise<void> };
	/** Remembers the commits from which tasks were started. */
	starts: { remember(taskId: string, commit: string): void };
	active: Pick<ActiveConnection, 'is'>;
	logs: { show(taskId: string, target: TaskTarget, how: { task: Task }): void };
	view: { reveal(taskId: string): Promise<void> };
	explain(error: unknown): void;
}

/** Starts tasks one at a time, so that a second click does not start a second task. */
export class TaskLauncher {
	readonly requests: TaskRequests;
	private readonly dependencies: TaskLauncherDependencies;
	private readonly scratchBranches: ScratchBranches;
	private isStarting = false;

	constructor(dependencies: TaskLauncherDependencies) {
		this.dependencies = dependencies;
		const { workspaceState, logger } = dependencies;
		this.scratchBranches = new ScratchBranches({
			workspaceState,
			place: async directory => {
				const git = await getGitApi().catch(() => undefined);
				return git && vscode.workspace.isTrusted ? placeOf(git, directory) : undefined;
			},
			onKept: ({ name, remote }) =>
				void showMessage(
					'information',
					remote === undefined
						? vscode.l10n.t('The scratch branch “{0}” has changed since the task started, so it was kept.', name)
						: vscode.l10n.t(
								'The scratch branch “{0}” on {1} has changed since the task started, so it was kept.',
								name,
								remote,
							),
				),
			logger,
		});
		this.requests = new TaskRequests(dependencies, this.scratchBranches, (...made) => this.show(...made));
	}

	/**
	 * With a prompt, shows the preflight and starts the task if the user confirms. Resolves with its id, or with
	 * undefined if the user dismisses it or it fails, which the user is told. An editor passes its document: the prompt
	 * itself, or another one, whose selection goes into the prompt. Otherwise, shows the place for writing the prompt.
	 */
	async start(argument: unknown): Promise<string | undefined> {
		const wish = wishOf(argument);
		if (wish) {
			return (await this.launch(wish, () => this.write(wish.prompt)))?.id;
		}
		if (!(argument instanceof vscode.Uri)) {
			return this.write('');
		}
		return this.dependencies.promptEditor.isOf(argument) ? this.startFromEditor() : this.startFromPlace(undefined);
	}

	/** Adds a text to the prompt in the chat; nothing starts by itself. Errors are shown to the user. */
	private async write(text: string): Promise<undefined> {
		try {
			await this.dependencies.composer.write(text);
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/**
	 * Starts a task from a prompt that was written in the chat, if the user confirms. Resolves with true if it was
	 * started; errors are shown to the user.
	 */
	async startPrompt(prompt: string): Promise<boolean> {
		const wish = { ...this.dependencies.next.place, prompt: prompt.trim() };
		const made = await this.launch(wish, async () => {});
		// An earlier request may have made another task, which is then shown instead.
		return made !== undefined && (made.isNew || made.prompt?.trim() === wish.prompt);
	}

	/** Starts a task from the text in the prompt's editor. */
	async startFromEditor(): Promise<string | undefined> {
		const { promptEditor, next } = this.dependencies;
		const { prompt } = promptEditor;
		if (prompt === '') {
			await promptEditor.open();
			void showMessage('information', vscode.l10n.t('Describe what the task should do.'));
			return undefined;
		}
		return (await this.launch({ ...next.place, prompt }, () => promptEditor.open()))?.id;
	}

	/** Opens the prompt's editor and adds a text to its prompt. */
	async openEditor(text: string): Promise<void> {
		const { promptEditor } = this.dependencies;
		await (text === '' ? promptEditor.open() : promptEditor.add(text));
	}

	/** Begins a prompt from a selection, a problem or a comment. */
	async startFromPlace(argument: unknown): Promise<undefined> {
		try {
			return await this.write(await promptOfPlace(argument));
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/**
	 * Finds the subject of the task, asks, carries out what was confirmed, and sends the request. `edit` shows the
	 * prompt in the place where the user continues writing it. Resolves with the task; `isNew` is true if this launch
	 * made it.
	 */
	private async launch(
		wish: LaunchWish,
		edit: () => PromiseLike<unknown>,
	): Promise<(Pick<Task, 'id' | 'prompt'> & { isNew: boolean }) | undefined> {
		const { connection, list, next, explain } = this.dependencies;
		if (!(await connection.ensureKey())) {
			return undefined;
		}
		let isNew = false;
		const made = await this.startOnce(async target => {
			// Existing tasks must not be mistaken for the one whose reply was lost.
			const loading = list.load();
			const earlier = await this.requests.findEarlier(target);
			const confirmed = earlier ? undefined : await this.ask(wish, target, edit);
			if (!confirmed) {
				return earlier;
			}
			await loading;
			const { outcome, sending } = await this.carryOutAndSend(confirmed, target);
			const task = this.taskOf(outcome, sending);
			if (task) {
				isNew = true;
				// The task exists, even if this fails.
				await next.setPlace({}).catch(explain);
			}
			return task;
		});
		return made && { id: made.id, prompt: made.prompt, isNew };
	}

	/** Carries out everything that the user has confirmed. */
	private async carryOutAndSend(
		confirmed: ConfirmedLaunch,
		target: TaskTarget,
	): Promise<{ outcome: SendOutcome; sending: TaskRequest }> {
		const mcpServers = await handOver(confirmed.servers);
		for (const consent of confirmed.consents) {
			await this.dependencies.connection.allow(consent);
		}
		const scratch = await carryOut(confirmed, target.connection.name, this.scratchBranches);
		const request = { ...confirmed.request, ...defined({ selectedBranch: scratch?.name }) };
		const start = scratch?.commit ?? confirmed.plan.commit;
		const sending: TaskRequest = {
			request,
			mcpServers,
			scratch: scratch?.name,
			onMade: ({ id }: Task) => start !== undefined && this.dependencies.starts.remember(id, start),
		};
		return { outcome: await this.requests.send(sending, target), sending };
	}

	/**
	 * Starts a task for another program, once `allow` has resolved with true for exactly what is sent. Errors are
	 * reported only to the program. Rejects with an error to be explained.
	 */
	async startForProgram(wish: LaunchRequest, allow: AllowLaunch): Promise<EditorOutcome<StartedTask>> {
		if (this.isStarting) {
			return { done: false, reason: vscode.l10n.t('Another task is starting. Try again when it has started.') };
		}
		const { connection, list } = this.dependencies;
		let result: EditorOutcome<StartedTask> = { done: false, reason: refusedByUser() };
		await this.showing(async target => {
			if (!(await connection.ensureKey())) {
				const reason = vscode.l10n.t('{0} has no key, so nothing was sent.', target.connection.label);
				result = { done: false, reason };
				return undefined;
			}
			const loading = list.load();
			const earlier = await this.requests.findEarlier(target);
			if (earlier) {
				const reason = vscode.l10n.t(
					'Found an earlier task whose response was lost: {0}. Check that one first.',
					earlier.id,
				);
				result = { done: false, reason };
				return earlier;
			}
			const subjects = await findSubjects(target, wish);
			const allowed = await askLaunch(this.dependencies.check(subjects), wish, allow);
			if (!allowed.done) {
				result = allowed;
				return undefined;
			}
			await loading;
			const { confirmed, findings, sent } = allowed.value;
			const { outcome, sending } = await this.carryOutAndSend(confirmed, target);
			result =
				outcome.kind === 'made'
					? { done: true, value: { task: outcome.task, findings, sent } }
					: { done: false, reason: outcome.message, findings };
			return this.taskOf(outcome, sending);
		});
		return result;
	}

	/**
	 * Shows everything that affects the task, and resolves with the confirmed launch. Resolves with undefined when
	 * dismissed, or if the user continues writing the prompt.
	 */
	private async ask(
		wish: LaunchWish,
		target: TaskTarget,
		edit: () => PromiseLike<unknown>,
	): Promise<ConfirmedLaunch | undefined> {
		const { connection, next, check, explain } = this.dependencies;
		const subjects = await findSubjects(target, wish);
		// A wish of another origin names the place of its task itself.
		const isNext = wish.repository === next.place.repository && wish.branch === next.place.branch;
		const chosen = isNext ? next.chosenSubject(target.connection.name) : undefined;
		const subject = chosen ?? (await firstSubject(subjects, wish));
		if (!subject) {
			return undefined;
		}
		const dependencies = {
			...check(subjects),
			readAgents: async () => (await connection.target()).connection.agents,
			explain,
		};
		const confirmed = await new Preflight(dependencies, wish.prompt, subject).ask();
		if (confirmed !== 'edit-prompt') {
			return confirmed;
		}
		await edit();
		return undefined;
	}

	/**
	 * Sends a request that continues with the branch of another task and needs no questions. Resolves with the task's id, or with undefined after a failure, which is shown to the user.
	 */
	async startFollowUp(request: TaskCreateRequest, { connection }: TaskTarget): Promise<string | undefined> {
		const made = await this.startOnce(async target => {
			await this.dependencies.list.load();
			checkConnection(target, connection.name);
			const sending = { request };
			return this.taskOf(await this.requests.send(sending, target), sending);
		});
		return made?.id;
	}

	/** Returns the created task, or offers to try again if it is not known whether there is one. */
	private taskOf(outcome: SendOutcome, sending: TaskRequest): Task | undefined {
		if (outcome.kind === 'made') {
			return outcome.task;
		}
		// The question is not awaited: an unanswered one must not keep other tasks from being started.
		void this.offerAgain(outcome, sending);
		return undefined;
	}

	private async offerAgain(
		{ message, again }: Extract<SendOutcome, { kind: 'unsure' }>,
		sending: TaskRequest,
	): Promise<void> {
		const tryAgain = vscode.l10n.t('Try Again');
		if ((await showMessage('warning', message, tryAgain)) === tryAgain) {
			await this.startOnce(async target => {
				checkConnection(target, again.connection);
				return this.taskOf(await this.requests.send(sending, target, again), sending);
			});
		}
	}

	/** Resolves with the task that `run` created, once it is shown. */
	private async startOnce(run: (target: TaskTarget) => Promise<Task | undefined>): Promise<Task | undefined> {
		if (this.isStarting) {
			void showMessage('information', vscode.l10n.t('A task is starting. Wait until it has started, or dismiss it.'));
			return undefined;
		}
		try {
			return await this.showing(run);
		} catch (error) {
			this.dependencies.explain(error);
			return undefined;
		}
	}

	/** Like `startOnce`, but rejects with the error. */
	private async showing(run: (target: TaskTarget) => Promise<Task | undefined>): Promise<Task | undefined> {
		this.isStarting = true;
		let made: { task: Task; target: TaskTarget } | undefined;
		try {
			const target = await this.dependencies.connection.target();
			const task = await run(target);
			made = task && { task, target };
		} finally {
			// The next task may be started while this one is being shown.
			this.isStarting = false;
		}
		await (made && this.show(made.task, made.target));
		return made?.task;
	}

	/** Lists a task that was created, follows it and reveals its row. */
	private async show(task: Task, target: TaskTarget): Promise<void> {
		const { active, store, logs, view } = this.dependencies;
		// The connection may have been switched during the request, so that the list belongs to another one.
		const isListed = active.is(target.connection.name);
		if (isListed) {
			store.put(task);
		}
		logs.show(task.id, target, { task });
		await (isListed && view.reveal(task.id));
	}

	/** Removes scratch branches whose tasks have ended. Asks `client` for tasks that are not known in this window. */
	async sweep(connection: string, client?: Pick<Client, 'tasks'>): Promise<void> {
		const { store } = this.dependencies;
		await this.scratchBranches.sweep(
			connection,
			async id => {
				const known = Array.from(store.all()).find(task => task.id === id);
				const task = known ?? (await client?.tasks.get(id).catch(() => undefined));
				return task !== undefined && !isActiveTask(task);
			},
			() => this.isStarting || this.requests.open(connection).length > 0,
		);
	}
}

function checkConnection({ connection }: TaskTarget, meant: string): void {
	if (connection.name !== meant) {
		throw new UserFacingError(
			vscode.l10n.t('The task was for a different connection. Start it again. Your prompt is kept.'),
		);
	}
}
