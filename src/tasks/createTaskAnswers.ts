import type * as vscode from 'vscode';
import type { ActiveConnection } from './activeConnection.ts';
import type { TaskChanges } from './changes/taskChanges.ts';
import { agentBranchOf, type TaskFollowUps } from './continueTask.ts';
import { taskIdOf } from './pickTask.ts';
import { TaskAnswers } from './review/taskAnswers.ts';
import type { TaskFinder } from './review/taskMaterial.ts';
import type { TaskListStore } from './taskListStore.ts';
import type { TasksConnection } from './tasksDependencies.ts';

/** The parts of the feature that answers are made of. */
interface Parts {
	changes: TaskChanges;
	store: TaskListStore;
	active: ActiveConnection;
	followUps: TaskFollowUps;
}

/** The services of the feature that all of its parts share. */
interface FeatureServices {
	workspaceState: vscode.Memento;
	connection: Pick<TasksConnection, 'client' | 'ensureKey'>;
	pick: TaskFinder['pick'];
	explain(error: unknown): void;
}

/** Builds what the user answers tasks with out of the parts of the feature. */
export function createTaskAnswers(
	{ store, active, followUps, changes }: Parts,
	{ workspaceState, connection, pick, explain }: FeatureServices,
): TaskAnswers {
	return new TaskAnswers({
		workspaceState,
		changes,
		tasks: {
			all: () => store.all(),
			get: async id => store.get(id) ?? (await active.target()).client.tasks.get(id),
			idOf: taskIdOf,
			pick,
			send: (task, result, prompt) => followUps.sendPrompt(task.id, prompt, agentBranchOf(task, result)),
		},
		connection: { client: connection.client, label: () => active.label, ensureKey: connection.ensureKey },
		explain,
	});
}
