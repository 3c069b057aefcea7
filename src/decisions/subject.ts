import type { ChatView } from '../chat/api.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { Questions } from '../contract/decisions.ts';
import type { Tasks } from '../tasks/api.ts';
import type { Asked, Combined, DecisionReply, StatePart } from './model/sending.ts';

/** The active connection with its client, so that a request shown for one is never sent to another. */
export interface DecisionConnection {
	client: Pick<Client, 'decisions'>;
	connection: Connection;
	/** The connection's name for the user. */
	label: string;
	isLocal: boolean;
}

/** The connection to which a subject's questions go, and the sources that may be read for them. */
export interface SubjectMaterial {
	active(): Promise<DecisionConnection>;
	readContext: ChatView['readContext'];
	tasks: Pick<Tasks, 'choose' | 'readLog' | 'readChanges' | 'readPatches' | 'showLogEntry'>;
}

/** Everything that an evaluation sends, ready to be shown. */
export interface Prepared {
	target: DecisionConnection;
	/** One request, or one for each order of a comparison. */
	requests: readonly Asked[];
	/** The questions in the form in which their answers are shown. */
	questions: Questions;
	/** The model that the file names. */
	model?: string | undefined;
	parts: readonly StatePart[];
	warnings: readonly string[];
	combine(replies: readonly DecisionReply[]): Combined;
	/** The texts of log entries that answers may name by their indexes. */
	lines?: Readonly<Record<string, string>>;
}

/** The subject of a decision: a file, a task or a comparison. */
export interface Subject {
	/** Identifies it among all subjects, for its stored runs. */
	key: string;
	title: string;
	/** Reads everything again. Resolves with undefined if the user has dismissed a question. */
	prepare(signal: AbortSignal): Promise<Prepared | undefined>;
	/** Shows an entry of the log that the decision is about. */
	showEntry?(index: number): Promise<void>;
}

/** Returns what is to be evaluated by a single request, whose answers are those of its reply. */
export function singleRequest(asked: Asked): Pick<Prepared, 'requests' | 'questions' | 'combine'> {
	return { requests: [asked], questions: asked.questions, combine: ([reply]) => ({ answers: reply?.answers ?? {} }) };
}

export const partOf = (name: string, label: string, { length }: string): StatePart => ({
	name: `state.${name}`,
	label,
	characters: length,
});
