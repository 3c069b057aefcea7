import * as vscode from 'vscode';
import type { Client } from '../client/client.ts';
import { ClientError, type ClientErrorCode } from '../client/core/errors.ts';
import type { Task, TaskCreateRequest } from '../contract/tasks.ts';
import { views } from '../platform/ids.ts';
import { explainError } from '../platform/notify.ts';
import { clearDraft } from './askPrompt.ts';
import { findCreatedTask } from './model/createdTask.ts';
import { PENDING_KEY } from './storageKeys.ts';

/** The answers by which a service says for certain that it made no task. After any other failure it may have made one. */
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

/** A request whose reply has not come. */
interface PendingTask {
	connection: string;
	prompt: string;
	repoUrl: string;
	/** Milliseconds since the epoch. */
	sentAt: number;
	/** Tasks with this prompt that were there before. */
	known: string[];
}

export interface SendDependencies {
	workspaceState: vscode.Memento;
	client(): Promise<Pick<Client, 'tasks'>>;
	connection: { name: string; label: string };
	/** The tasks that are known. */
	tasks(): Iterable<Task>;
}

/**
 * Sends the request once. Resolves with the task, also where only the reply was lost and the list shows it; throws what the
 * service refused it with. Undefined: whether there is a task is not known, or there is none, and the user was told and did
 * not try again.
 */
export async function sendTask(dependencies: SendDependencies, request: TaskCreateRequest): Promise<Task | undefined> {
	const { workspaceState, connection } = dependencies;
	const pending: PendingTask = {
		connection: connection.name,
		prompt: request.prompt,
		repoUrl: request.repoUrl,
		sentAt: Date.now(),
		known: Array.from(dependencies.tasks())
			.filter(task => task.prompt?.trim() === request.prompt.trim())
			.map(task => task.id),
	};
	await workspaceState.update(PENDING_KEY, pending);
	for (;;) {
		try {
			const client = await dependencies.client();
			const task = await withProgress(() => client.tasks.create(request));
			await settled(workspaceState);
			return task;
		} catch (error) {
			if (ClientError.is(error) && REFUSALS.has(error.code)) {
				await workspaceState.update(PENDING_KEY, undefined);
				throw error;
			}
			const task = await offerAgain(dependencies, pending, error);
			if (task !== 'again') {
				return task;
			}
		}
	}
}

/** Looks for the task before and after the user is asked, so that trying again never makes a second one. */
async function offerAgain(
	dependencies: SendDependencies,
	pending: PendingTask,
	error: unknown,
): Promise<Task | 'again' | undefined> {
	const { connection, workspaceState } = dependencies;
	const again = vscode.l10n.t('Try Again');
	for (;;) {
		const look = await withProgress(() => lookFor(dependencies, pending));
		if (look.task) {
			await settled(workspaceState);
			return look.task;
		}
		const { message } = explainError(error, connection.label);
		const answer = await vscode.window.showWarningMessage(
			look.isKnown
				? vscode.l10n.t('The task was not started. {0}', message)
				: vscode.l10n.t('Whether the task was started is not known yet. {0} The prompt is kept.', message),
			again,
		);
		if (answer !== again) {
			return undefined;
		}
		const second = await withProgress(() => lookFor(dependencies, pending));
		if (second.task) {
			await settled(workspaceState);
			return second.task;
		}
		if (second.isKnown) {
			return 'again';
		}
	}
}

/**
 * Settles what an earlier request left open, on its own connection: resolves with its task if the service has made one.
 * Where the service cannot be asked, it stays open.
 */
export async function settlePending(dependencies: SendDependencies): Promise<Task | undefined> {
	const { workspaceState, connection } = dependencies;
	const pending = readPending(workspaceState.get(PENDING_KEY));
	if (!pending) {
		await workspaceState.update(PENDING_KEY, undefined);
		return undefined;
	}
	if (pending.connection !== connection.name) {
		return undefined;
	}
	const { task, isKnown } = await lookFor(dependencies, pending);
	if (task) {
		await settled(workspaceState);
	} else if (isKnown) {
		await workspaceState.update(PENDING_KEY, undefined);
	}
	return task;
}

async function lookFor(
	{ client }: SendDependencies,
	{ prompt, repoUrl, sentAt, known }: PendingTask,
): Promise<{ task: Task | undefined; isKnown: boolean }> {
	try {
		const { tasks } = await (await client()).tasks.list({ limit: 50 });
		return { task: findCreatedTask(tasks, { prompt, repoUrl }, sentAt, new Set(known)), isKnown: true };
	} catch {
		return { task: undefined, isKnown: false };
	}
}

async function settled(workspaceState: vscode.Memento): Promise<void> {
	await workspaceState.update(PENDING_KEY, undefined);
	await clearDraft(workspaceState);
}

/** In the view, and in the status bar for those who do not see the view. */
function withProgress<T>(run: () => Promise<T>): Thenable<T> {
	const title = vscode.l10n.t('Starting task…');
	return vscode.window.withProgress({ location: { viewId: views.tasks }, title }, () =>
		vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, run),
	);
}

function readPending(value: unknown): PendingTask | undefined {
	const pending = value as Partial<PendingTask> | undefined;
	return typeof pending?.connection === 'string' &&
		typeof pending.prompt === 'string' &&
		typeof pending.repoUrl === 'string' &&
		typeof pending.sentAt === 'number' &&
		Array.isArray(pending.known)
		? (pending as PendingTask)
		: undefined;
}
