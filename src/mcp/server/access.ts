import type {
	AskedOutcome,
	ContinuedTask,
	LogEventOfTask,
	MadeDecision,
	PipeAnswer,
	PipeArguments,
	SearchAnswer,
	StartedTask,
} from '../../contract/editorPipe.ts';
import type { Task } from '../../contract/tasks.ts';

/** The calls that only read. */
export type ReadingCall = 'list' | 'get' | 'changes' | 'diff';

/** The calls that spend or change something, with what each returns. */
export interface ActionValues {
	start: StartedTask;
	continue: ContinuedTask;
	stop: Task;
	decide: MadeDecision;
	search: SearchAnswer;
}
export type ActingCall = keyof ActionValues;

/** What a user is asked before something is done, by a form of the client or by the editor. Nothing in it is shortened. */
export interface Question {
	/** A sentence whose answer is yes or no. */
	title: string;
	/** The label of what stands for a yes, a button or a box to check, such as “Start the task”. */
	yes: string;
	/** All that will be sent, each part with its name. The texts come from anybody. */
	parts: readonly { name: string; text: string }[];
}

/** Something that can be done. */
export interface Action<Value> {
	/** The client's user has to say yes to it first. Undefined where the editor asks its own user. */
	question: Question | undefined;
	run(signal: AbortSignal): Promise<AskedOutcome<Value>>;
}

/** Where the tools find tasks: in the editor that has started this process, or at a local service that runs by itself. */
export interface Access {
	/** Rejects with an error to be explained, as the others do. */
	read<Call extends ReadingCall>(
		call: Call,
		asked: PipeArguments<Call>,
		signal: AbortSignal,
	): Promise<PipeAnswer<Call>>;
	/** Reads a log from an index until the task has ended. */
	follow(asked: PipeArguments<'follow'>, signal: AbortSignal): AsyncIterable<LogEventOfTask>;
	/** Looks at what is to be done, and does none of it. */
	prepare<Call extends ActingCall>(
		call: Call,
		asked: PipeArguments<Call>,
		signal: AbortSignal,
	): Promise<Action<ActionValues[Call]> | Extract<AskedOutcome<never>, { done: false }>>;
}
