import { specialKeys } from './fixtures.ts';
import {
	type LogEntry,
	logEntries,
	manyTasks,
	moment,
	newTask,
	type Task,
	tasks,
	unlistedTasks,
} from './taskFixtures.ts';

const activeStates = ['pending', 'processing', 'saving'];

/** The tasks of one server and their logs. Tests of one server do not see changes made by tests of another. */
export class TaskStore {
	/** The number of times that each task's log was streamed. */
	readonly streams = new Map<string, number>();
	private readonly listed = structuredClone(tasks);
	private readonly unlisted = structuredClone(unlistedTasks);
	private readonly logs = new Map<string, LogEntry[]>();
	private created = 0;

	list(key: string): Task[] {
		return key === specialKeys.manyTasks ? manyTasks : key === specialKeys.withoutTasks ? [] : this.listed;
	}

	find(id: string): Task | undefined {
		return [...this.listed, ...this.unlisted].find(task => task.id === id);
	}

	log(id: string): LogEntry[] {
		const log = this.logs.get(id) ?? [...logEntries];
		this.logs.set(id, log);
		return log;
	}

	create(fields: Partial<Task>): Task {
		this.created += 1;
		const now = new Date().toISOString();
		const task = newTask(`task-created-${this.created}`, 0, { ...fields, createdAt: now, updatedAt: now });
		this.listed.unshift(task);
		return task;
	}

	/** Finishes a task, as when the log of an active task is read to its end. */
	finish(task: Task): void {
		Object.assign(task, {
			status: 'completed',
			progress: 100,
			completedAt: moment(900),
			branchName: `agent/${task.id}`,
		});
	}

	stop(task: Task): void {
		Object.assign(task, { status: 'stopped', completedAt: moment(901) });
	}

	/** Makes the same task active again and continues its log. */
	resume(task: Task, prompt: string, fields: Partial<Task>): void {
		const log = this.log(task.id);
		Object.assign(task, { ...fields, status: 'processing', progress: 20, completedAt: null });
		for (const [message, step] of [
			[`Going on: ${prompt}`, 'agent_executing'],
			['Committed again', 'git_committed'],
		] as const) {
			const timestamp = moment(1000 + log.length);
			log.push({
				type: 'info',
				contentType: 'message',
				message,
				timestamp,
				agent: String(task['selectedAgent']),
				step,
			});
		}
	}
}

export function isActive(task: Task): boolean {
	return activeStates.includes(task.status);
}

/**
 * Returns the states for a value of the list's `status` filter. The contract does not show which states `failed` covers
 * besides `error`.
 */
export function statesOf(filter: string): string[] {
	return filter === 'active' ? activeStates : filter === 'failed' ? ['error', 'timeout'] : [filter];
}
