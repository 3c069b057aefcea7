import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type {
	AskedOutcome,
	ContinuedTask,
	FileDiff,
	LaunchFinding,
	PipeParsed,
	StartedTask,
	TaskChangeList,
} from '../contract/editorPipe.ts';
import type { RoutingPolicy } from '../contract/provider.ts';
import type { Task } from '../contract/tasks.ts';

/** All that a task's launch sends, in full. */
export interface LaunchToShow {
	prompt: string;
	connection: string;
	repository: string;
	branch: string;
	/** Empty where the service decides. */
	agents: readonly string[];
	/** What is sent and what is done before, and what becomes of it, in a line each. */
	what: string;
	where: string;
	findings: readonly LaunchFinding[];
	/** Something has changed since it was shown before. */
	hasChanged: boolean;
}

/** All that a further prompt sends. `from` is set where a new task starts from the branch. */
export interface FollowUpToShow {
	task: Task;
	prompt: string;
	connection: string;
	from: { branch: string; text: string } | undefined;
}

/** The parts that the calls of other agents are answered with. */
export interface McpOfferDependencies {
	connect: {
		/** Returns the active connection with its client and its name for the user. */
		active(): Promise<{ client: Client; connection: Connection; label: string }>;
	};
	keys: {
		/** Asks for a key where it is missing. Resolves with false when there is still none. */
		ensure(connection: Connection, kind: 'inference'): Promise<boolean>;
	};
	localService: {
		/** Its `provider` is the routing policy of the settings, zero data retention included. */
		agentSettings(): Promise<{ provider?: RoutingPolicy | undefined }>;
	};
	tasks: { asked: OfferedTasks };
	logger: Logger;
}

/** The tasks of the active connection. Each of those with `allow` asks it before anything is sent. */
export interface OfferedTasks {
	start(
		wish: PipeParsed<'start'>,
		allow: (shown: LaunchToShow) => Promise<boolean>,
	): Promise<AskedOutcome<StartedTask>>;
	continueTask(
		id: string,
		prompt: string,
		allow: (shown: FollowUpToShow) => Promise<boolean>,
	): Promise<AskedOutcome<ContinuedTask>>;
	stop(id: string, allow: (shown: { task: Task; connection: string }) => Promise<boolean>): Promise<AskedOutcome<Task>>;
	changes(asked: PipeParsed<'changes'>): Promise<TaskChangeList>;
	diff(asked: PipeParsed<'diff'>): Promise<FileDiff>;
}
