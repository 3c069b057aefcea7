import type { ChangedFile } from '../model/changedFile.ts';

/** A file to be changed from one version to another, whatever the user has made of it since. */
export type Change = Pick<ChangedFile, 'before' | 'after' | 'hasUnreadableName'>;

/** Why a path of the working tree is not touched. */
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
	/** The user has deleted the file that is to be changed, or has it left out by a sparse checkout. */
	| 'deletedHere'
	/** The user has edited the file that is to be deleted. */
	| 'editedHere'
	/** The user has another file where a new one is to be. */
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

/** A file is not any more what it was when it was looked at. */
export class ChangedMeanwhile extends Error {
	override readonly name = 'ChangedMeanwhile';

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

/** What is to be done to one file: it is written, removed or moved. */
export interface FileEdit {
	/** As the user has it; undefined where there is no such file. */
	before: FileContent | undefined;
	after: FileContent | undefined;
	/** Whether the editor has it open, so that the editor has to change it. */
	isOpen: boolean;
}
