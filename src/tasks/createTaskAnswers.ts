import type { ActiveConnection } from './activeConnection.ts';
import { agentBranchOf, type TaskFollowUps } from './continueTask.ts';
import { taskIdOf } from './pickTask.ts';
import { TaskAnswers, type TaskAnswersDependencies } from './review/taskAnswers.ts';
import type { TaskListStore } from './taskListStore.ts';

interface Parts
	extends Pick<TaskAnswersDependencies, 'workspaceState' | 'changes' | 'client' | 'pick' | 'ensureKey' | 'explain'> {
	store: TaskListStore;
	active: ActiveConnection;
	followUps: TaskFollowUps;
}

/** Builds what the user answers tasks with out of the parts of the feature. */
export function createTaskAnswers({ store, active, followUps, ...parts }: Parts): TaskAnswers {
	return new TaskAnswers({
		...parts,
		tasks: () => store.all(),
		task: async id => store.get(id) ?? (await active.target()).client.tasks.get(id),
		taskIdOf,
		label: () => active.label,
		send: (task, result, prompt) => followUps.sendPrompt(task.id, prompt, agentBranchOf(task, result)),
	});
}
