import type * as vscode from 'vscode';
import type { ActiveConnection } from './activeConnection.ts';
import { agentBranchOf, type TaskFollowUps } from './continueTask.ts';
import { taskIdOf } from './pickTask.ts';
import { TaskAnswers, type TaskAnswersDependencies } from './review/taskAnswers.ts';
import type { TaskListStore } from './taskListStore.ts';
import type { TasksConnection } from './tasksDependencies.ts';

/** The parts of the feature that answers are made of. */
interface Parts extends Pick<TaskAnswersDependencies, 'changes'> {
	store: TaskListStore;
	active: ActiveConnection;
	followUps: TaskFollowUps;
}

/** What the feature has for all of its parts. */
interface FeatureServices
	extends Pick<TaskAnswersDependencies, 'explain'>,
		Pick<TaskAnswersDependencies['tasks'], 'pick'> {
	workspaceState: vscode.Memento;
	connection: Pick<TasksConnection, 'client' | 'ensureKey'>;
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
