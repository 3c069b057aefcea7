// What other features use of tasks.
import type { Disposable } from '../base/disposable.ts';

/** What is known of a task. All of it except the id is text written by others. */
export interface TaskFacts {
	id: string;
	title: string;
	prompt: string;
	/** The state in words. */
	status: string;
	error: string | undefined;
	hasFailed: boolean;
	/** Whether several agents had its prompt. */
	isRace: boolean;
	/** Whether it has ended with a branch. */
	hasChanges: boolean;
}

/** An entry of a task's log. */
export interface LogEntryText {
	index: number;
	text: string;
	/** The log itself marks it as an error or a warning. */
	isProblem: boolean;
}

/** The changes of one result. */
export interface TaskPatch {
	/** The agent or the branch. */
	name: string;
	text: string;
	/** Only the beginning is there. */
	isCut: boolean;
}

/** Two commits of a repository. */
export interface CommitRange {
	/** The top folder of the repository. */
	repository: string;
	from: string;
	to: string;
}

/** A file that differs between two commits. Without lines it is not text, or too large to be compared. */
export interface RangeFile {
	path: string;
	/** The letter of git. `T`: the file became something else, such as a link. */
	status: 'A' | 'M' | 'D' | 'R' | 'T';
	added?: number;
	removed?: number;
}

/** Changes that are compared. */
export interface ComparedRange {
	range: CommitRange;
	/** Files of which the user's own version is shown instead of the last one, so that the diff editor can revert hunks. */
	own: readonly string[];
	/** The name that tells its files from those of other repositories. */
	folder?: string;
}

/** Lists and shows the changes between two commits, and takes them into the user's files. */
export interface CommitRanges {
	/** Lists the files that differ, sorted by path. */
	list(range: CommitRange): Promise<RangeFile[]>;
	/** Shows all changes, or those of one file. */
	compare(title: string, parts: readonly ComparedRange[], file?: string): Promise<void>;
	/** Takes them into the user's files, with a preview. Resolves with the paths of the files that have them. */
	take(range: CommitRange, title: string, file?: string): Promise<string[]>;
	/**
	 * Takes changes that the user has seen and allowed into their files, where nothing of theirs is in the way. Resolves with
	 * the paths of the files that have them.
	 */
	takeAllowed(range: CommitRange): Promise<string[]>;
	/** Takes them back out of the user's files. Resolves with the paths of the files that have nothing of them any more. */
	takeBack(range: CommitRange, file?: string): Promise<string[]>;
}

/** What can be chosen of the next task. `prompt` is one that waits in its editor, `problem` what hinders every task. */
export type NextTaskChoice = 'prompt' | 'repository' | 'branch' | 'agent' | 'model' | 'cost' | 'sandbox' | 'problem';

/** What the next task uses, in the order in which it is read. */
export interface NextTaskView {
	choices: {
		choice: Exclude<NextTaskChoice, 'problem'>;
		name: string;
		/** What more is to be known about it, as a sentence. */
		hint?: string;
	}[];
	/** What hinders every task and what to do about it, in sentences, with the label of the button that does it. */
	problem?: { message: string; action: string };
}

/**
 * The tasks of the active connection. What lets the user choose resolves with undefined where they leave, and what is read
 * rejects with an error to be explained.
 */
export interface Tasks extends Disposable {
	/** Returns the task that an argument names or that the user chooses. */
	choose(argument: unknown, title: string, which: 'any' | 'failed' | 'changed'): Promise<TaskFacts | undefined>;
	/** Returns the entries of a task's log, without those that only count what a model has cost. */
	readLog(taskId: string, signal: AbortSignal): Promise<LogEntryText[]>;
	/** `argument` may name one of several results; otherwise the user is asked. */
	readChanges(
		taskId: string,
		argument: unknown,
		title: string,
	): Promise<(TaskPatch & { resultKey: string }) | undefined>;
	/**
	 * Returns the changes of an open comparison, of the agents of a task, or of what the user chooses. The names are unlike
	 * each other.
	 */
	readPatches(
		argument: unknown,
		title: string,
	): Promise<{ title: string; prompt: string; patches: TaskPatch[] } | undefined>;
	showLogEntry(taskId: string, index: number): Promise<void>;
	/**
	 * Lets the user choose the log or the changes of a task, which `argument` may name. Resolves with its text and a name
	 * for it. Rejects with a sentence for the user.
	 */
	readForChat(argument: unknown): Promise<{ label: string; text: string; language?: 'diff' } | undefined>;
	/**
	 * Shows what a task of this prompt will meet, and starts it when the user says so. Resolves with whether it was started;
	 * what goes wrong is reported.
	 */
	startPrompt(prompt: string): Promise<boolean>;
	/** Opens the editor in which a longer prompt is written, with a text added to it. Nothing is sent by that. */
	openEditor(text: string): Promise<void>;
	/** What the task uses that is started next. */
	next: {
		/** Calls `show` with it, and again whenever it has changed, until the result is disposed of. */
		follow(show: (task: NextTaskView) => void): Promise<Disposable>;
		/** Lets the user change it. Resolves with whether that has led elsewhere. */
		choose(choice: NextTaskChoice): Promise<'elsewhere' | undefined>;
	};
	/** The changes between two commits that no task has made. */
	ranges: CommitRanges;
}
