import type { Task } from '../contract/tasks.ts';
import type { ActiveConnection } from './common/activeConnection.ts';
import { NextTask } from './launch/nextTask.ts';
import { PromptEditor } from './launch/promptEditor.ts';
import type { PromptFile } from './launch/promptFile.ts';
import { TaskLauncher } from './launch/taskLauncher.ts';
import type { ListRefresh } from './list/listRefresh.ts';
import type { TaskListStore } from './list/taskListStore.ts';
import type { TaskTarget } from './model/taskConnection.ts';
import type { TaskStarts } from './results/taskStarts.ts';
import type { TasksDependencies } from './tasksDependencies.ts';

/** The parts of the feature that the start of a task needs. */
interface Parts {
	store: TaskListStore;
	active: ActiveConnection;
	list: Pick<ListRefresh, 'load'>;
	starts: Pick<TaskStarts, 'remember'>;
}

/** The services of the feature that all of its parts share. */
interface FeatureServices extends Omit<TasksDependencies, 'extensionUri'> {
	promptFile: PromptFile;
	/** Shows and follows a task that was created. */
	started(task: Task, target: TaskTarget): Promise<void>;
	explain(error: unknown): void;
}

/** Builds what starts tasks out of the parts of the feature. */
export function createTaskLauncher(
	{ store, active, list, starts }: Parts,
	{ storage, connection, localService, composer, promptFile, started, explain, logger }: FeatureServices,
): { launcher: TaskLauncher; next: NextTask; promptEditor: PromptEditor } {
	/** Agents may be installed or removed at any time, so each launch asks which there are. */
	const target = async (): Promise<TaskTarget> => {
		const { connection: found, client } = await active.target();
		return { client, connection: { ...found, agents: await connection.agents() } };
	};
	const promptEditor = new PromptEditor(promptFile);
	const next: NextTask = new NextTask({
		promptFile,
		globalState: storage.globalState,
		connection: {
			target,
			label: () => active.label,
			isStopped: async () => (await active.read()).isLocal && localService.isStopped(),
			changes: [connection.onDidChange, localService.onDidChangeStopped],
		},
		readSandbox: async folder =>
			(await localService.checkTask({ repoUrl: folder, agents: [], installDependencies: false })).sandbox,
		check: subjects => launcher.checkDependencies(subjects),
		takeBack: () => launcher.takeToChat(),
	});
	const launcher = new TaskLauncher({
		storage,
		composer,
		promptEditor,
		next,
		connection: { target, ensureKey: () => connection.ensureKey(), localService },
		known: {
			tasks: () => store.all(),
			load: () => list.load(),
			rememberStart: (id, commit) => starts.remember(id, commit),
		},
		listener: { started, explain },
		logger,
	});
	return { launcher, next, promptEditor };
}
