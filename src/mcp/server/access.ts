import type {
	ContinuedTask,
	EditorOutcome,
	LogEventOfTask,
	MadeDecision,
	PipeAnswer,
	PipeArguments,
	SearchAnswer,
	StartedTask,
} from '../../contract/editorPipe.ts';
import type { Task } from '../../contract/tasks.ts';

export type ReadingCall = 'list' | 'get' | 'changes' | 'diff';

/** The calls that spend or change something, with their return values. */
export interface ActionValues {
	start: StartedTask;
	continue: ContinuedTask;
	stop: Task;
	decide: MadeDecision;
	search: SearchAnswer;
}
export type ActingCall = keyof ActionValues;

/**
 * A question to the user before an action, shown in a form of the client or by the editor. Nothing in it is shortened.
 */
export interface Question {
	/** A question that is answered with yes or no. */
	title: string;
	/** The label of the button or check box that means yes, such as “Start the task”. */
	yes: string;
	/** Everything that will be sent, each part with its name. The texts may come from anybody. */
	parts: readonly { name: string; text: string }[];
}

export interface Action<Value> {
	/** The question to which the client's user must say yes first. Undefined if the editor asks its own user. */
	question: Question | undefined;
	run(signal: AbortSignal): Promise<EditorOutcome<Value>>;
}

/**
 * The tools' access to tasks: in the editor that has started this process, or at a local service that runs by itself.
 */
export interface Access {
	/** Rejects with an error to be explained, as the other methods do. */
	read<Call extends ReadingCall>(
		call: Call,
		asked: PipeArguments<Call>,
		signal: AbortSignal,
	): Promise<PipeAnswer<Call>>;
	/** Reads a log from an index until the task has ended. */
	follow(asked: PipeArguments<'follow'>, signal: AbortSignal): AsyncIterable<LogEventOfTask>;
	/** Checks an action and describes it, without carrying it out. */
	prepare<Call extends ActingCall>(
		call: Call,
		asked: PipeArguments<Call>,
		signal: AbortSignal,
	): Promise<Action<ActionValues[Call]> | Extract<EditorOutcome<never>, { done: false }>>;
}
