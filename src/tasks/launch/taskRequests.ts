import * as vscode from 'vscode';
import { ClientError, describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { TaskServer } from '../../contract/mcpServers.ts';
import type { Task, TaskCreateRequest } from '../../contract/tasks.ts';
import type { LocalService } from '../../localService/api.ts';
import { showMessage } from '../../platform/notify.ts';
import { rowWords } from '../common/messages.ts';
import { UNDER_WAY_MS } from '../model/createdTask.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import type { PromptEditor, TaskComposer } from './promptEditor.ts';
import type { ScratchBranches } from './scratchBranches.ts';
import {
	openRequests,
	type PendingTask,
	type SendDependencies,
	type SendOutcome,
	sendTask,
	settlePending,
} from './sendTask.ts';

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
	known: {
		/** The tasks known so far. */
		tasks(): Iterable<Task>;
	};
	listener: {
		/** Shows and follows a task that was created. */
		started(task: Task, target: TaskTarget): Promise<void>;
	};
	logger: Logger;
}

/**
 * The requests that make tasks: each is sent once, and if its reply was lost, its task is looked for until it is found.
 */
export class TaskRequests {
	private readonly dependencies: TaskRequestsDependencies;
	private readonly scratchBranches: ScratchBranches;
	private readonly openedAt = Date.now();
	/** The times of requests that got no reply and whose tasks are still unknown. */
	private readonly givenUp = new Set<number>();
	/** Never rejects. */
	private settling: Promise<void> = Promise.resolve();

	constructor(dependencies: TaskRequestsDependencies, scratchBranches: ScratchBranches) {
		this.dependencies = dependencies;
		this.scratchBranches = scratchBranches;
	}

	/** Sends a request. If `again` is the earlier try, looks for its task before sending once more. */
	async send(request: TaskRequest, target: TaskTarget, again?: PendingTask): Promise<SendOutcome> {
		const { scratch } = request;
		if (again) {
			this.givenUp.delete(again.sentAt);
		}
		try {
			const outcome = await sendTask(this.sending(target, request), request.request, again);
			if (outcome.kind === 'unsure') {
				this.givenUp.add(outcome.again.sentAt);
			}
			return outcome;
		} catch (error) {
			if (scratch !== undefined && ClientError.is(error)) {
				await this.scratchBranches.remove(scratch);
			}
			throw error;
		}
	}

	/** Resolves with the task of an earlier request that got no reply, if the service has created one. */
	async findEarlier(target: TaskTarget): Promise<Task | undefined> {
		await this.settling;
		return this.find(target);
	}

	/** Resolves what an earlier request left open, and shows its task if the service has created one. */
	settle(target: TaskTarget): Promise<void> {
		return this.settleInTurn(target);
	}

	/**
	 * Like `settle`, but called when the list has changed, because a service may create a task only after the window
	 * has closed.
	 */
	async settleFromList(connection: string, target: () => Promise<TaskTarget>): Promise<void> {
		if (openRequests(this.dependencies.workspaceState, connection).some(this.isOrphan)) {
			await this.settleInTurn(await target(), { asks: false });
		}
	}

	/** Runs one look-up at a time, so that a task is shown only once. */
	private settleInTurn(target: TaskTarget, how?: { asks: boolean }): Promise<void> {
		const settled = this.settling.then(async () => {
			const task = await this.find(target, how);
			await (task && this.dependencies.listener.started(task, target));
		});
		this.settling = settled.catch(() => {});
		return settled;
	}

	private async find(target: TaskTarget, how?: { asks: boolean }): Promise<Task | undefined> {
		const task = await settlePending(this.sending(target), this.isOrphan, how);
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

	private sending(
		target: TaskTarget,
		{ mcpServers = [], scratch, onMade }: Omit<TaskRequest, 'request'> = {},
	): SendDependencies {
		const { workspaceState, connection, known, logger } = this.dependencies;
		const create = (task: TaskCreateRequest) => connection.createWithServers({ task, mcpServers: [...mcpServers] });
		const client = mcpServers.length === 0 ? target.client : { tasks: { ...target.client.tasks, create } };
		const made = async (task: Task) => {
			try {
				await this.note(task, scratch);
				onMade?.(task);
			} catch (error) {
				logger.log('error', 'a task could not be noted', { reason: describeError(error) });
				throw error;
			}
		};
		return { ...target, client, workspaceState, tasks: () => known.tasks(), made };
	}

	/** Called when a task exists: its prompt is no longer a draft, and its scratch branch is removed when it ends. */
	private async note({ id, selectedBranch, prompt }: Task, scratch: string | undefined): Promise<void> {
		const { scratchBranches } = this;
		const { composer, promptEditor } = this.dependencies;
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
	}
}
