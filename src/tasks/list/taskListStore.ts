import { type Clock, SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { Disposable } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Client } from '../../client/types.ts';
import { isActiveTask, isFinalStatus, type Task, type TaskListQuery } from '../../contract/tasks.ts';
import { matchesQuery, NO_FILTER, type TaskFilter } from '../model/taskFilter.ts';
import { timeOf } from '../model/taskGroups.ts';

/** The state of the list: `listed` when it has rows, otherwise the reason why it has none. */
export type ListState = 'loading' | 'empty' | 'error' | 'no-key' | 'key-refused' | 'unsupported' | 'listed';

/**
 * The number of tasks on a page, and the maximum number of tasks that are read one by one in a refresh because they are
 * no longer listed as active.
 */
const PAGE_SIZE = 50;
const MAXIMUM_SINGLE_READS = 10;

/**
 * The tasks of the active connection, as far as pages were opened. A failed refresh keeps the existing tasks and
 * records the time since which they are stale. Only one request runs at a time, and late replies from an earlier
 * connection are dropped.
 */
export class TaskListStore implements Disposable {
	private readonly client: () => Promise<Pick<Client, 'tasks'>>;
	private readonly clock: Clock;
	private readonly changed = new Emitter<{ taskId: string | undefined }>();
	/** Fires with the only task that has changed if the order and the groups stay the same, otherwise with undefined. */
	readonly onDidChange = this.changed.event;

	private readonly tasks = new Map<string, Task>();
	/** The ids that came with a page. All other tasks were opened by their id. */
	private readonly listed = new Set<string>();
	/** The ids of the tasks whose stop was requested and is not confirmed yet. */
	private readonly stopping = new Set<string>();
	private generation = 0;
	private isLoaded = false;
	private failure: unknown;
	private freshAt: number | undefined;
	private more = false;
	private currentFilter = NO_FILTER;
	/**
	 * The ids of tasks that were updated by other means while a request was pending, whose reply may contain an older
	 * state.
	 */
	private readonly newer = new Set<string>();
	private queue = new SerialQueue();
	/** Requests that have not started. A second one of the same kind would bring nothing new. */
	private readonly waiting = new Map<string, Promise<void>>();

	constructor(client: () => Promise<Pick<Client, 'tasks'>>, clock: Clock) {
		this.client = client;
		this.clock = clock;
	}

	/** Returns every known task, including those that the filter excludes. */
	all(): Iterable<Task> {
		return this.tasks.values();
	}

	/** Yields the tasks that the service lists under the filter, and all others that match it. */
	*shown(): Iterable<Task> {
		for (const task of this.tasks.values()) {
			if (this.listed.has(task.id) || matchesQuery(task, this.filter)) {
				yield task;
			}
		}
	}

	get filter(): TaskFilter {
		return this.currentFilter;
	}

	/**
	 * Returns true if the part of the filter that is sent to the service has changed; the list must then be refreshed.
	 */
	setFilter(filter: TaskFilter): boolean {
		const { kind, status } = this.filter;
		this.currentFilter = filter;
		if (filter.kind === kind && filter.status === status) {
			return false;
		}
		this.begin();
		// Active tasks are counted whatever the filter.
		for (const task of [...this.tasks.values()]) {
			if (!isActiveTask(task)) {
				this.remove(task.id);
			}
		}
		this.listed.clear();
		this.changed.fire({ taskId: undefined });
		return true;
	}

	get(id: string): Task | undefined {
		return this.tasks.get(id);
	}

	/** Returns the known task that was created last. */
	latest(): Task | undefined {
		return [...this.tasks.values()].reduce<Task | undefined>(
			(latest, task) => ((task.createdAt ?? '') > (latest?.createdAt ?? '') ? task : latest),
			undefined,
		);
	}

	isStopping(id: string): boolean {
		return this.stopping.has(id);
	}

	/** True if the service has older tasks than those loaded. */
	get hasMore(): boolean {
		return this.more;
	}

	get activeCount(): number {
		return [...this.tasks.values()].filter(isActiveTask).length;
	}

