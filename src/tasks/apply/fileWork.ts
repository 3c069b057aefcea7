import type { FileVersion } from '../model/changedFile.ts';
import { MAXIMUM_COMPARED } from '../results/readChanges.ts';
import type { Change, ChangeOutcome, ChangeRefusal, FileEdit } from './change.ts';
import type { PlacedVersion } from './contents.ts';
import { isText, likeFile, lineEndsOf, withLineEnds } from './lineEnds.ts';
import { type ConflictRule, type Merger, withOwnSides } from './merge.ts';
import type { GonePaths, PresentFile, WorkingTree } from './tree.ts';

/** The outcome of a change, with its edit. */
export interface Settled {
	outcome: ChangeOutcome;
	/** Undefined if nothing is to be done or if edits are not wanted. */
	edit: FileEdit | undefined;
}

/** Git's answers about versions and about the user's files. */
export interface Known {
	/** Returns a version as a checkout would have written it with the present attributes. */
	content(version: PlacedVersion): Buffer;
	/** Returns a version as a checkout will write it: the changes may change attributes too. */
	wanted(version: PlacedVersion): Buffer;
	/** Returns the object that git would store for the user's file, if git was asked. */
	stored(path: string): string | undefined;
}

/** The work that is left for a change once the user's file has been looked at. */
export interface FileWork {
	/** The versions whose content is needed. */
	needs: PlacedVersion[];
	/** The version to be written, if its content is needed. */
	wanted: FileVersion[];
	/** The user's file, if git must say which object it would store for it. */
	asked: (PresentFile & { path: string })[];
	/** The size of the user's file in bytes. */
	presentSize: number;
	settle(known: Known): Promise<Settled>;
}

interface Options {
	tree: WorkingTree;
	merger: Merger;
	conflictRule: ConflictRule;
	/** True if edits are wanted, not only outcomes. */
	withEdits: boolean;
	/** Returns the size of a version in bytes. */
	sizeOf(object: string): number;
}

const NOTHING = { needs: [], wanted: [], asked: [], presentSize: 0 };

/** Returns the work that is left for a refused change: none. */
export const refusal = (reason: ChangeRefusal): FileWork => ended(refused(reason));

const ended = (settled: Settled): FileWork => ({ ...NOTHING, settle: async () => settled });

const refused = (reason: ChangeRefusal): Settled => ({ outcome: { kind: 'cannot', reason }, edit: undefined });

const plain = (kind: 'applies' | 'there'): Settled => ({ outcome: { kind }, edit: undefined });

/**
 * Looks at the user's file and returns the work that is left. `removed` are paths that will be gone when the change is
 * applied.
 */
export async function findWork({ before, after }: Change, options: Options, removed: GonePaths): Promise<FileWork> {
	const first = before ?? after;
	if (first === undefined) {
		return ended(plain('there'));
	}
	const own = await options.tree.read(first.path, removed);
	if (typeof own === 'string') {
		return refusal(own);
	}
	if (before === undefined) {
		return own ? addedTwice(first, own, options) : addition(first, options.withEdits);
	}
	if (after === undefined) {
		return own ? removal(before, own, options) : ended(plain('there'));
	}
	if (before.path === after.path) {
		return own ? modification(before, after, own, before.path, options) : refusal('deletedHere');
	}
	const moved = await options.tree.read(after.path, removed);
	if (typeof moved === 'string') {
		return refusal(moved);
	}
	if (own && moved) {
		return removal(before, own, options, { after, moved });
	}
	const present = own ?? moved;
	return present
		? modification(before, after, present, own ? before.path : after.path, options)
		: refusal('deletedHere');
}

function addition(after: FileVersion, withEdits: boolean): FileWork {
	return {
		...NOTHING,
		wanted: withEdits ? [after] : [],
		settle: async known => {
			if (!withEdits) {
				return plain('applies');
			}
			const file = { path: after.path, content: known.wanted(after), isExecutable: wantedMode(after) };
			return { outcome: { kind: 'applies' }, edit: { before: undefined, after: file, isOpen: false } };
		},
	};
}

function addedTwice(after: FileVersion, present: PresentFile, options: Options): FileWork {
	return {
		...comparison(after, present),
		settle: async known => {
			const own = await present.load();
			return isVersion(after, present, own, known)
				? written(own, own, 0, { from: after.path, after, isExecutable: wantedMode(after), present }, options)
				: refused('bothAdded');
		},
	};
}

