// What the calls of other programs ask of tasks.
import type {
	AskedOutcome,
	ContinuedTask,
	FileDiff,
	LaunchFinding,
	PipeParsed,
	StartedTask,
	TaskChangeList,
} from '../contract/editorPipe.ts';
import type { Task } from '../contract/tasks.ts';

/** All that the launch of a task sends, in full. */
export interface ShownLaunch {
	prompt: string;
	connection: string;
	/** The address or the folder of the repository, as the service gets it. */
	repository: string;
	/** The local name of the branch. */
	branch: string;
	/** Each with its model, where one was chosen. Empty where the service decides. */
	agents: readonly string[];
	/** What is sent and what is done before, and what becomes of it, in a line each. */
	what: string;
	where: string;
	findings: readonly LaunchFinding[];
	/** Something has changed since it was shown before. */
	hasChanged: boolean;
}

/** All that a further prompt sends, with the task as it is. */
export interface ShownFollowUp {
	task: Task;
	prompt: string;
	connection: string;
	/** Set where the branch is checked out, so that a new task starts from it; `text` says so. */
	from: { branch: string; text: string } | undefined;
}

/** A task that may be stopped. */
export interface ShownStop {
	task: Task;
	connection: string;
}

/**
 * The tasks of the active connection for other programs. Whatever spends or changes something waits until `allow` has
 * resolved with true for exactly what is shown.
 */
export interface TasksForPrograms {
	start(wish: PipeParsed<'start'>, allow: (shown: ShownLaunch) => Promise<boolean>): Promise<AskedOutcome<StartedTask>>;
	continueTask(
		id: string,
		prompt: string,
		allow: (shown: ShownFollowUp) => Promise<boolean>,
	): Promise<AskedOutcome<ContinuedTask>>;
	stop(id: string, allow: (shown: ShownStop) => Promise<boolean>): Promise<AskedOutcome<Task>>;
	changes(asked: PipeParsed<'changes'>): Promise<TaskChangeList>;
	diff(asked: PipeParsed<'diff'>): Promise<FileDiff>;
}
