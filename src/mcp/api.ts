// The tasks that other programs can use through their calls.
import type {
	ContinuedTask,
	EditorOutcome,
	FileDiff,
	LaunchFinding,
	PipeParsed,
	StartedTask,
	TaskChangeList,
} from '../contract/editorPipe.ts';
import type { Task } from '../contract/tasks.ts';

/** Everything that the launch of a task sends, in full. */
export interface ShownLaunch {
	prompt: string;
	connection: string;
	/** The address or the folder of the repository, as the service receives it. */
	repository: string;
	/** The local name of the branch. */
	branch: string;
	/** Each with its model, if one was chosen. Empty if the service decides. */
	agents: readonly string[];
	/** A line each about the request, with the actions before it, and about its result. */
	what: string;
	where: string;
	findings: readonly LaunchFinding[];
	/** True if something has changed since it was last shown. */
	hasChanged: boolean;
}

/** Everything that a further prompt sends, with the present state of the task. */
export interface ShownFollowUp {
	task: Task;
	prompt: string;
	connection: string;
	/** Set if the branch is checked out, so that a new task starts from it; `text` says so. */
	from: { branch: string; text: string } | undefined;
}

/** A task that may be stopped. */
export interface ShownStop {
	task: Task;
	connection: string;
}

/**
 * The tasks of the active connection for other programs. An action that spends or changes something waits until `allow`
 * has resolved with true for exactly what is shown.
 */
export interface TasksForPrograms {
	start(
		wish: PipeParsed<'start'>,
		allow: (shown: ShownLaunch) => Promise<boolean>,
	): Promise<EditorOutcome<StartedTask>>;
	continueTask(
		id: string,
		prompt: string,
		allow: (shown: ShownFollowUp) => Promise<boolean>,
	): Promise<EditorOutcome<ContinuedTask>>;
	stop(id: string, allow: (shown: ShownStop) => Promise<boolean>): Promise<EditorOutcome<Task>>;
	changes(asked: PipeParsed<'changes'>): Promise<TaskChangeList>;
	diff(asked: PipeParsed<'diff'>): Promise<FileDiff>;
}
