import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../contract/agents.ts';
import type { AskedOutcome, StartedTask } from '../../contract/editorPipe.ts';
import { isActiveTask, type Task, type TaskCreateRequest } from '../../contract/tasks.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import { showMessage } from '../../platform/notify.ts';
import { refusedByUser } from '../../platform/refusalMessages.ts';
import { readLaunchLink } from '../model/launchLink.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { type AllowLaunch, type AskedTask, askLaunch } from './askedLaunch.ts';
import { carryOut } from './carryOut.ts';
import type { ConfirmedLaunch, LaunchCheckDependencies } from './launchCheck.ts';
import { findRepositories } from './openRepositories.ts';
import { findSubjects, firstSubject, type LaunchWish, type SubjectChoice, wishOf } from './pickSubject.ts';
import { Preflight } from './preflight.ts';
import type { PromptEditor } from './promptEditor.ts';
import { linkProblemText, promptOfPlace } from './promptSources.ts';
import { ScratchBranches } from './scratchBranches.ts';
import { openRequests, type SendOutcome } from './sendTask.ts';
import { type TaskRequest, TaskRequests } from './taskRequests.ts';

/** The local service, as far as a launch needs it. */
export interface LaunchLocalService {
	/** Registers folders for the service's look-ups. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	/** Returns what a task would need. */
	checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
	/** Makes the service keep what the user has allowed for a repository. */
	allow(consent: Consent): Promise<void>;
}

/** The connection that tasks are started on. */
export interface LaunchConnection {
	/** Returns the active connection and its client. */
	target(): Promise<TaskTarget>;
	/**
	 * Asks for the key where it is missing. Resolves with false when there is still none, which the user has been told.
	 */
	ensureKey(): Promise<boolean>;
	localService: LaunchLocalService;
}

/** The list of tasks, and what is remembered beside it. */
export interface KnownTasks {
	/** The tasks that are known so far. */
	tasks(): Iterable<Task>;
	/** Resolves when the list has been read once, successfully or not. */
	load(): Promise<void>;
	/** Remembers the commit from which a task was started. */
	rememberStart(taskId: string, commit: string): void;
}

export interface LaunchListener {
	/** Shows and follows a task that was created. */
	started(task: Task, target: TaskTarget): Promise<void>;
	explain(error: unknown): void;
}

export interface TaskLauncherDependencies {
	/** The states in which requests and choices are written down. */
	storage: { workspaceState: vscode.Memento; globalState: vscode.Memento };
	promptEditor: PromptEditor;
	connection: LaunchConnection;
	known: KnownTasks;
	listener: LaunchListener;
	logger: Logger;
}

/** Starts tasks one at a time, so that a second click does not start a second task. */
export class TaskLauncher {
	readonly requests: TaskRequests;
	private readonly dependencies: TaskLauncherDependencies;
	private readonly scratchBranches: ScratchBranches;
	private isStarting = false;

