import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import type { NewTask, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { logRecord } from './taskLog.ts';
import { branchNameOf } from './taskNames.ts';
import { runTask, TaskEnded } from './taskRun.ts';

const MAXIMUM_RUNNING = 2;
/** The longest that a timer of the platform can wait; longer ones would end at once. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;
const INTERRUPTED = 'Interrupted: the local service stopped while the task was running.';

/** A push may end well after the service that began it has gone. git makes a branch whole or not at all. */
function mayBeThere({ prompt, id }: TaskRecord): string {
	return `It was about to make the branch ${branchNameOf(prompt, id)}; if that is there, it is whole.`;
}

export interface TaskRunnerOptions {
	store: TaskStore;
	/** Where each task has a folder of its own while it runs. Whatever lies there at the start is removed. */
	folder: string;
	agents: readonly Agent[];
	logger: Logger;
	/** The state can no longer be written: the service has to end rather than show what is not true. */
	onBroken(error: unknown): void;
}

interface ActiveTask {
	task: TaskRecord;
	agent: Agent;
	controller: AbortController;
	/** Settles when the task is in a final state. Absent while it waits. */
	run?: Promise<void>;
}

/** Runs tasks, two at a time, in the order they came. */
export class TaskRunner {
	private readonly options: TaskRunnerOptions;
	private readonly active = new Map<string, ActiveTask>();
	private readonly ended = new Emitter<string>();
	private stopping = false;

	/** Fires with the id of a task that has reached a final state. */
	readonly onDidEnd = this.ended.event;

	constructor(options: TaskRunnerOptions) {
		this.options = options;
	}

	get isBusy(): boolean {
		return this.active.size > 0;
	}

	get isStopping(): boolean {
		return this.stopping;
	}

	/**
	 * Ends what an earlier process left: a task whose result is stored is complete, the others say that they were
	 * interrupted, and their folders go.
	 */
	recover(): void {
		const { store, folder, logger } = this.options;
		for (const task of store.active()) {
			if (task.filesChanged !== null) {
				store.update(task.id, { status: 'completed', progress: 100 });
				continue;
			}
			const error = task.status === 'saving' ? `${INTERRUPTED} ${mayBeThere(task)}` : INTERRUPTED;
			store.update(task.id, { status: 'error', error }, [logRecord(task.selectedAgent, 'task_ended', 'error', error)]);
			logger.log('info', 'an interrupted task was ended', { taskId: task.id });
		}
		try {
			rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
		} catch (error) {
			logger.log('warn', 'task folders of an earlier run were left behind', { reason: describeError(error) });
		}
	}

	/** Stores a task and queues it. When this returns, the task survives a crash. */
	create(task: Omit<NewTask, 'id'>, agent: Agent): TaskRecord {
		const record = this.options.store.create({ ...task, id: randomUUID() });
		this.active.set(record.id, { task: record, agent, controller: new AbortController() });
		this.startNext();
		return record;
	}

	/** Ends a task and everything that it started. Resolves when that is so; at once for one that has ended before. */
	async stop(id: string): Promise<void> {
		const active = this.active.get(id);
		if (active !== undefined) {
			await this.end(active, new TaskEnded('stopped', 'Stopped by the user.'));
		}
	}

	/** Ends all tasks as interrupted and takes no new ones. Every child has ended even when it then throws. */
	async shutdown(): Promise<void> {
		this.stopping = true;
		const ends = [...this.active.values()].map(active => this.end(active, new TaskEnded('error', INTERRUPTED)));
		await Promise.allSettled(ends);
		await Promise.all(ends);
	}

	private async end(active: ActiveTask, reason: TaskEnded): Promise<void> {
		active.controller.abort(reason);
		if (active.run !== undefined) {
			await active.run;
			return;
		}
		const { status, message } = reason;
		const type = status === 'stopped' ? 'warning' : 'error';
		this.options.store.update(active.task.id, { status, error: status === 'stopped' ? null : message }, [
			logRecord(active.agent.id, 'task_ended', type, message),
		]);
		this.forget(active);
	}

	private startNext(): void {
		const running = [...this.active.values()].filter(active => active.run !== undefined).length;
		const waiting = [...this.active.values()].filter(active => active.run === undefined);
		if (!this.stopping) {
			for (const active of waiting.slice(0, MAXIMUM_RUNNING - running)) {
				active.run = this.run(active);
			}
		}
	}

	private async run(active: ActiveTask): Promise<void> {
		const { task, agent, controller } = active;
		const seconds = task.maxDuration;
		const timer = setTimeout(
			() => {
				const sentence = `The task took longer than its limit of ${seconds} s and was ended. Start it again with a higher limit.`;
				controller.abort(new TaskEnded('timeout', sentence));
			},
			Math.min(seconds * 1000, MAXIMUM_TIMER_MS),
		);
		const { store, logger } = this.options;
		const folder = path.join(this.options.folder, task.id);
		try {
			await runTask({ task, agent, store, folder, signal: controller.signal, logger });
		} catch (error) {
			this.options.onBroken(error);
		} finally {
			clearTimeout(timer);
		}
		this.forget(active);
	}

	private forget(active: ActiveTask): void {
		this.active.delete(active.task.id);
		this.ended.fire(active.task.id);
		this.startNext();
	}
}