	/** The error of the last refresh, or undefined after a successful one. */
	get error(): unknown {
		return this.failure;
	}

	/** The time of the last successful refresh, in milliseconds since the epoch, if a later one has failed. */
	get staleSince(): number | undefined {
		return this.failure === undefined ? undefined : this.freshAt;
	}

	get state(): ListState {
		if (this.tasks.size > 0) {
			return 'listed';
		}
		if (ClientError.is(this.failure, 'no-key')) {
			return 'no-key';
		}
		if (ClientError.is(this.failure, 'unauthorised')) {
			return 'key-refused';
		}
		if (ClientError.is(this.failure, 'not-supported')) {
			return 'unsupported';
		}
		if (this.failure !== undefined) {
			return 'error';
		}
		if (!this.isLoaded) {
			return 'loading';
		}
		// An empty list under a filter only means that nothing matches, so the welcome content for an empty list is not
		// shown.
		return this.filter.kind === 'all' && this.filter.status === undefined ? 'empty' : 'listed';
	}

	/** Reads the first page again, or every page that was opened. Never rejects; see `error`. */
	refresh(scope: 'first' | 'opened' = 'first'): Promise<void> {
		return this.enqueue(scope, async client => {
			const opened = this.listed.size;
			const pages = scope === 'first' ? 1 : Math.max(1, Math.ceil(opened / PAGE_SIZE));
			const read = new Map<string, Task>();
			let hasMore = true;
			for (let page = 0; page < pages && hasMore; page++) {
				const answer = await client.tasks.list({ ...this.listQuery(), limit: PAGE_SIZE, offset: page * PAGE_SIZE });
				for (const task of answer.tasks) {
					read.set(task.id, task);
				}
				hasMore = answer.hasMore;
			}
			const beyond = await this.readActiveBeyond(client, read);
			return () => {
				this.takePages(read, hasMore);
				for (const [id, task] of beyond) {
					if (task) {
						this.keepRead(task);
					} else {
						this.remove(id);
					}
				}
				// A first page says nothing about what follows the last page that was opened.
				if (!hasMore || pages * PAGE_SIZE >= opened) {
					this.more = hasMore;
				}
			};
		});
	}

	/** Reads the next page. Never rejects; see `error`. */
	loadMore(): Promise<void> {
		return this.enqueue('more', async client => {
			const answer = await client.tasks.list({ ...this.listQuery(), limit: PAGE_SIZE, offset: this.listed.size });
			return () => {
				for (const task of answer.tasks) {
					this.keepRead(task);
					this.listed.add(task.id);
				}
				this.more = answer.hasMore && answer.tasks.length > 0;
			};
		});
	}

	/** Adds a task that did not come with the list, but was created, stopped or opened by its id. */
	put(task: Task): void {
		const before = this.tasks.get(task.id);
		this.keep(task);
		if (!matchesQuery(task, this.filter)) {
			this.listed.delete(task.id);
		}
		this.newer.add(task.id);
		this.changed.fire({ taskId: before && isActiveTask(before) === isActiveTask(task) ? task.id : undefined });
	}

	/** Updates a task's state from the log stream. */
	setStatus(id: string, status: string, error: string | undefined): void {
		const task = this.tasks.get(id);
		if (task && (task.status !== status || (error !== undefined && task.error !== error))) {
			this.put({ ...task, status, ...defined({ error }) });
		}
	}

	/** Marks running tasks as interrupted after the service has ended. Waiting tasks continue when it starts again. */
	interruptRunning(): void {
		for (const { id, status } of [...this.tasks.values()].filter(isActiveTask)) {
			if (status !== 'pending' && status !== 'queued') {
				this.setStatus(id, 'interrupted', undefined);
			}
		}
	}

	setStopping(id: string, stopping: boolean): void {
		const changed = stopping ? !this.stopping.has(id) : this.stopping.delete(id);
		if (stopping) {
			this.stopping.add(id);
		}
		if (changed) {
			this.changed.fire({ taskId: id });
		}
	}

