import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../removeFolder.ts';
import { WORK_MARKER } from '../stateFolder.ts';
import { type ExecutionRecord, FINAL_STATUSES, type NewTask, type TaskRecord } from '../store/taskRecord.ts';
import type { FollowUp, TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { ProcessFamily } from './processFamily.ts';
import { logLabel, logRecord } from './taskLog.ts';
import { commitSubject, newBranchOf } from './taskNames.ts';
import { processMarker, runTask, TaskEnded } from './taskRun.ts';

const MAXIMUM_RUNNING = 2;
const MAXIMUM_WAITING = 200;
/** The time for processes of an earlier service to end: git removes its lock files when it is asked to end. */
const LEFTOVER_GRACE_MS = 2_000;
/** The longest delay of Node's timers; a longer one would fire at once. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;
const INTERRUPTED = 'Interrupted: the local service stopped while the task was running.';

/** A push may still succeed after its service has ended. git creates a branch completely or not at all. */
function mayBeThere(task: TaskRecord, execution: ExecutionRecord): string {
	const made = newBranchOf(task, execution);
	return execution.branchName === null
		? `It was about to make the branch ${made}; if that is there, it is whole.`
		: `It was about to move the branch ${execution.branchName} on; that is whole, as it was or as it was to be. If it was checked out, the work may be on the branch ${made}.`;
}

export interface TaskRunnerOptions {
	store: TaskStore;
	/** The folder in which each running execution has a folder of its own. Anything else in it is removed at the start. */
	folder: string;
	agents: readonly Agent[];
	logger: Logger;
	/** The number of executions that run at the same time; 2 by default. */
	maximumRunning?: number;
	/** The number of executions that may wait; 200 by default. */
	maximumWaiting?: number;
	/** Called when the state can no longer be written: the service has to end rather than show a false state. */
	onBroken(error: unknown): void;
}

/** An execution that waits or runs. */
interface Job {
	task: TaskRecord;
	execution: ExecutionRecord;
	agent: Agent;
	controller: AbortController;
	/** Settles when the execution is in a final state. It is absent while the execution waits. */
	run?: Promise<void>;
}

/** Runs the agents of tasks in the order of creation, a limited number at a time. The queue survives a restart. */
export class TaskRunner {
	private readonly options: TaskRunnerOptions;
	private readonly jobs = new Set<Job>();
	private readonly ended = new Emitter<string>();
	private stopping = false;

	/** Fires with the id of a task when one of its executions has reached a final state. */
	readonly onDidEnd = this.ended.event;

	constructor(options: TaskRunnerOptions) {
		this.options = options;
	}

	get isBusy(): boolean {
		return this.jobs.size > 0;
	}

	get isStopping(): boolean {
		return this.stopping;
	}

	/** Whether `count` more executions may wait. */
	hasRoomFor(count: number): boolean {
		return this.waiting().length + count <= (this.options.maximumWaiting ?? MAXIMUM_WAITING);
	}

	/**
	 * Takes over from an earlier process: executions that waited wait again (until `start`), those that ran are marked as
	 * interrupted, and their processes and folders are removed.
	 */
	async recover(): Promise<void> {
		const { store, folder, logger } = this.options;
		const leftovers: Promise<void>[] = [];
		const queued: Job[] = [];
		for (const task of store.active()) {
			for (const execution of store.executions(task)) {
				const agent = this.options.agents.find(({ id }) => id === execution.agent);
				if (FINAL_STATUSES.has(execution.status)) {
					continue;
				}
				if (execution.status !== 'pending') {
					const error = execution.status === 'saving' ? `${INTERRUPTED} ${mayBeThere(task, execution)}` : INTERRUPTED;
					this.store(task, execution, new TaskEnded('error', error, true));
					logger.log('info', 'an interrupted task was ended', { taskId: task.id });
					if (process.platform !== 'win32') {
						const family = new ProcessFamily(undefined, processMarker(task.id, execution.position));
						leftovers.push(family.end(LEFTOVER_GRACE_MS));
					}
				} else if (agent === undefined) {
					const sentence = `There is no agent "${execution.agent}" here any more. Start the task again with another one.`;
					this.store(task, execution, new TaskEnded('error', sentence));
				} else {
					queued.push({ task, execution, agent, controller: new AbortController() });
				}
			}
		}
		await Promise.all(leftovers);
		try {
			// The folder itself stays: it has been checked, and a new one in its place would not be.
			const names = await readdir(folder).catch(() => []);
			for (const name of names.filter(left => left !== WORK_MARKER)) {
				await removeFolder(path.join(folder, name));
			}
		} catch (error) {
			logger.log('warn', 'task folders of an earlier run were left behind', { reason: describeError(error) });
		}
		for (const job of queued) {
			this.jobs.add(job);
		}
	}

	/** Starts the executions that `recover` found waiting. */
	start(): void {
		this.startNext();
	}

	/** Stores a task, which then survives a crash, and queues it. `agents` are those of `task.agents`, in their order. */
	create(task: Omit<NewTask, 'id'>, agents: readonly Agent[]): TaskRecord {
		const record = this.options.store.create({ ...task, id: randomUUID() });
		this.queue(record, agents);
		return record;
	}

	/** Stores a follow-up to a task of one agent that is in a final state and has a branch, and queues it. */
	continue(id: string, followUp: FollowUp, agent: Agent): TaskRecord {
		const message = `Asked to go on: ${commitSubject(followUp.prompt)}`;
		const record = this.options.store.followUp(id, followUp, [logRecord(agent.id, 'task_continued', 'info', message)]);
		this.queue(record, [agent]);
		return record;
	}

	/** Ends a task and everything that it started. Resolves when that is done; at once for a task that has ended before. */
	async stop(id: string): Promise<void> {
		const reason = () => new TaskEnded('stopped', 'Stopped by the user.');
		const jobs = [...this.jobs].filter(({ task }) => task.id === id);
		// Waiting executions are ended first: they must not start when a running one ends.
		jobs.sort((a, b) => Number(a.run !== undefined) - Number(b.run !== undefined));
		await Promise.all(jobs.map(job => this.end(job, reason())));
	}

	/**
	 * Ends running executions as interrupted and starts no others; waiting ones keep waiting in the store. Every child has
	 * ended when this resolves, even if nothing can be stored any more.
	 */
	async shutdown(): Promise<void> {
		this.stopping = true;
		const running = [...this.jobs].filter(job => job.run !== undefined);
		await Promise.all(running.map(job => this.end(job, new TaskEnded('error', INTERRUPTED, true))));
	}

	private queue(task: TaskRecord, agents: readonly Agent[]): void {
		for (const [index, execution] of this.options.store.executions(task).entries()) {
			const agent = agents[index];
			if (agent !== undefined) {
				this.jobs.add({ task, execution, agent, controller: new AbortController() });
			}
		}
		this.startNext();
	}

	private async end(job: Job, reason: TaskEnded): Promise<void> {
		job.controller.abort(reason);
		if (job.run !== undefined) {
			await job.run;
			return;
		}
		this.store(job.task, job.execution, reason);
		this.forget(job);
	}

	/** Stores the final state of an execution that is not running. */
	private store(task: TaskRecord, { agent, position }: ExecutionRecord, reason: TaskEnded): void {
		const { status, message, interrupted } = reason;
		const type = status === 'stopped' ? 'warning' : 'error';
		const change = { status, interrupted, error: status === 'stopped' ? null : message };
		const entry = logRecord(agent, 'task_ended', type, logLabel(task, position) + message);
		this.options.store.update(task.id, position, change, [entry]);
	}

	private waiting(): Job[] {
		return [...this.jobs].filter(job => job.run === undefined);
	}

	private startNext(): void {
		if (this.stopping) {
			return;
		}
		const waiting = this.waiting();
		const running = this.jobs.size - waiting.length;
		for (const job of waiting.slice(0, Math.max(0, (this.options.maximumRunning ?? MAXIMUM_RUNNING) - running))) {
			job.run = this.run(job);
		}
	}

	private async run(job: Job): Promise<void> {
		const { task, execution, agent, controller } = job;
		const seconds = task.maxDuration;
		const timer = setTimeout(
			() => {
				const sentence = `The task took longer than its limit of ${seconds} s and was ended. Start it again with a higher limit.`;
				controller.abort(new TaskEnded('timeout', sentence));
			},
			Math.min(seconds * 1000, MAXIMUM_TIMER_MS),
		);
		const { store, logger } = this.options;
		const folder = path.join(this.options.folder, `${task.id}-${execution.position}`);
		try {
			await runTask({ task, execution, agent, store, folder, signal: controller.signal, logger });
		} catch (error) {
			this.options.onBroken(error);
		} finally {
			clearTimeout(timer);
		}
		this.forget(job);
	}

	private forget(job: Job): void {
		this.jobs.delete(job);
		this.ended.fire(job.task.id);
		this.startNext();
	}
}
