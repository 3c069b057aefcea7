import type { Questions } from '../contract/decisions.ts';
import type { DecisionConnection } from './decisionsDependencies.ts';
import type { Asked, Combined, DecisionReply, StatePart } from './model/sending.ts';

/** Everything that an evaluation sends, read and ready to be shown. */
export interface Prepared {
	target: DecisionConnection;
	/** One request, or one for each order of what is compared. */
	requests: readonly Asked[];
	/** The questions as their answers are shown. */
	questions: Questions;
	/** The model that the file names. */
	model: string | undefined;
	parts: readonly StatePart[];
	warnings: readonly string[];
	combine(replies: readonly DecisionReply[]): Combined;
	/** The texts of log entries that answers may name by their indexes. */
	lines?: Readonly<Record<string, string>>;
}

/** What is decided about: a file, a task or a comparison. */
export interface Subject {
	/** Identifies it among all, for the runs that are kept of it. */
	key: string;
	title: string;
	/** Reads everything anew. Resolves with undefined where the user has dismissed a question. */
	prepare(signal: AbortSignal): Promise<Prepared | undefined>;
	/** Shows an entry of the log that it is about. */
	showEntry?(index: number): Promise<void>;
}

/** The replies to a single request are the answers themselves. */
export function onlyReply([reply]: readonly DecisionReply[]): Combined {
	return { answers: reply?.answers ?? {} };
}
