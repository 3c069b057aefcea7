import { isActiveTask, type Task } from '../../contract/tasks.ts';

/** How long a task that went wrong stays on top, in milliseconds. */
const ATTENTION_MS = 24 * 60 * 60 * 1000;

export type GroupKind = 'attention' | 'active' | 'day';

export interface TaskGroup {
	kind: GroupKind;
	/** Stable while the group exists. For a day: `YYYY-MM-DD` in the machine's time zone, or `unknown`. */
	id: string;
	/** Newest first, after those that come first. */
	tasks: Task[];
}

/** Milliseconds since the epoch; NaN for a time that is missing or unreadable. */
export function timeOf(timestamp: string | undefined): number {
	return timestamp === undefined ? Number.NaN : Date.parse(timestamp);
}

/** When a task ended, as far as the record says. */
export function endedAt(task: Task): number {
	const ended = timeOf(task.completedAt);
	return Number.isNaN(ended) ? timeOf(task.updatedAt ?? task.createdAt) : ended;
}

export type Outcome = 'active' | 'completed' | 'failed' | 'interrupted' | 'stopped' | 'timeout';

/** How a task stands, in the few words that differ for a reader. An unknown final state counts as failed. */
export function outcomeOf(task: Task): Outcome {
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
			// contract: not shown. The local service marks the tasks that it found running at its start this way.
			return /^interrupted\b/i.test(task.error ?? '') ? 'interrupted' : 'failed';
		default:
			return 'failed';
	}
}

/** Newest first; tasks without a time last, and tasks of one moment in a fixed order. */
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
 * The groups that have tasks: those that went wrong lately, the active ones, then one for each day, newest first. In each
 * group the tasks that are to come first do so.
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

/** The same as `dayOf`, for times in order: asking the machine's time zone for each of ten thousand would be felt. */
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

/** `YYYY-MM-DD` in the machine's time zone. */
export function dayOf(time: number): string {
	if (Number.isNaN(time)) {
		return 'unknown';
	}
	const date = new Date(time);
	const part = (value: number) => String(value).padStart(2, '0');
	return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}
