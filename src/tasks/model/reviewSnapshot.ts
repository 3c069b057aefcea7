import { type ChangedFile, pathOf } from './changedFile.ts';

/** What the user has seen of the changes of a result. */
export interface ReviewSnapshot {
	/** The commit of its branch. */
	tip: string;
	/** When, in milliseconds since the epoch. */
	at: number;
	/** The beginnings of the objects of its files, by path; absent where they were too many to be kept. */
	files?: Record<string, string>;
}

/** What has become of a file since the user looked. */
export type FileMark = 'new' | 'changed';

/** More files than this are not kept, because a `ReviewSnapshot` becomes a small file of the workspace's state. */
const MAXIMUM_FILES = 5000;

/** As many digits of an object's name as tell apart what a file was and what it has become. */
const DIGITS = 10;

/** Returns what is kept when the user has seen these files. */
export function snapshotOf(tip: string, files: readonly ChangedFile[], at: number): ReviewSnapshot {
	return files.length > MAXIMUM_FILES
		? { tip, at }
		: { tip, at, files: Object.fromEntries(files.map(file => [keyOf(file), contentOf(file)])) };
}

/** Returns what has become of a file since the user saw it; undefined if it is the same, or that is not known. */
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

/** No name of a file may be taken for `__proto__`, which an object does not keep. */
const keyOf = (file: ChangedFile): string => `/${pathOf(file)}`;

const contentOf = ({ after }: ChangedFile): string =>
	after === undefined ? '' : `${after.kind === 'executable' ? 'x' : ''}${after.object.slice(0, DIGITS)}`;
