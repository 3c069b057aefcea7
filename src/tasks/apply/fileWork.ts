import { MAXIMUM_COMPARED } from '../changes/readChanges.ts';
import type { FileVersion } from '../model/changedFile.ts';
import type { Change, ChangeOutcome, ChangeRefusal, FileEdit } from './change.ts';
import { isText, likeFile } from './lineEnds.ts';
import type { ConflictRule, Merger } from './merge.ts';
import type { PresentFile, WorkingTree } from './tree.ts';

/** What a change comes to. */
export interface Settled {
	outcome: ChangeOutcome;
	/** Undefined where nothing is to be done, and where edits are not wanted. */
	edit: FileEdit | undefined;
}

/** What is left to be done for a change once the user's file has been looked at. */
export interface FileWork {
	/** The objects whose content is needed. */
	needs: string[];
	/** The size of the user's file in bytes. */
	presentSize: number;
	settle(content: (object: string) => Buffer): Promise<Settled>;
}

interface Options {
	tree: WorkingTree;
	merger: Merger;
	conflictRule: ConflictRule;
	/** Whether the edits are wanted, not only what would happen. */
	withEdits: boolean;
	/** Returns the size of a version in bytes. */
	sizeOf(object: string): number;
}

/** Returns the work that is left where a change is refused: none. */
export const refusal = (reason: ChangeRefusal): FileWork => ended({ kind: 'cannot', reason });

function ended(outcome: ChangeOutcome): FileWork {
	return { needs: [], presentSize: 0, settle: async () => ({ outcome, edit: undefined }) };
}

/**
 * Looks at the user's file, and returns what has to be found out then. `removed` are paths that will be gone when the
 * change is applied.
 */
export async function findWork(
	{ before, after }: Change,
	options: Options,
	removed: ReadonlySet<string>,
): Promise<FileWork> {
	const first = before ?? after;
	if (first === undefined) {
		return ended({ kind: 'there' });
	}
	const own = await options.tree.read(first.path, removed);
	if (typeof own === 'string') {
		return refusal(own);
	}
	if (before === undefined) {
		return own ? addedTwice(first, own, options) : addition(first, options.withEdits);
	}
	if (after === undefined) {
		return own ? removal(before, own, options) : ended({ kind: 'there' });
	}
	if (before.path === after.path) {
		return own ? modification(before, after, own, before.path, options) : refusal('deletedHere');
	}
	const moved = await options.tree.read(after.path, removed);
	if (typeof moved === 'string') {
		return refusal(moved);
	}
	if (own && moved) {
		// Where the new file is there already, only the old one has to go.
		return moved.object === after.object ? removal(before, own, options) : refusal('bothAdded');
	}
	const present = own ?? moved;
	return present
		? modification(before, after, present, own ? before.path : after.path, options)
		: refusal('deletedHere');
}

function addition({ path, object, kind }: FileVersion, withEdits: boolean): FileWork {
	return {
		needs: withEdits ? [object] : [],
		presentSize: 0,
		settle: async content => {
			const after = () => ({ path, content: content(object), isExecutable: kind === 'executable' });
			const edit = withEdits ? { before: undefined, after: after(), isOpen: false } : undefined;
			return { outcome: { kind: 'applies' }, edit };
		},
	};
}

function addedTwice(after: FileVersion, present: PresentFile, options: Options): FileWork {
	const isSame = present.object === after.object;
	return {
		needs: isSame ? [] : [after.object],
		presentSize: present.size,
		settle: async content => {
			const own = await present.load();
			if (!isSame && !isConverted(own, content(after.object))) {
				return { outcome: { kind: 'cannot', reason: 'bothAdded' }, edit: undefined };
			}
			return written(own, own, 0, { from: after.path, after, isExecutable: wantedMode(after), present }, options);
		},
	};
}

