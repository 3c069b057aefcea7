// The interface of the tasks for other features.
import type { Disposable } from '../base/disposable.ts';

/** The known facts of a task. All of it except the id is text written by others. */
export interface TaskFacts {
	id: string;
	title: string;
	prompt: string;
	/** The state of the task in words. */
	status: string;
	error: string | undefined;
	hasFailed: boolean;
	/** True if several agents got its prompt. */
	isRace: boolean;
	/** True if the task has ended with a branch. */
	hasChanges: boolean;
}

/** An entry of a task's log. */
export interface LogEntryText {
	index: number;
	text: string;
	/** True if the log itself marks the entry as an error or a warning. */
	isProblem: boolean;
}

/** The changes of one result. */
export interface TaskPatch {
	/** The name of the agent or of the branch. */
	name: string;
	text: string;
	/** True if `text` is only the beginning of the changes. */
	isCut: boolean;
}

/** The changes of a comparison, with the prompt that all of them answer. No two have the same name. */
export interface ComparedPatches {
	title: string;
	prompt: string;
	patches: TaskPatch[];
}

/** A text from a task, to go with a message. Changes have a language. */
export interface TaskText {
	label: string;
	text: string;
	language?: 'diff';
}

/** Two commits of a repository. */
export interface CommitRange {
	/** The top folder of the repository. */
	repository: string;
	from: string;
	to: string;
}

/**
 * A file that differs between two commits. The line counts are missing if it is not text or too large to be compared.
 */
export interface RangeFile {
	path: string;
	/** Git's status letter. `T`: the file became something else, such as a link. */
	status: 'A' | 'M' | 'D' | 'R' | 'T';
	added?: number;
	removed?: number;
}

/** The changes between two commits, to be compared. */
export interface ComparedRange {
	range: CommitRange;
	/**
	 * Files whose own version by the user is shown instead of the last one, so that the diff editor can revert hunks.
	 */
	own: readonly string[];
	/** The name that distinguishes its files from those of other repositories. */
	folder?: string;
}

/** The files as of a step of an agent, to be shown. */
export interface FilesOfStep {
	/** The title of the step. */
	title: string;
	/** Says what a comparison with the start shows. */
	start: string;
	/** The name for the folder of a worktree. */
	name: string;
	/** The number of repositories. */
	repositories: number;
	/** Reads the files once it is known what for: the ranges from the start to the step. */
	read(how: 'compare' | 'worktree'): Promise<readonly ComparedRange[]>;
}

/** Lists and shows the changes between two commits, and takes them into the user's files. */
export interface CommitRanges {
	/** Lists the files that differ, sorted by path. */
	list(range: CommitRange): Promise<RangeFile[]>;
	/** Shows all changes, or those of one file. */
	compare(title: string, parts: readonly ComparedRange[], file?: string): Promise<void>;
	/** Shows the files as of a step of an agent as the user chooses. Rejects with a UserFacingError. */
	showFiles(files: FilesOfStep): Promise<void>;
	/** Takes the changes into the user's files, with a preview. Resolves with the paths of the files that have them. */
	take(range: CommitRange, title: string, file?: string): Promise<string[]>;
	/**
	 * Takes changes that the user has seen and allowed into their files, except where their own edits are in the way.
	 * Resolves with the paths of the files that have the changes.
	 */
	takeAllowed(range: CommitRange): Promise<string[]>;
	/**
	 * Takes the changes back out of the user's files. Resolves with the paths of the files that no longer have any of
	 * them.
	 */
	takeBack(range: CommitRange, file?: string): Promise<string[]>;
}

/**
 * A choice about the next task. `prompt` is a prompt that waits in its editor, `problem` a problem that hinders every
 * task.
 */
export type NextTaskChoice = 'prompt' | 'repository' | 'branch' | 'agent' | 'model' | 'cost' | 'sandbox' | 'problem';

/** The choices that the next task uses, in reading order. */
export interface NextTaskView {
	choices: {
		choice: Exclude<NextTaskChoice, 'problem'>;
		name: string;
		/** Further information about the choice, as a sentence. */
		hint?: string;
	}[];
	/**
	 * The problem that hinders every task and how to solve it, in sentences, with the label of the button that does so.
	 */
	problem?: { message: string; action: string };
}

/** Takes prompts that were written in the chat. */
export interface PromptTaker {
	/**
	 * Shows the preflight of a task with this prompt and starts the task if the user agrees. Resolves with true if it
	 * was started; errors are shown to the user.
	 */
	startPrompt(prompt: string): Promise<boolean>;
	/** Opens the editor for longer prompts and adds the text to it. This sends nothing. */
	openEditor(text: string): Promise<void>;
}

/** The choices for the task that is started next. */
export interface NextTaskChoices {
	/** Calls `show` with the choices, and again after each change, until the result is disposed of. */
	follow(show: (task: NextTaskView) => void): Disposable;
	/**
	 * Lets the user change one. Resolves with 'elsewhere' if that has opened a setting, which then keeps the focus.
	 */
	choose(choice: NextTaskChoice): Promise<'elsewhere' | undefined>;
}

/**
 * The tasks of the active connection. Methods that let the user choose resolve with undefined if the user dismisses the
 * choice; methods that read reject with an error to be explained.
 */
export interface Tasks extends Disposable {
	/** Returns the task that an argument names or that the user chooses. */
	choose(argument: unknown, title: string, which: 'any' | 'failed' | 'changed'): Promise<TaskFacts | undefined>;
	/** Returns the entries of a task's log, without those that only count a model's cost. */
	readLog(taskId: string, signal: AbortSignal): Promise<LogEntryText[]>;
	/** `argument` may name one of several results; otherwise the user is asked for one. */
	readChanges(
		taskId: string,
		argument: unknown,
		title: string,
	): Promise<(TaskPatch & { resultKey: string }) | undefined>;
	/** Returns the changes of an open comparison, of the agents of a task, or of the user's choice. */
	readPatches(argument: unknown, title: string): Promise<ComparedPatches | undefined>;
	showLogEntry(taskId: string, index: number): Promise<void>;
	/**
	 * Lets the user choose between the log and the changes of a task, which `argument` may name. Rejects with a sentence
	 * for the user.
	 */
	readForChat(argument: unknown): Promise<TaskText | undefined>;
	/** Loads what starts tasks. */
	launcher(): Promise<PromptTaker>;
	/** Loads the choices for the task that is started next. */
	next(): Promise<NextTaskChoices>;
	/** The changes between two commits that no task has made. */
	ranges: CommitRanges;
}
