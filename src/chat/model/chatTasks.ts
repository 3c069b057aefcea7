// The interface through which the chat uses tasks. The root hands it over, because features do not import each other.
import type { Disposable } from '../../base/disposable.ts';
import type { WorkFile } from './agentWork.ts';

/** Two commits of a repository. */
export interface CommitRange {
	/** The top folder of the repository. */
	repository: string;
	from: string;
	to: string;
}

/** Lists and shows the changes between two commits of a repository, and takes them into the user's files. */
export interface CommitRanges {
	/** Lists the files that differ, sorted by path. */
	list(range: CommitRange): Promise<WorkFile[]>;
	/**
	 * Shows all changes, or those of one file. `own` are files of which the user's own are shown in place of the last version,
	 * and `folder` tells those of several repositories apart.
	 */
	compare(
		title: string,
		parts: readonly { range: CommitRange; own: readonly string[]; folder?: string }[],
		file?: string,
	): Promise<void>;
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
export const NEXT_TASK_CHOICES = [
	'prompt',
	'repository',
	'branch',
	'agent',
	'model',
	'cost',
	'sandbox',
	'problem',
] as const;
export type NextTaskChoice = (typeof NEXT_TASK_CHOICES)[number];

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

/** The tasks, as far as the chat needs them. */
export interface ChatTasks {
	/**
	 * Lets the user choose the log or the changes of a task, which `argument` may name. Resolves with its text and a name
	 * for it, or with undefined where the user leaves. Rejects with a sentence for the user.
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
	/** The changes of an agent's turn in the chat, which no task has made. */
	ranges: CommitRanges;
}
