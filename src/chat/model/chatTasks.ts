// The interface through which the chat uses tasks. The root hands it over, because features do not import each other.
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

/** The tasks, as far as the chat needs them. */
export interface ChatTasks {
	/**
	 * Lets the user choose the log or the changes of a task, which `argument` may name. Resolves with its text and a name
	 * for it, or with undefined where the user leaves. Rejects with a sentence for the user.
	 */
	readForChat(argument: unknown): Promise<{ label: string; text: string; language?: 'diff' } | undefined>;
	/** Opens the prompt of a task with a goal and its context added to it. Nothing is sent by that. */
	propose(goal: string, context: string): Promise<void>;
	/** The changes of an agent's turn in the chat, which no task has made. */
	ranges: CommitRanges;
}