	/** Discards everything when the connection changes. */
	reset(): void {
		this.begin();
		this.tasks.clear();
		this.listed.clear();
		this.stopping.clear();
		this.changed.fire({ taskId: undefined });
	}

	/** Drops pending requests, because a request that hangs must not hold up the next. */
	private begin(): void {
		this.generation++;
		this.queue = new SerialQueue();
		this.waiting.clear();
		this.isLoaded = false;
		this.failure = undefined;
		this.freshAt = undefined;
		this.more = false;
	}

	private listQuery(): TaskListQuery {
		const { kind, status } = this.filter;
		return defined({ filter: kind === 'all' ? undefined : kind, status });
	}

	dispose(): void {
		this.generation++;
		this.changed.dispose();
	}

	/**
	 * Reads the active tasks that are not on the pages: one request for those that are still active, and one for each
	 * of the others. A task that is gone is undefined.
	 */
	private async readActiveBeyond(
		client: Pick<Client, 'tasks'>,
		pages: ReadonlyMap<string, Task>,
	): Promise<Map<string, Task | undefined>> {
		const beyond = [...this.tasks.values()].filter(task => isActiveTask(task) && !pages.has(task.id));
		const hidesActive = this.filter.kind !== 'all' || (this.filter.status ?? 'active') !== 'active';
		const read = new Map<string, Task | undefined>();
		if (beyond.length > 0 || hidesActive) {
			for (const task of (await client.tasks.list({ status: 'active', limit: PAGE_SIZE })).tasks) {
				if (!pages.has(task.id)) {
					read.set(task.id, task);
				}
			}
		}
		for (const { id } of beyond.filter(task => !read.has(task.id)).slice(0, MAXIMUM_SINGLE_READS)) {
			try {
				read.set(id, await client.tasks.get(id));
			} catch (error) {
				if (!ClientError.is(error, 'not-found')) {
					throw error;
				}
				read.set(id, undefined);
			}
		}
		return read;
	}

	/**
	 * Removes tasks that should be on the pages but are not. Tasks of later pages stay, including one created at the same
	 * moment as the oldest on the pages.
	 */
	private takePages(pages: ReadonlyMap<string, Task>, hasMore: boolean): void {
		const times = [...pages.values()].map(task => timeOf(task.createdAt)).filter(time => !Number.isNaN(time));
		const oldest = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
		for (const id of [...this.listed]) {
			if (!pages.has(id) && (!hasMore || timeOf(this.tasks.get(id)?.createdAt) > oldest)) {
				this.remove(id);
			}
		}
		for (const task of pages.values()) {
			this.keepRead(task);
			this.listed.add(task.id);
		}
	}

	private keepRead(task: Task): void {
		if (!this.newer.has(task.id)) {
			this.keep(task);
		}
	}

	private keep(task: Task): void {
		this.tasks.set(task.id, task);
		if (isFinalStatus(task.status)) {
			this.stopping.delete(task.id);
		}
	}

	private remove(id: string): void {
		this.tasks.delete(id);
		this.listed.delete(id);
		this.stopping.delete(id);
	}

	/** `read` returns how to take what it has read, which is not done after a change of the connection or the filter. */
	private enqueue(kind: string, read: (client: Pick<Client, 'tasks'>) => Promise<() => void>): Promise<void> {
		const waiting = this.waiting.get(kind);
		if (waiting) {
			return waiting;
		}
		const { generation } = this;
		const mine = this.queue.run(async () => {
			if (generation !== this.generation) {
				return;
			}
			this.waiting.delete(kind);
			this.newer.clear();
			let take: (() => void) | undefined;
			let failure: unknown;
			try {
				take = await read(await this.client());
			} catch (error) {
				failure = error;
			}
			if (generation === this.generation) {
				this.failure = failure;
				if (take) {
					take();
					this.isLoaded = true;
					this.freshAt = this.clock.now();
				}
				this.changed.fire({ taskId: undefined });
			}
		});
		this.waiting.set(kind, mine);
		return mine;
	}
}