	constructor(dependencies: TaskLauncherDependencies) {
		this.dependencies = dependencies;
		const { storage, promptEditor, known, listener, logger } = dependencies;
		const { workspaceState } = storage;
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
						? vscode.l10n.t('The scratch branch “{0}” has moved on since the task started, so it was kept.', name)
						: vscode.l10n.t(
								'The scratch branch “{0}” on {1} has moved on since the task started, so it was kept.',
								name,
								remote,
							),
				),
			logger,
		});
		this.requests = new TaskRequests({
			workspaceState,
			promptEditor,
			scratchBranches: this.scratchBranches,
			tasks: () => known.tasks(),
			started: (task, target) => listener.started(task, target),
			logger,
		});
	}

	/**
	 * With a prompt, shows what affects the task and starts it when the user confirms. Resolves with its id, or with
	 * undefined if the user dismisses it or it fails, which is reported. An editor passes its document: the prompt itself,
	 * or another one, whose selection goes into the prompt. Otherwise, opens the prompt editor first.
	 */
	async start(argument: unknown): Promise<string | undefined> {
		const wish = wishOf(argument);
		if (wish) {
			return this.launch(wish);
		}
		const { promptEditor } = this.dependencies;
		if (argument instanceof vscode.Uri) {
			return promptEditor.isOf(argument) ? this.startFromPrompt() : this.startFromPlace(undefined);
		}
		await promptEditor.open();
		void this.sayWhatHinders();
		return undefined;
	}

	/** Reports problems that prevent every task before the prompt is written. */
	private async sayWhatHinders(): Promise<void> {
		try {
			await findRepositories();
		} catch (error) {
			const { connection } = await this.dependencies.connection.target().catch(() => ({ connection: undefined }));
			if (!connection?.hasLookUps) {
				this.dependencies.listener.explain(error);
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

	/** Adds a goal and its context to the prompt and shows it; nothing starts by itself. */
	async propose(goal: string, context: string): Promise<void> {
		const text = context === '' ? goal : `${goal}\n\n${context}`;
		await this.dependencies.promptEditor.propose(text, 'add', {}, goal.length);
		void this.sayWhatHinders();
	}

	/** Starts a prompt from a selection, a problem or a comment. */
	async startFromPlace(argument: unknown): Promise<undefined> {
		try {
			await this.dependencies.promptEditor.propose(await promptOfPlace(argument), 'add');
		} catch (error) {
			this.dependencies.listener.explain(error);
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
		try {
			await promptEditor.propose(link.prompt, how, link);
		} catch (error) {
			this.dependencies.listener.explain(error);
			return;
		}
		void showMessage('information', vscode.l10n.t('This prompt came with a link. Read it before you start the task.'));
	}

	/** Gathers what the task works on, asks, carries out what was confirmed, and sends the request. */
	private async launch(wish: LaunchWish): Promise<string | undefined> {
		const { connection, known } = this.dependencies;
		if (!(await connection.ensureKey())) {
			return undefined;
		}
		return this.startOnce(async target => {
			// Tasks that exist already must not be mistaken for the one whose reply was lost.
			const loading = known.load();
			const earlier = await this.requests.findEarlier(target);
			const confirmed = earlier ? undefined : await this.ask(wish, target);
			if (!confirmed) {
				return earlier;
			}
			await loading;
			const { outcome, sending } = await this.carryOutAndSend(confirmed, target);
			return this.taskOf(outcome, sending);
		});
	}

	/** Does all that the user has confirmed. */
	private async carryOutAndSend(
		confirmed: ConfirmedLaunch,
		target: TaskTarget,
	): Promise<{ outcome: SendOutcome; sending: TaskRequest }> {
		for (const consent of confirmed.consents) {
			await this.dependencies.connection.localService.allow(consent);
		}
		const scratch = await carryOut(confirmed, target.connection.name, this.scratchBranches);
		const request = { ...confirmed.request, ...defined({ selectedBranch: scratch?.name }) };
		const start = scratch?.commit ?? confirmed.plan.commit;
		const sending: TaskRequest = {
			request,
			scratch: scratch?.name,
			onMade: ({ id }: Task) => start !== undefined && this.dependencies.known.rememberStart(id, start),
		};
		return { outcome: await this.requests.send(sending, target), sending };
	}

	/**
	 * Starts a task for another program, once `allow` has resolved with true for exactly what is sent. What goes wrong is
	 * told to the program alone. Rejects with an error to be explained.
	 */
	async startAsked(wish: AskedTask, allow: AllowLaunch): Promise<AskedOutcome<StartedTask>> {
		if (this.isStarting) {
			return { done: false, reason: vscode.l10n.t('Another task is being started. Try again when that is done.') };
		}
		const { connection, known } = this.dependencies;
		let result: AskedOutcome<StartedTask> = { done: false, reason: refusedByUser() };
		await this.showing(async target => {
			if (!(await connection.ensureKey())) {
				const reason = vscode.l10n.t('{0} has no key, so nothing was sent.', target.connection.label);
				result = { done: false, reason };
				return undefined;
			}
			const loading = known.load();
			const earlier = await this.requests.findEarlier(target);
			if (earlier) {
				const reason = vscode.l10n.t(
					'An earlier task was found whose reply was lost: {0}. Look at that first.',
					earlier.id,
				);
				result = { done: false, reason };
				return earlier;
			}
			const subjects = await findSubjects(target, wish);
			const allowed = await askLaunch(this.checkDependencies(subjects), wish, allow);
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
	 * Shows everything that affects the task, and resolves with what the user has confirmed. Resolves with undefined when
	 * dismissed, or when the user goes on writing the prompt.
	 */
	private async ask(wish: LaunchWish, target: TaskTarget): Promise<ConfirmedLaunch | undefined> {
		const { connection, promptEditor, listener } = this.dependencies;
		const subjects = await findSubjects(target, wish);
		const subject = await firstSubject(subjects, wish);
		if (!subject) {
			return undefined;
		}
		const dependencies = {
			...this.checkDependencies(subjects),
			readAgents: async () => (await connection.target()).connection.agents,
			explain: (error: unknown) => listener.explain(error),
		};
		const confirmed = await new Preflight(dependencies, wish.prompt, subject).ask();
		if (confirmed !== 'edit-prompt') {
			return confirmed;
		}
		await (wish.prompt === promptEditor.wish.prompt
			? promptEditor.open()
			: promptEditor.propose(wish.prompt, 'add', wish));
		return undefined;
	}

	private checkDependencies(subjects: SubjectChoice): LaunchCheckDependencies {
		const { storage, connection } = this.dependencies;
		const { localService } = connection;
		return {
			subjects,
			globalState: storage.globalState,
			nameFolder: folder => localService.nameRepositories([folder]),
			checkTask: request => localService.checkTask(request),
			isEmptyGitUser: this.latestTask()?.isEmptyGitUser === true,
		};
	}

	/**
	 * Sends a request that goes on with the branch of another task and that needs no questions. `onMade` is called when the
	 * task exists. Resolves with the task's id, or with undefined when it failed, which is reported.
	 */
	startFollowUp(
		request: TaskCreateRequest,
		{ connection }: TaskTarget,
		onMade: (task: Task) => void,
	): Promise<string | undefined> {
		return this.startOnce(async target => {
			await this.dependencies.known.load();
			checkConnection(target, connection.name);
			const sending = { request, onMade };
			return this.taskOf(await this.requests.send(sending, target), sending);
		});
	}

	/** Returns the task that was created, or offers to try again where that is not known. */
	private taskOf(outcome: SendOutcome, sending: TaskRequest): Task | undefined {
		if (outcome.kind === 'made') {
			return outcome.task;
		}
		// The question is not awaited: one that nobody answers must not keep other tasks from being started.
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

	/** Resolves with the id of the task that `run` created, once it is shown. */
	private async startOnce(run: (target: TaskTarget) => Promise<Task | undefined>): Promise<string | undefined> {
		if (this.isStarting) {
			void showMessage(
				'information',
				vscode.l10n.t('A task is being started. Wait until that is done, or dismiss it.'),
			);
			return undefined;
		}
		let made: Task | undefined;
		try {
			made = await this.showing(run);
		} catch (error) {
			this.dependencies.listener.explain(error);
		}
		return made?.id;
	}

	/** Does the same, but rejects with what went wrong. */
	private async showing(run: (target: TaskTarget) => Promise<Task | undefined>): Promise<Task | undefined> {
		const { connection, listener } = this.dependencies;
		this.isStarting = true;
		let made: { task: Task; target: TaskTarget } | undefined;
		try {
			const target = await connection.target();
			const task = await run(target);
			made = task && { task, target };
		} finally {
			// The next task may be started while this one is being shown.
			this.isStarting = false;
		}
		await (made && listener.started(made.task, made.target));
		return made?.task;
	}

	private latestTask(): Task | undefined {
		return Array.from(this.dependencies.known.tasks()).reduce<Task | undefined>(
			(latest, task) => ((task.createdAt ?? '') > (latest?.createdAt ?? '') ? task : latest),
			undefined,
		);
	}

	/** Removes scratch branches whose tasks have ended. `client` is asked for tasks that are not known in this window. */
	async sweep(connection: string, client?: Pick<Client, 'tasks'>): Promise<void> {
		// This is called at every change of the list, which may be long.
		if (this.scratchBranches.isEmpty) {
			return;
		}
		const waiting = this.scratchBranches.taskIds(connection);
		const known = new Map(Array.from(this.dependencies.known.tasks(), task => [task.id, task]));
		for (const id of waiting) {
			if (client && !known.has(id)) {
				const task = await client.tasks.get(id).catch(() => undefined);
				if (task) {
					known.set(id, task);
				}
			}
		}
		const { workspaceState } = this.dependencies.storage;
		await this.scratchBranches.sweep(
			connection,
			id => {
				const task = known.get(id);
				return task && (isActiveTask(task) ? 'active' : 'ended');
			},
			this.isStarting || openRequests(workspaceState, connection).length > 0,
		);
	}
}

function checkConnection({ connection }: TaskTarget, meant: string): void {
	if (connection.name !== meant) {
		throw new UserFacingError(
			vscode.l10n.t('The task was for another connection. Start it again; the prompt is kept.'),
		);
	}
}
