import { isActiveTask, type Task, type TaskListQuery } from '../../contract/tasks.ts';
import { outcomeOf } from './taskGroups.ts';

/** The filter of the list. `kind` and `status` are sent to the service; the rest is applied to the loaded tasks. */
export interface TaskFilter {
	kind: NonNullable<TaskListQuery['filter']>;
	status: TaskListQuery['status'];
	/** Text to find in the prompt, the names and the ids; empty for every task. */
	text: string;
	/** True if only tasks on a repository of this window are shown. */
	isOwnRepositoryOnly: boolean;
	/** True if tasks that the user has archived are shown as well. */
	showsArchived: boolean;
}

export const NO_FILTER: TaskFilter = {
	kind: 'all',
	status: undefined,
	text: '',
	isOwnRepositoryOnly: false,
	showsArchived: false,
};

/** Returns whether the list differs from the default one. */
export function isFiltered({ kind, status, text, isOwnRepositoryOnly, showsArchived }: TaskFilter): boolean {
	return kind !== 'all' || status !== undefined || text !== '' || isOwnRepositoryOnly || showsArchived;
}

/** Returns whether the service would list the task, judged by its record. */
export function matchesQuery(task: Task, { kind, status }: Pick<TaskFilter, 'kind' | 'status'>): boolean {
	const isBatch = task.batchId !== undefined;
	if ((kind === 'batch' && !isBatch) || (kind === 'tasks' && isBatch)) {
		return false;
	}
	switch (status) {
		case undefined:
			return true;
		case 'active':
			return isActiveTask(task);
		case 'completed':
		case 'stopped':
			return outcomeOf(task) === status;
		case 'failed':
			return ['failed', 'interrupted', 'timeout'].includes(outcomeOf(task));
	}
}

/** Returns whether the task contains every word of the text. */
export function matchesText(task: Task, text: string): boolean {
	// This check runs for every known task each time the rows are drawn.
	if (text === '') {
		return true;
	}
	const { prompt, selectedAgent, selectedModel, branchName, selectedBranch, repoUrl, creatorName, badge, id } = task;
	const fields = [prompt, selectedAgent, selectedModel, branchName, selectedBranch, repoUrl, creatorName, badge, id];
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const all = [...fields, task.prNumber === undefined ? undefined : `#${task.prNumber}`].join('\n').toLowerCase();
	return words.every(word => all.includes(word));
}
