import { type ChangedFile, pathOf } from './changedFile.ts';

/** The changes of a result as the user has last seen them. */
export interface ReviewSnapshot {
	/** The commit of its branch. */
	tip: string;
	/** The time, in milliseconds since the epoch. */
	at: number;
	/** The beginnings of the object names of its files, by path; absent if they were too many to be kept. */
	files?: Record<string, string>;
}

/** The change of a file since the user looked. */
export type FileMark = 'new' | 'changed';

/** More files than this are not kept, because a `ReviewSnapshot` becomes a small file of the workspace's state. */
const MAXIMUM_FILES = 5000;

/** Enough digits of an object's name to tell two versions of a file apart. */
const DIGITS = 10;

/** Returns the snapshot to keep when the user has seen these files. */
export function snapshotOf(tip: string, files: readonly ChangedFile[], at: number): ReviewSnapshot {
	return files.length > MAXIMUM_FILES
		? { tip, at }
		: { tip, at, files: Object.fromEntries(files.map(file => [keyOf(file), contentOf(file)])) };
}

/** Returns the change of a file since the user saw it; undefined if there is none, or if that is not known. */
export function markOf(snapshot: ReviewSnapshot | undefined, tip: string, file: ChangedFile): FileMark | undefined {
	if (!snapshot?.files || snapshot.tip === tip) {
		return undefined;
	}
	const key = keyOf(file);
	if (!Object.hasOwn(snapshot.files, key)) {
		return 'new';
	}
	return snapshot.files[key] === contentOf(file) ? undefined : 'changed';
}

export function isReviewSnapshot(value: unknown): value is ReviewSnapshot {
	const snapshot = value as Partial<ReviewSnapshot> | null;
	return (
		typeof snapshot?.tip === 'string' &&
		typeof snapshot.at === 'number' &&
		(snapshot.files === undefined || (typeof snapshot.files === 'object' && snapshot.files !== null))
	);
}

/** No name of a file may be taken for `__proto__`, which an object does not store. */
const keyOf = (file: ChangedFile): string => `/${pathOf(file)}`;

const contentOf = ({ after }: ChangedFile): string =>
	after === undefined ? '' : `${after.kind === 'executable' ? 'x' : ''}${after.object.slice(0, DIGITS)}`;
