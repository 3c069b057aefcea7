import { distinctNames } from '../base/distinctNames.ts';
import { oneLine } from '../base/plainText.ts';
import type { Task } from './tasks.ts';

const MAXIMUM_NAME = 60;

/** A branch that a task has made: its own, or that of one of several agents with the same prompt. */
export interface TaskResult {
	/** Unique among all results of a service, and stable. */
	key: string;
	taskId: string;
	branch: string;
	/** The agent; undefined for a task with one agent. */
	agent: string | undefined;
	/** The agent's name, unique among the agents of the task. Absent for a task with one agent. */
	name?: string | undefined;
}

/** Returns the names of a task's agents in order. Several runs of one agent are distinguished by their models. */
export function agentNames({
	agentExecutions = [],
	selectedAgents = [],
}: Pick<Task, 'agentExecutions' | 'selectedAgents'>): string[] {
	return distinctNames(
		agentExecutions.map(({ agent }, at) =>
			[agent, selectedAgents[at]?.model].map(part => oneLine(part ?? '', MAXIMUM_NAME)),
		),
	);
}

/** Returns the branches of a task, in the order of its agents; none if it has not made one yet. */
export function resultsOf(
	task: Pick<Task, 'id' | 'branchName' | 'agentExecutions' | 'multiLaunch' | 'selectedAgents'>,
): TaskResult[] {
	const { id, branchName, agentExecutions = [] } = task;
	if (isRace(task)) {
		const names = agentNames(task);
		return agentExecutions.flatMap(({ agent, branchName: branch }, position) =>
			branch === undefined ? [] : [{ key: `${id}:${position}`, taskId: id, branch, agent, name: names[position] }],
		);
	}
	return branchName === undefined ? [] : [{ key: id, taskId: id, branch: branchName, agent: undefined }];
}

/** Returns whether several agents work, or have worked, on the same prompt. */
export function isRace({ multiLaunch, agentExecutions = [] }: Pick<Task, 'agentExecutions' | 'multiLaunch'>): boolean {
	return multiLaunch !== false && agentExecutions.length > 1;
}

/** Returns the commit at which a result began, if the service states it. */
export function baseCommitOf(
	{ id, errand, agentExecutions = [] }: Pick<Task, 'id' | 'errand' | 'agentExecutions'>,
	{ key }: Pick<TaskResult, 'key'>,
): string | undefined {
	return (key === id ? errand : agentExecutions[Number(key.slice(id.length + 1))]?.errand)?.baseCommit;
}
