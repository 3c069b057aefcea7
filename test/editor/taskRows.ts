import { systemClock } from '../../src/base/async.ts';
import type { Client } from '../../src/client/types.ts';
import { ActiveConnection } from '../../src/tasks/common/activeConnection.ts';
import { AgentTaskList } from '../../src/tasks/list/agentTaskList.ts';
import { TaskListStore } from '../../src/tasks/list/taskListStore.ts';
import { type TaskMarks, TaskTree } from '../../src/tasks/list/taskTree.ts';
import type { LogFiles } from '../../src/tasks/log/logFile.ts';
import { LogFollowers } from '../../src/tasks/log/logFollowers.ts';
import { TaskEnds } from '../../src/tasks/model/taskEnds.ts';
import { ResultRows } from '../../src/tasks/results/resultRows.ts';
import { TaskChanges } from '../../src/tasks/results/taskChanges.ts';
import { TaskSteps } from '../../src/tasks/results/taskSteps.ts';
import type { State } from '../support/state.ts';
import { connection } from '../support/taskClient.ts';

/** The active connection of a window, `connection`, which leads to the client's server. */
export function activeConnection(client: Client): ActiveConnection {
	return new ActiveConnection({
		connection: {
			read: () => Promise.resolve({ ...connection, isLocal: false, hasLookUps: true, agents: [] }),
			client: () => Promise.resolve(client),
		},
		localService: { isStopped: () => false },
	});
}

interface RowOptions {
	followState?: TaskMarks['followState'];
	/** The sentence for an error of the list of agent tasks. */
	explain?: (error: unknown) => string;
	loadsAgentTasks?: boolean;
	isArchived?: TaskMarks['isArchived'];
}

/** The lists of tasks that the client's server has, and the rows that show them. */
export function taskRows(
	client: Client,
	{
		followState = () => undefined,
		explain = String,
		loadsAgentTasks = false,
		isArchived = () => false,
	}: RowOptions = {},
): { store: TaskListStore; agentTasks: AgentTaskList; tree: TaskTree } {
	const store = new TaskListStore(() => Promise.resolve(client), systemClock);
	const agentTasks = new AgentTaskList(() => Promise.resolve(client));
	const tree = new TaskTree({
		lists: {
			store,
			agentTasks,
			load: async () => {
				await Promise.all([store.refresh(), loadsAgentTasks ? agentTasks.refresh() : undefined]);
			},
		},
		marks: { followState, isArchived, hasComments: () => false },
		active: { current: undefined, isStopped: false, explain },
		own: { matcher: () => () => false },
		below: resultRows(store),
	});
	return { store, agentTasks, tree };
}

/** What tasks have changed, without a record of which repositories have their branches. */
export function changesAlone(): TaskChanges {
	const references = { remember: () => {}, remove: () => Promise.resolve() };
	return new TaskChanges({ isLocal: () => true, startCommit: () => undefined, references });
}

/** The steps of tasks of a service that keeps none. */
export function noSteps(): TaskSteps {
	return new TaskSteps({
		isLocal: () => false,
		task: () => undefined,
		read: () => Promise.reject(new Error('no steps are read')),
		explain: String,
	});
}

/** The rows below those of tasks, as a window has them. */
export function resultRows(store: TaskListStore, steps = noSteps()): ResultRows {
	return new ResultRows({
		task: id => store.get(id),
		changes: changesAlone(),
		steps,
		onUnfold: () => {},
	});
}

/** The followed logs of a window whose active connection is `connection`. */
export async function logFollowers(client: Client, workspaceState: State, logFiles?: LogFiles): Promise<LogFollowers> {
	const active = activeConnection(client);
	await active.read();
	const store = new TaskListStore(() => Promise.resolve(client), systemClock);
	return new LogFollowers({ workspaceState, logFiles, store, active, ends: new TaskEnds() });
}
