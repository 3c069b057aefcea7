import { hasHidden } from '../../base/invisible.ts';

/** A place in a file, as a reply names it. Lines are counted from 1. */
export interface FileReference {
	/** The path with forward slashes, relative to a folder of the workspace or absolute. */
	path: string;
	line?: number;
	column?: number;
	endLine?: number;
}

const MAXIMUM_REFERENCE_LENGTH = 400;

const PLACE = /(?::(\d{1,7})(?:-(\d{1,7})|:(\d{1,7}))?|#L(\d{1,7})(?:-L?(\d{1,7}))?)$/;

/** `C:\…` is a path; anything else before a colon is a scheme. */
const DRIVE = /^[A-Za-z]:[\\/]/;

/**
 * Returns the file and the lines that a text names (`src/a.ts`, `src/a.ts:40`, `src/a.ts#L40-L50`), whether the file
 * exists or not. Returns undefined for text that is not a path on a disk, and for a path that leads to another machine
 * or upwards.
 */
export function parseFileReference(text: string): FileReference | undefined {
	if (
		text.length > MAXIMUM_REFERENCE_LENGTH ||
		/[\p{Cc}<>"|?*`]/u.test(text) ||
		hasHidden(text) ||
		text.trim() !== text
	) {
		return undefined;
	}
	const place = PLACE.exec(text);
	const path = (place ? text.slice(0, place.index) : text).replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
	const isDrive = DRIVE.test(path);
	if (path === '' || path.startsWith('//') || path.startsWith('~') || (!isDrive && path.includes(':'))) {
		return undefined;
	}
	if (path.split('/').includes('..') || path.endsWith('/') || path.endsWith('/.') || path === '.') {
		return undefined;
	}
	const [, line, endLine, column, hashLine, hashEnd] = place ?? [];
	return {
		path,
		...positive('line', line ?? hashLine),
		...positive('column', column),
		...positive('endLine', endLine ?? hashEnd),
	};
}

function positive<K extends string>(key: K, digits: string | undefined): { [P in K]?: number } {
	return digits !== undefined && Number(digits) > 0 ? ({ [key]: Number(digits) } as { [P in K]?: number }) : {};
}

/** Returns whether a word is worth looking up as a file: it has folders, or an extension that begins with a letter. */
export function looksLikeFile(text: string): boolean {
	const path = parseFileReference(text)?.path;
	return (
		path !== undefined &&
		!/\s/.test(path) &&
		!path.includes('(') &&
		(/[^/.]\.[A-Za-z][\w-]{0,11}$/.test(path) || /^(?:[A-Za-z]:)?\/?[\w@.-]+(?:\/[\w@.-]+)+$/.test(path))
	);
}