/** `other` is the new version of a moved file that the user has too; then only the old file has to go. */
function removal(
	before: FileVersion,
	present: PresentFile,
	{ withEdits }: Options,
	other?: { after: FileVersion; moved: PresentFile },
): FileWork {
	if (present.isDirty) {
		return refusal('unsaved');
	}
	const compared = comparison(before, present);
	const further = other ? comparison(other.after, other.moved) : NOTHING;
	return {
		needs: [...compared.needs, ...further.needs],
		wanted: [],
		asked: [...compared.asked, ...further.asked],
		presentSize: present.size,
		settle: async known => {
			if (other && !isVersion(other.after, other.moved, await other.moved.load(), known)) {
				return refused('bothAdded');
			}
			if (present.object === before.object && !withEdits) {
				return plain('applies');
			}
			const own = await present.load();
			if (!isVersion(before, present, own, known)) {
				return refused('editedHere');
			}
			const { isExecutable } = present;
			const edit = { before: { path: before.path, content: own, isExecutable }, after: undefined, isOpen: false };
			return { outcome: { kind: 'applies' }, edit: withEdits ? edit : undefined };
		},
	};
}

/** `from` is the path at which the user has the file: the old or the new one. */
function modification(
	before: FileVersion,
	after: FileVersion,
	present: PresentFile,
	from: string,
	options: Options,
): FileWork {
	const isMoved = from !== after.path;
	if (present.isDirty && isMoved) {
		return refusal('unsaved');
	}
	const { withEdits, conflictRule } = options;
	const isExecutable = before.kind === after.kind ? present.isExecutable : wantedMode(after);
	const goal = { from, after, isExecutable, present };
	const [old, next] = [before, after].map(({ object }) => ({ object, path: from })) as [PlacedVersion, PlacedVersion];
	const isSame = [old, next].some(({ object }) => object === present.object);
	const isSmall = Math.max(options.sizeOf(before.object), options.sizeOf(after.object)) <= MAXIMUM_COMPARED;
	const needs = isSame || !isSmall ? [] : [old, next];
	const isExactly = (version: PlacedVersion, own: Buffer | undefined, known: Known) =>
		present.object === version.object || (needs.length > 0 && own?.equals(known.content(version)) === true);
	return {
		needs,
		wanted: withEdits || needs.length > 0 ? [after] : [],
		asked: isSame ? [] : [{ ...present, path: from }],
		presentSize: present.size,
		settle: async known => {
			const own = isSame && !withEdits ? undefined : await present.load();
			const isOld = isExactly(old, own, known);
			const stored = known.stored(from);
			const isThere = isExactly(next, own, known) || (!isOld && stored === next.object);
			if (isThere && !isMoved) {
				const isDone = isExecutable === present.isExecutable;
				return own ? written(own, own, 0, goal, options) : plain(isDone ? 'there' : 'applies');
			}
			if (isThere || isOld || stored === old.object) {
				// With other attributes, a checkout may write the very bytes that are there.
				const edit = own && withEdits ? written(own, known.wanted(after), 0, goal, options).edit : undefined;
				return { outcome: { kind: 'applies' }, edit };
			}
			if (!own || !isSmall || !present.isText) {
				return refused('notText');
			}
			const [base, theirs, wanted] = [known.content(old), known.content(next), known.wanted(after)];
			if (![base, theirs, wanted].every(isText)) {
				return refused('notText');
			}
			const converted = likeFile(own, base, theirs);
			const resolved = conflictRule === 'yours' ? withOwnSides(own, converted.base) : { own, ...converted, count: 0 };
			const merged = await options.merger.merge(resolved.own, resolved.base, converted.other, conflictRule);
			const conflicts = Math.max(0, merged.conflicts - resolved.count);
			if (conflicts > 0 && conflictRule === 'refuse') {
				return refused('editedHere');
			}
			return written(own, withWantedEnds(merged.content, theirs, wanted), conflicts, goal, options);
		},
	};
}

/** Returns the part of the work that compares the user's file with a version. */
function comparison(version: FileVersion, present: PresentFile): Omit<FileWork, 'settle'> {
	const isSame = present.object === version.object;
	return {
		...NOTHING,
		needs: isSame ? [] : [version],
		asked: isSame ? [] : [{ ...present, path: version.path }],
		presentSize: present.size,
	};
}

/** Returns whether the user's file is a version: as git stores it, as git checks it out, or with other line ends. */
function isVersion(version: FileVersion, present: PresentFile, own: Buffer, known: Known): boolean {
	if ([present.object, known.stored(version.path)].includes(version.object)) {
		return true;
	}
	const content = known.content(version);
	return own.equals(content) || (isText(own) && isText(content) && likeFile(own, content, undefined).base.equals(own));
}

/** If the attributes of a file change, or it moves to a path with others, it may need other line ends. */
function withWantedEnds(merged: Buffer, theirs: Buffer, wanted: Buffer): Buffer {
	const ends = lineEndsOf(wanted);
	return ends !== lineEndsOf(theirs) && (ends === 'lf' || ends === 'crlf') ? withLineEnds(merged, ends) : merged;
}

interface Goal {
	/** The path at which the user has the file. */
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