function removal(before: FileVersion, present: PresentFile, { withEdits }: Options): FileWork {
	if (present.isDirty) {
		return refusal('unsaved');
	}
	const isSame = present.object === before.object;
	return {
		needs: isSame ? [] : [before.object],
		presentSize: present.size,
		settle: async content => {
			if (isSame && !withEdits) {
				return { outcome: { kind: 'applies' }, edit: undefined };
			}
			const own = await present.load();
			if (!isSame && !isConverted(own, content(before.object))) {
				return { outcome: { kind: 'cannot', reason: 'editedHere' }, edit: undefined };
			}
			const { isExecutable } = present;
			const edit = { before: { path: before.path, content: own, isExecutable }, after: undefined, isOpen: false };
			return { outcome: { kind: 'applies' }, edit: withEdits ? edit : undefined };
		},
	};
}

/** `from` is where the user has the file: at its old or its new path. */
function modification(
	before: FileVersion,
	after: FileVersion,
	present: PresentFile,
	from: string,
	options: Options,
): FileWork {
	if (present.isDirty && from !== after.path) {
		return refusal('unsaved');
	}
	const isExecutable = before.kind === after.kind ? present.isExecutable : wantedMode(after);
	const goal = { from, after, isExecutable, present };
	const isThere = present.object === after.object;
	const isBase = present.object === before.object;
	if (isThere || isBase) {
		return {
			needs: isThere || !options.withEdits ? [] : [after.object],
			presentSize: present.size,
			settle: async content => {
				if (!options.withEdits) {
					const isDone = isThere && from === after.path && isExecutable === present.isExecutable;
					return { outcome: { kind: isDone ? 'there' : 'applies' }, edit: undefined };
				}
				const own = await present.load();
				return written(own, isThere ? own : content(after.object), 0, goal, options);
			},
		};
	}
	if (!present.isText || Math.max(options.sizeOf(before.object), options.sizeOf(after.object)) > MAXIMUM_COMPARED) {
		return refusal('notText');
	}
	return {
		needs: [before.object, after.object],
		presentSize: present.size,
		settle: async content => {
			const [base, theirs] = [content(before.object), content(after.object)];
			if (!isText(base) || !isText(theirs)) {
				return { outcome: { kind: 'cannot', reason: 'notText' }, edit: undefined };
			}
			const own = await present.load();
			const converted = likeFile(own, base, theirs);
			const merged = await options.merger.merge(own, converted.base, converted.other, options.conflictRule);
			if (merged.conflicts > 0 && options.conflictRule === 'refuse') {
				return { outcome: { kind: 'cannot', reason: 'editedHere' }, edit: undefined };
			}
			return written(own, merged.content, merged.conflicts, goal, options);
		},
	};
}

interface Goal {
	/** Where the user has the file. */
	from: string;
	after: FileVersion;
	isExecutable: boolean;
	present: PresentFile;
}

function written(own: Buffer, content: Buffer, conflicts: number, goal: Goal, { withEdits }: Options): Settled {
	const { from, after, isExecutable, present } = goal;
	const outcome: ChangeOutcome = conflicts > 0 ? { kind: 'conflicts', count: conflicts } : { kind: 'applies' };
	if (from === after.path && isExecutable === present.isExecutable && content.equals(own)) {
		return { outcome: conflicts > 0 ? outcome : { kind: 'there' }, edit: undefined };
	}
	const edit: FileEdit = {
		before: { path: from, content: own, isExecutable: present.isExecutable },
		after: { path: after.path, content, isExecutable },
		isOpen: present.isOpen && from === after.path,
	};
	return { outcome, edit: withEdits ? edit : undefined };
}

const wantedMode = ({ kind }: FileVersion) => kind === 'executable';

/** Returns whether a file is what git has stored, with other line ends. */
function isConverted(own: Buffer, stored: Buffer): boolean {
	return isText(own) && isText(stored) && likeFile(own, stored, undefined).base.equals(own);
}
