import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { ClientError, type ClientErrorCode, describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { TaskServer } from '../../contract/mcpServers.ts';
import type { Task, TaskCreateRequest } from '../../contract/tasks.ts';
import type { LocalService } from '../../localService/api.ts';
import { views } from '../../platform/ids.ts';
import { errorText, showMessage } from '../../platform/notify.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { explainList } from '../common/dashboard.ts';
import { rowWords } from '../common/messages.ts';
import { findCreatedTask, type PendingTask, pendingTaskSchema, UNDER_WAY_MS } from '../model/createdTask.ts';
import { PENDING_ENTRIES } from '../model/storageKeys.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { PromptEditor, TaskComposer } from './promptEditor.ts';
import type { ScratchBranches } from './scratchBranches.ts';

/** The errors after which a service has certainly created no task. After any other, or none, it may have created one. */
const REFUSALS: ReadonlySet<ClientErrorCode> = new Set([
	'no-key',
	'unauthorised',
	'plan-required',
	'forbidden',
	'not-found',
	'source-link-missing',
	'invalid-request',
	'payment-required',
	'too-large',
	'rate-limited',
	'not-supported',
]);

/** The time that a service may take to create a task after the connection was lost, in milliseconds. */
const SETTLE_MS = 2 * 60 * 1000;

/** A request for a task, with the work that remains once the task exists. */
export interface TaskRequest {
	request: TaskCreateRequest;
	/** The MCP servers that the local service gives to its agents; none by default. */
	mcpServers?: readonly TaskServer[];
	/** The name of the scratch branch that was made for the task. */
	scratch?: string | undefined;
	/** Called before the task counts as started, so that a reload of the window cannot come between. */
	onMade?(task: Task): void;
}

export interface TaskRequestsDependencies {
	/** The state that records requests and scratch branches. */
	workspaceState: vscode.Memento;
	composer: TaskComposer;
	promptEditor: PromptEditor;
	connection: {
		/** Creates a task with MCP servers on the local service. */
		createWithServers: LocalService['createTask'];
	};
	/** The tasks known so far. */
	store: { all(): Iterable<Task> };
	logger: Logger;
}

/**
 * The requests that make tasks: each is sent once, and if its reply was lost, its task is looked for until it is found.
 */
export class TaskRequests {
	private readonly dependencies: TaskRequestsDependencies;
	private readonly scratchBranches: ScratchBranches;
	private readonly show: (task: Task, target: TaskTarget) => Promise<void>;
	private readonly entries: StateEntries<PendingTask>;
	private readonly openedAt = Date.now();
	/** The times of requests that got no reply and whose tasks are still unknown. */
	private readonly givenUp = new Set<number>();
	/** Never rejects. */
	private settling: Promise<void> = Promise.resolve();

	/** `show` shows and follows a task whose reply was lost. */
	constructor(
		dependencies: TaskRequestsDependencies,
		scratchBranches: ScratchBranches,
		show: (task: Task, target: TaskTarget) => Promise<void>,
	) {
		this.dependencies = dependencies;
		this.entries = new StateEntries(
			dependencies.workspaceState,
			PENDING_ENTRIES,
			(value): value is PendingTask => pendingTaskSchema.safeParse(value).success,
		);
		this.scratchBranches = scratchBranches;
		this.show = show;
	}

	/** Returns the requests of a connection that have no reply yet, from all windows on this workspace. */
	open(connection: string): PendingTask[] {
		return this.entries.values().filter(pending => pending.connection === connection);
	}

	/** Sends a request. If `again` is the earlier try, looks for its task before sending once more. */
	async send(sending: TaskRequest, target: TaskTarget, again?: PendingTask): Promise<SendOutcome> {
		if (again) {
			this.givenUp.delete(again.sentAt);
		}
		try {
			const outcome = await this.sendOnce(sending, target, again);
			if (outcome.kind === 'unsure') {
				this.givenUp.add(outcome.again.sentAt);
			}
			return outcome;
		} catch (error) {
			if (sending.scratch !== undefined && ClientError.is(error)) {
				await this.scratchBranches.remove(sending.scratch);
			}
			throw error;
		}
	}

	/** Resolves with the task of an earlier request that got no reply, if the service has created one. */
	async findEarlier(target: TaskTarget): Promise<Task | undefined> {
		await this.settling;
		return this.find(target);
	}

	/**
	 * Like `settle`, but called when the list has changed, because a service may create a task only after the window
	 * has closed.
	 */
	async settleFromList(connection: string, target: () => Promise<TaskTarget>): Promise<void> {
		if (this.open(connection).some(this.isOrphan)) {
			await this.settle(await target(), false);
		}
	}

	/**
	 * Resolves what an earlier request left open, and shows its task if the service has created one. One look-up runs at
	 * a time, so that a task is shown only once.
	 */
	settle(target: TaskTarget, asks = true): Promise<void> {
		const settled = this.settling.then(async () => {
			const task = await this.find(target, asks);
			await (task && this.show(task, target));
		});
		this.settling = settled.catch(() => {});
		return settled;
	}

	private async find(target: TaskTarget, asks = true): Promise<Task | undefined> {
		const task = await this.settlePending(target, asks);
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

	/**
	 * Returns whether no window waits for the reply of a request any more: it was sent before this window opened, this
	 * window has given up, or any other window would have given up by now.
	 */
	private readonly isOrphan = ({ sentAt }: PendingTask): boolean =>
		sentAt <= this.openedAt || this.givenUp.has(sentAt) || Date.now() - sentAt > UNDER_WAY_MS;

	/**
	 * Called when a task exists: its prompt is no longer a draft, and its scratch branch is removed when it ends. Until
	 * then the request counts as open, so that a reload of the window loses nothing.
	 */
	private async note(
		pending: PendingTask,
		task: Task,
		{ scratch, onMade }: Pick<TaskRequest, 'scratch' | 'onMade'>,
	): Promise<void> {
		const { scratchBranches } = this;
		const { composer, promptEditor, logger } = this.dependencies;
		const { id, selectedBranch, prompt } = task;
		try {
			if (scratch !== undefined && selectedBranch !== undefined && selectedBranch !== scratch) {
				// An earlier attempt has created the task, from a scratch branch of its own.
				await scratchBranches.remove(scratch);
			}
			const used = selectedBranch ?? scratch;
			if (used !== undefined) {
				await scratchBranches.claim(used, id);
			}
			if (prompt !== undefined) {
				composer.made(prompt);
				await promptEditor.remove(prompt);
			}
			onMade?.(task);
		} catch (error) {
			logger.log('error', 'a task could not be noted', { reason: describeError(error) });
			throw error;
		}
		await this.close(pending);
	}

	/**
	 * Sends the request once. The outcome is a task even if only the reply was lost and the list shows the task. A
	 * further try (`again`, or the same request while an earlier one is open) looks into the list first, so that no
	 * second task is created. Throws the error with which the service refused the request.
	 */
	private async sendOnce(sending: TaskRequest, target: TaskTarget, again?: PendingTask): Promise<SendOutcome> {
		const { request, mcpServers = [] } = sending;
		const { client, connection } = target;
		const { createWithServers } = this.dependencies.connection;
		// Every error here follows a request that may have been sent, or comes from that request itself.
		const sent = (error: unknown) => (ClientError.is(error) ? error.withSent(true) : error);
		const first = this.firstTry(request, connection.name);
		const open = again ?? this.entries.get(idOf(first));
		const isFurtherTry =
			open?.connection === connection.name && open.prompt === request.prompt && open.repoUrl === request.repoUrl;
		const pending = isFurtherTry ? open : first;
		if (isFurtherTry) {
			const found = await whileStarting(() => findTaskOf(target, pending));
			if (found.task || found.error !== undefined) {
				return this.outcomeOf(sending, pending, found, explainList(sent(found.error), connection.label));
			}
			const age = Date.now() - pending.sentAt;
			if (!again && age < SETTLE_MS) {
				// The user has not been told that the first try may still lead to a task, for example because the window
				// was reloaded.
				const seconds = Math.round(age / 1000);
				const earlier = vscode.l10n.t(
					'A previous attempt was made {0} s ago, and the service may still be working on it.',
					seconds,
				);
				return this.outcomeOf(sending, pending, found, earlier);
			}
		}
		try {
			await this.entries.set(idOf(pending), pending);
		} catch (cause) {
			// Without this note, a request whose reply is lost could be sent twice.
			const message = vscode.l10n.t(
				'The task wasn’t sent because Errand couldn’t save a record of it ({0}). Free up disk space, or make the editor’s folder writable, then try again.',
				describeError(cause),
			);
			throw new UserFacingError(message, { cause });
		}
		let task: Task;
		try {
			task = await whileStarting(() =>
				mcpServers.length === 0
					? client.tasks.create(request)
					: createWithServers({ task: request, mcpServers: [...mcpServers] }),
			);
		} catch (error) {
			const isUnsent = ClientError.is(error) && !error.wasSent && !isFurtherTry;
			if (isUnsent || (ClientError.is(error) && REFUSALS.has(error.code))) {
				await this.close(pending);
				throw error;
			}
			const found = await whileStarting(() => findTaskOf(target, pending));
			return this.outcomeOf(sending, pending, found, errorText(sent(error), connection.label));
		}
		return this.finish(sending, pending, task);
	}

	private async finish(sending: TaskRequest, pending: PendingTask, task: Task): Promise<SendOutcome> {
		// The task exists even if it cannot be recorded. Its request then stays open for the next window.
		await this.note(pending, task, sending).catch(() => {});
		return { kind: 'made', task };
	}

	private firstTry({ prompt, repoUrl, selectedBranch }: TaskCreateRequest, connection: string): PendingTask {
		return {
			connection,
			prompt,
			repoUrl,
			...defined({ branch: selectedBranch }),
			sentAt: Date.now(),
			known: Array.from(this.dependencies.store.all())
				.filter(task => task.prompt?.trim() === prompt.trim())
				.map(task => task.id),
		};
	}

	/** `reason` is a sentence that says why it is not known whether there is a task. */
	private async outcomeOf(
		sending: TaskRequest,
		again: PendingTask,
		{ task, error }: FoundTask,
		reason: string,
	): Promise<SendOutcome> {
		if (task) {
			return this.finish(sending, again, task);
		}
		return {
			kind: 'unsure',
			again,
			message:
				error === undefined
					? vscode.l10n.t('No new task was found. {0} Your prompt is kept.', reason)
					: vscode.l10n.t('It isn’t known yet whether the task was started. {0} Your prompt is kept.', reason),
		};
	}

	/**
	 * Settles the open requests of the connection for whose reply no window waits. Resolves with the task of the first
	 * for which the service has created one. A request stays open if the service cannot be asked or may still be working
	 * on it. With `asks` false, only the known tasks are looked at.
	 */
	private async settlePending(target: TaskTarget, asks: boolean): Promise<Task | undefined> {
		const { store } = this.dependencies;
		for (const pending of this.open(target.connection.name).filter(this.isOrphan)) {
			const { task, error } = asks
				? await findTaskOf(target, pending)
				: { task: findCreatedTask(Array.from(store.all()), pending), error: undefined };
			if (task) {
				// A service need not report the branch, and a scratch branch must only be removed with its task.
				const settled = { ...task, selectedBranch: task.selectedBranch ?? pending.branch };
				await this.note(pending, settled, {});
				return settled;
			}
			if (asks && error === undefined && Date.now() - pending.sentAt > SETTLE_MS) {
				await this.close(pending);
			}
		}
		return undefined;
	}

	/** Removes the record of a request, unless the same request was sent again meanwhile, which then stays open. */
	private async close(pending: PendingTask): Promise<void> {
		if (this.entries.get(idOf(pending))?.sentAt === pending.sentAt) {
			await this.entries.delete(idOf(pending));
		}
	}
}

export type SendOutcome =
	| { kind: 'made'; task: Task }
	/** It is not certain whether there is a task. `again` must be passed to the next try. */
	| { kind: 'unsure'; message: string; again: PendingTask };

/** The task that an earlier request has made, if the list shows it. `error` is set if the list could not be read. */
interface FoundTask {
	task: Task | undefined;
	error: unknown;
}

async function findTaskOf({ client }: TaskTarget, pending: PendingTask): Promise<FoundTask> {
	try {
		const { tasks } = await client.tasks.list({ limit: 50 });
		return { task: findCreatedTask(tasks, pending), error: undefined };
	} catch (error) {
		return { task: undefined, error: error ?? new Error('rejected without a reason') };
	}
}

/** Shows progress in the view, and in the status bar for users who do not see the view. */
function whileStarting<T>(run: () => Promise<T>): Thenable<T> {
	const title = vscode.l10n.t('Starting task…');
	return vscode.window.withProgress({ location: { viewId: views.tasks }, title }, () => withProgress(title, run));
}

/** Returns an id that is the same for requests that would create the same task. */
function idOf({ connection, repoUrl, prompt }: PendingTask): string {
	return JSON.stringify([connection, repoUrl, prompt]);
}
