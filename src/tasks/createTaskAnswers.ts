import type * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { ActiveConnection } from './common/activeConnection.ts';
import { agentBranchOf, type TaskFollowUps } from './continueTask.ts';
import type { ListRefresh } from './list/listRefresh.ts';
import { taskIdOf } from './list/pickTask.ts';
import type { TaskListStore } from './list/taskListStore.ts';
import type { TaskChanges } from './results/taskChanges.ts';
import { TaskAnswers } from './review/taskAnswers.ts';
import type { TaskFinder } from './review/taskMaterial.ts';
import type { TasksConnection } from './tasksDependencies.ts';

/** The parts of the feature that answers are made of. */
interface Parts {
	changes: TaskChanges;
	store: TaskListStore;
	active: ActiveConnection;
	followUps: TaskFollowUps;
	list: Pick<ListRefresh, 'load'>;
}

/** The services of the feature that all of its parts share. */
interface FeatureServices {
	extensionUri: vscode.Uri;
	workspaceState: vscode.Memento;
	connection: Pick<TasksConnection, 'client' | 'ensureKey'>;
	pick: TaskFinder['pick'];
	explain(error: unknown): void;
	logger: Logger;
}

/** Builds what the user answers tasks with out of the parts of the feature. */
export function createTaskAnswers(
	{ store, active, followUps, changes, list }: Parts,
	{ connection, pick, ...services }: FeatureServices,
): TaskAnswers {
	return new TaskAnswers({
		...services,
		changes,
		tasks: {
			all: () => store.all(),
			get: async id => store.get(id) ?? (await active.target()).client.tasks.get(id),
			idOf: taskIdOf,
			pick,
			send: (task, result, prompt) => followUps.sendPrompt(task.id, prompt, agentBranchOf(task, result)),
		},
		list: {
			get: id => store.get(id),
			load: () => list.load(),
			// A stopped service is not started again to find out how its tasks were left.
			onDidChange: listener => store.onDidChange(() => active.isStopped || listener(undefined)),
		},
		connection: { client: connection.client, label: () => active.label, ensureKey: connection.ensureKey },
	});
}
