import { isActiveTask, type Task } from '../../contract/tasks.ts';

/** The time for which a failed task stays at the top, in milliseconds. */
const ATTENTION_MS = 24 * 60 * 60 * 1000;

export interface TaskGroup {
	kind: 'attention' | 'active' | 'day';
	/** The id is stable while the group exists. For a day it is `YYYY-MM-DD` in the machine's time zone, or `unknown`. */
	id: string;
	/** Sorted newest first, after the tasks that take precedence. */
	tasks: Task[];
}

/** Returns milliseconds since the epoch, or NaN for a time that is missing or unreadable. */
export function timeOf(timestamp: string | undefined): number {
	return timestamp === undefined ? Number.NaN : Date.parse(timestamp);
}

/** Returns the time at which a task ended, as far as its record shows it. */
export function endedAt(task: Task): number {
	const times = [task.completedAt, task.updatedAt, task.createdAt].map(timeOf);
	return times.find(time => !Number.isNaN(time)) ?? Number.NaN;
}

/** The outcome of a task; `active` if it has not ended. */
export type TaskOutcome = 'active' | 'completed' | 'failed' | 'interrupted' | 'stopped' | 'timeout';

/** Maps a task's status to the few outcomes that matter to a reader. An unknown final status counts as failed. */
export function outcomeOf(task: Task): TaskOutcome {
	if (isActiveTask(task)) {
		return 'active';
	}
	switch (task.status) {
		case 'completed':
		case 'timeout':
		case 'stopped':
		case 'interrupted':
			return task.status;
		case 'cancelled':
			return 'stopped';
		case 'error':
			// contract: not shown. This is how the local service marks tasks that were running when it started.
			return /^interrupted\b/i.test(task.error ?? '') ? 'interrupted' : 'failed';
		default:
			return 'failed';
	}
}

/** Sorts the newest first, tasks without a time last, and tasks of the same time in a fixed order. */
export function sortTasks(tasks: Iterable<Task>): Task[] {
	return sortedByTime(tasks).map(({ task }) => task);
}

function sortedByTime(tasks: Iterable<Task>): { task: Task; time: number }[] {
	const dated = Array.from(tasks, task => ({ task, time: timeOf(task.createdAt) }));
	const order = (time: number) => (Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time);
	dated.sort((a, b) => {
		const first = order(a.time);
		const second = order(b.time);
		return first === second ? (a.task.id < b.task.id ? 1 : -1) : second > first ? 1 : -1;
	});
	return dated;
}

/**
 * Returns the groups that have tasks: the recent failures, the active tasks, then one group for each day, newest first.
 * In each group, the tasks for which `isFirst` returns true come first.
 */
export function groupTasks(tasks: Iterable<Task>, now: number, isFirst: (task: Task) => boolean): TaskGroup[] {
	const attention: TaskGroup = { kind: 'attention', id: 'attention', tasks: [] };
	const active: TaskGroup = { kind: 'active', id: 'active', tasks: [] };
	const days = new Map<string, TaskGroup>();
	const dayIdOf = dayIds();
	for (const { task, time } of sortedByTime(tasks)) {
		const outcome = outcomeOf(task);
		if (outcome === 'active') {
			active.tasks.push(task);
		} else if (outcome !== 'completed' && outcome !== 'stopped' && now - endedAt(task) < ATTENTION_MS) {
			attention.tasks.push(task);
		} else {
			const id = dayIdOf(time);
			let day = days.get(id);
			if (!day) {
				day = { kind: 'day', id, tasks: [] };
				days.set(id, day);
			}
			day.tasks.push(task);
		}
	}
	const groups = [attention, active, ...days.values()].filter(group => group.tasks.length > 0);
	for (const group of groups) {
		const firsts = group.tasks.filter(isFirst);
		if (firsts.length > 0 && firsts.length < group.tasks.length) {
			group.tasks = [...firsts, ...group.tasks.filter(task => !isFirst(task))];
		}
	}
	return groups;
}

/**
 * Like `dayOf`, but for times in order: converting each of ten thousand times to the machine's time zone would be
 * noticeably slow.
 */
function dayIds(): (time: number) => string {
	let day = { start: 0, end: 0, id: '' };
	return time => {
		if (!(time >= day.start && time < day.end)) {
			const date = new Date(time);
			const midnight = (days: number) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
			day = { start: midnight(0), end: midnight(1), id: dayOf(time) };
		}
		return day.id;
	};
}

/** Returns `YYYY-MM-DD` in the machine's time zone. */
export function dayOf(time: number): string {
	if (Number.isNaN(time)) {
		return 'unknown';
	}
	const date = new Date(time);
	const part = (value: number) => String(value).padStart(2, '0');
	return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}
