import type { Disposable } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Client } from '../../client/types.ts';
import type { AgentTask, AgentTaskListQuery } from '../../contract/agentTasks.ts';
import type { TaskFilter } from '../model/taskFilter.ts';

const PAGE_SIZE = 50;

/**
 * The states that each choice of the filter shows. The service's query takes one state; if a choice has several, all
 * tasks are read.
 */
const STATES_OF: Record<NonNullable<TaskFilter['status']>, readonly NonNullable<AgentTaskListQuery['status']>[]> = {
	active: ['queued', 'running'],
	completed: ['completed'],
	failed: ['failed', 'interrupted'],
	stopped: ['cancelled'],
};

/**
 * The read-only list of tasks of the agent task API. Without an address or a key for that API there is no list, and the
 * client sends nothing.
 */
export class AgentTaskList implements Disposable {
	private readonly client: () => Promise<Pick<Client, 'agentTasks'>>;
	private readonly changed = new Emitter<void>();
	readonly onDidChange = this.changed.event;

	private rows: AgentTask[] = [];
	private pages = 1;
	private more = false;
	private failure: unknown;
	private isOffered = false;
	private generation = 0;
	private status: TaskFilter['status'];

	constructor(client: () => Promise<Pick<Client, 'agentTasks'>>) {
		this.client = client;
	}

	/** True if the connection has an address and a key for agent tasks. */
	get isThere(): boolean {
		return this.isOffered;
	}

	get tasks(): readonly AgentTask[] {
		const states: readonly string[] | undefined = this.status && STATES_OF[this.status];
		return states ? this.rows.filter(({ status = '' }) => states.includes(status)) : this.rows;
	}

	/** Shows only tasks in these states. If they are not the same as before, the list has to be read again. */
	setStatus(status: TaskFilter['status']): void {
		if (status !== this.status) {
			this.status = status;
			this.generation++;
			this.pages = 1;
		}
	}

	get hasMore(): boolean {
		return this.more;
	}

	/** The error of the last refresh, or undefined after a successful one. */
	get error(): unknown {
		return this.failure;
	}

	/** Reads the pages that were opened. Never rejects; see `error`. */
	async refresh(): Promise<void> {
		const { generation, pages, status } = this;
		const [state, ...others] = status ? STATES_OF[status] : [];
		const query = state === undefined || others.length > 0 ? {} : { status: state };
		try {
			const { agentTasks } = await this.client();
			const read = new Map<string, AgentTask>();
			let hasMore = true;
			for (let page = 1; page <= pages && hasMore; page++) {
				const answer = await agentTasks.list({ ...query, page, limit: PAGE_SIZE });
				for (const task of answer.tasks) {
					read.set(task.taskId, task);
				}
				hasMore = answer.hasMore;
			}
			this.settle(generation, () => {
				this.rows = [...read.values()];
				this.more = hasMore;
				this.failure = undefined;
				this.isOffered = true;
			});
		} catch (error) {
			this.settle(generation, () => {
				this.isOffered = !isNotOffered(error);
				this.failure = this.isOffered ? error : undefined;
				if (!this.isOffered) {
					this.rows = [];
				}
			});
		}
	}

	loadMore(): Promise<void> {
		this.pages++;
		return this.refresh();
	}

	/** Discards everything when the connection changes. */
	reset(): void {
		this.generation++;
		this.rows = [];
		this.pages = 1;
		this.more = false;
		this.failure = undefined;
		this.isOffered = false;
	}

	private settle(generation: number, take: () => void): void {
		if (generation === this.generation) {
			take();
			this.changed.fire();
		}
	}

	dispose(): void {
		this.generation++;
		this.changed.dispose();
	}
}

function isNotOffered(error: unknown): boolean {
	return ClientError.is(error, 'no-key') || ClientError.is(error, 'not-supported');
}
