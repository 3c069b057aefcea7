// Patches as models write them: unified diffs, or the form that begins with `*** Begin Patch`.

import { ToolFailure } from '../failures.ts';
import { findLoosely, nearestLines } from './looseText.ts';

/** The maximum number of line comparisons for one file. Without a limit, a patch of equal lines could take hours. */
const MAXIMUM_COMPARISONS = 50_000_000;

/** The change of one file. */
export interface FilePatch {
	/** Undefined if the patch does not name the file. */
	path: string | undefined;
	/** The new path of a file that is renamed. */
	to?: string | undefined;
	kind: 'change' | 'add' | 'delete';
	hunks: Hunk[];
}

interface Hunk {
	/** The line at which the hunk claims to begin, counted from 0. */
	at: number;
	before: string[];
	after: string[];
}

/** The name of the missing side of a file that is added or deleted. */
const NOWHERE = '/dev/null';

const KINDS = { Update: 'change', Add: 'add', Delete: 'delete' } as const;

/** Reads a patch. Lines that belong to no hunk are ignored. */
export function readPatch(patch: string): FilePatch[] {
	const files: FilePatch[] = [];
	const lines = patch.split(/\r?\n/);
	let hunk: Hunk | undefined;
	/** The empty lines so far, which belong to a hunk that goes on after them: models leave out the blank before them. */
	let empty = 0;
	const begin = (head: Omit<FilePatch, 'hunks'>): FilePatch => {
		const file = { ...head, hunks: [] };
		files.push(file);
		hunk = undefined;
		return file;
	};
	const beginHunk = (at: number): Hunk => {
		const begun = { at, before: [], after: [] };
		(files.at(-1) ?? begin({ path: undefined, kind: 'change' })).hunks.push(begun);
		return begun;
	};
	for (let index = 0; index < lines.length; index++) {
		const line = lines[index] ?? '';
		const [, action, named] = /^\*\*\* (Update|Add|Delete) File: (.+)$/.exec(line) ?? [];
		const [, side, moved] = /^(rename from|rename to|\*\*\* Move to:) (.+)$/.exec(line) ?? [];
		const start = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)?)? @@|^@@/.exec(line);
		if (action !== undefined && named !== undefined) {
			begin({ path: named.trim(), kind: KINDS[action as keyof typeof KINDS] });
		} else if (moved !== undefined && side === 'rename from') {
			begin({ path: moved.trim(), kind: 'change' });
		} else if (moved !== undefined) {
			Object.assign(files.at(-1) ?? {}, { to: moved.trim() });
		} else if (isHead(lines, index, hunk !== undefined)) {
			const head = headOf(line, lines[index + 1] ?? '');
			const last = files.at(-1);
			// Git names a renamed file before its head.
			if (head.to === undefined || last?.path !== head.path || last?.to !== head.to || hunk !== undefined) {
				begin(head);
			}
			index++;
		} else if (start) {
			hunk = beginHunk(Math.max(0, Number(start[1] ?? 1) - 1));
		} else if (line === '') {
			empty++;
			continue;
		} else if (/^[-+ ]/.test(line)) {
			// The other form, and some models, leave out the line that begins a hunk.
			hunk ??= files.at(-1)?.path === undefined ? undefined : beginHunk(0);
			for (; hunk !== undefined && empty > 0; empty--) {
				hunk.before.push('');
				hunk.after.push('');
			}
			if (!line.startsWith('+')) {
				hunk?.before.push(line.slice(1));
			}
			if (!line.startsWith('-')) {
				hunk?.after.push(line.slice(1));
			}
		}
		empty = 0;
	}
	return files;
}

/** Returns whether two lines that name a file begin here. In a hunk they may be a removed and an added line of it. */
function isHead(lines: readonly string[], index: number, isInHunk: boolean): boolean {
	const [first = '', second = '', third = ''] = lines.slice(index, index + 3);
	return first.startsWith('--- ') && second.startsWith('+++ ') && (!isInHunk || third.startsWith('@@'));
}

function headOf(first: string, second: string): Omit<FilePatch, 'hunks'> {
	const [from = '', to = ''] = [first, second].map(line => line.slice(4).replace(/\t.*$/, '').trim());
	const isGits = /^a\/|^\/dev\/null$/.test(from) && /^b\/|^\/dev\/null$/.test(to);
	const [before = '', after = ''] = [from, to].map(name => (isGits ? name.replace(/^[ab]\//, '') : name));
	if (from === NOWHERE || to === NOWHERE) {
		return from === NOWHERE ? { path: after, kind: 'add' } : { path: before, kind: 'delete' };
	}
	return { path: before, kind: 'change', ...(before !== after && { to: after }) };
}

/** Returns the text of a new file. */
export function addedText({ hunks }: FilePatch): string {
	return hunks.flatMap(({ after }) => after.map(line => `${line}\n`)).join('');
}

/**
 * Applies the hunks of a patch to the text of a file. Also returns a note for the model about hunks whose white space is
 * not that of the file. Throws a ToolFailure for a hunk whose lines are not in the text.
 */
export function patchedText(text: string, { hunks }: FilePatch, name: string): { after: string; remark: string } {
	if (hunks.length === 0) {
		throw new ToolFailure(`The patch has no hunk for ${name}. A hunk begins with a line such as "@@ -3,4 +3,5 @@".`);
	}
	const end = text.includes('\r\n') ? '\r\n' : '\n';
	let lines = text.split(end);
	let remark = '';
	const budget = { comparisons: MAXIMUM_COMPARISONS };
	/** The number of lines that the earlier hunks have added. */
	let shift = 0;
	let from = 0;
	for (const [number, { at, before, after }] of hunks.entries()) {
		let place = findLines(lines, before, { at: at + shift, from, budget });
		let put: readonly string[] = after;
		if (place === undefined) {
			const loose = findLoosely(lines.slice(from), before.join('\n'), after.join('\n'));
			if (loose === undefined) {
				throw new ToolFailure(
					`Hunk ${number + 1} does not fit ${name}: its lines do not stand there.${nearestLines(lines, before) || ' '}Read the file again.`,
				);
			}
			place = from + loose.start;
			put = loose.lines;
			remark += ` The white space of hunk ${number + 1} was not that of ${name}, so it was put where it alone fits.`;
		}
		lines = lines.slice(0, place).concat(put, lines.slice(place + before.length));
		shift += put.length - before.length;
		from = place + put.length;
	}
	return { after: lines.join(end), remark };
}

interface Search {
	at: number;
	from: number;
	budget: { comparisons: number };
}

/** Returns the position nearest to `at`, not before `from`, at which the lines are found. */
function findLines(
	lines: readonly string[],
	wanted: readonly string[],
	{ at, from, budget }: Search,
): number | undefined {
	let nearest: number | undefined;
	for (let place = from; place + wanted.length <= lines.length; place++) {
		const different = wanted.findIndex((line, index) => lines[place + index] !== line);
		const isHere = different === -1;
		budget.comparisons -= isHere ? wanted.length + 1 : different + 1;
		if (budget.comparisons < 0) {
			throw new ToolFailure('Finding the lines of the patch takes too much time. Use old and new instead.');
		}
		if (isHere && (nearest === undefined || Math.abs(place - at) < Math.abs(nearest - at))) {
			nearest = place;
		}
	}
	return nearest;
}
