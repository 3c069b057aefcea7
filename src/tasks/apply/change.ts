import type { ChangedFile } from '../model/changedFile.ts';

/** A file to be changed from one version to another, even if the user has edited it since. */
export type Change = Pick<ChangedFile, 'before' | 'after' | 'hasUnreadableName'>;

/** Why a path of the working tree must not be touched. */
export type PlaceRefusal =
	| 'outside'
	| 'gits'
	| 'link'
	| 'case'
	| 'windowsName'
	| 'inTheWay'
	| 'readOnly'
	| 'unsaved'
	| 'encoding'
	| 'tooLarge';

/** Why a change cannot be applied. */
export type ChangeRefusal =
	| PlaceRefusal
	/** The user has deleted the file that is to be changed, or a sparse checkout leaves it out. */
	| 'deletedHere'
	/** The user has edited the file that is to be deleted. */
	| 'editedHere'
	/** The user has another file at the path of a new one. */
	| 'bothAdded'
	/** The user has edited a file that cannot be merged line by line. */
	| 'notText'
	| 'submodule'
	| 'ignored'
	| 'unreadableName'
	/** A filter such as Git LFS keeps the content elsewhere. */
	| 'filtered'
	/** The repository does not have the content. */
	| 'missing'
	| 'changedMeanwhile';

/** A file has changed since it was looked at. */
export class ConcurrentChangeError extends Error {
	override readonly name = 'ConcurrentChangeError';

	constructor() {
		super('the file has changed meanwhile');
	}
}

/** The result of applying a change to the user's file. */
export type ChangeOutcome =
	| { kind: 'applies' }
	| { kind: 'conflicts'; count: number }
	| { kind: 'there' }
	| { kind: 'cannot'; reason: ChangeRefusal };

/** A file with its content. */
export interface FileContent {
	path: string;
	content: Buffer;
	isExecutable: boolean;
}

/** An edit of one file: it is written, removed or moved. */
export interface FileEdit {
	/** The user's version; undefined if there is no such file. */
	before: FileContent | undefined;
	after: FileContent | undefined;
	/** True if the file is open in the editor, which then has to change it. */
	isOpen: boolean;
}
