// The hunks of a change, which the user may refuse one by one, and the text that the others lead to.
import { type HunkRanges, withHunks } from '../../base/hunks.ts';
import type { StepDiff } from './agentWork.ts';
import { compareMiddle } from './lineDiff.ts';

/** A piece of a text in two versions, with a few of the lines around it. */
export interface ChangedPart {
	readonly before: string;
	readonly after: string;
}

/** The most unchanged lines on each side of a part, which identify its place in the file. */
const MAXIMUM_AROUND = 3;

/**
 * Returns the hunks between two texts, in order. A line includes its line break. Returns undefined if the texts are too
 * different and too long to be compared.
 */
export function lineHunks(before: string, after: string): HunkRanges[] | undefined {
	const [old, now] = [wholeLines(before), wholeLines(after)];
	const found = compareMiddle(old, now);
	if (found === undefined) {
		return undefined;
	}
	const hunks: HunkRanges[] = [];
	let [one, other] = [found.start, found.start];
	let isOpen = false;
	for (const { kind } of found.middle) {
		if (kind !== 'same' && !isOpen) {
			hunks.push({ before: { start: one, count: 0 }, after: { start: other, count: 0 } });
		}
		isOpen = kind !== 'same';
		const hunk = hunks.at(-1);
		if (kind !== 'added') {
			one++;
		}
		if (kind !== 'removed') {
			other++;
		}
		if (hunk && isOpen) {
			hunk.before.count = one - hunk.before.start;
			hunk.after.count = other - hunk.after.start;
		}
	}
	return hunks;
}

/** Returns the hunks of a change that can be refused one by one: none if there are fewer than two. */
export function refusableHunks(before: string | undefined, after: string): HunkRanges[] {
	const hunks = before === undefined ? [] : (lineHunks(before, after) ?? []);
	return hunks.length > 1 ? hunks : [];
}

/** Returns the result of a change without one of its hunks; undefined if that hunk cannot be refused alone. */
export function withoutHunk(before: string, after: string, index: number): string | undefined {
	const hunks = refusableHunks(before, after);
	return hunks[index] && withHunks(Buffer.from(before), Buffer.from(after), hunks.toSpliced(index, 1)).toString();
}

/**
 * Returns the parts in which two versions of a text differ, each with just enough lines around to identify its place,
 * so that changes nearby do not hide it. No part includes lines that another one changes.
 */
export function changedParts(before: string, after: string): ChangedPart[] {
	const hunks = lineHunks(before, after) ?? [];
	const [own, others] = [wholeLines(before), wholeLines(after)];
	return hunks.map((hunk, index) => {
		const [previous, next] = [hunks[index - 1], hunks[index + 1]];
		const above = hunk.before.start - (previous ? endOf(previous.before) : 0);
		const below = (next?.before.start ?? own.length) - endOf(hunk.before);
		const cut = (lines: readonly string[], side: HunkRanges['before'], around: number) =>
			lines.slice(side.start - Math.min(around, above), endOf(side) + Math.min(around, below)).join('');
		const partWith = (around: number) => ({
			before: cut(own, hunk.before, around),
			after: cut(others, hunk.after, around),
		});
		for (let around = 1; around < MAXIMUM_AROUND; around++) {
			const part = partWith(around);
			if (isOnce(part.before, before) && isOnce(part.after, after)) {
				return part;
			}
		}
		return partWith(MAXIMUM_AROUND);
	});
}

/** Splits a text after each line feed. */
const wholeLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

function isOnce(part: string, text: string): boolean {
	return part !== '' && text.indexOf(part) === text.lastIndexOf(part);
}

/** Reverts parts in a text, and skips those that it does not contain. */
export function withoutParts(text: string, parts: readonly ChangedPart[]): string {
	return parts.reduce((left, part) => editedText(left, [inverted(part)]) ?? left, text);
}

/** Returns the change that reverts a part. */
export const inverted = ({ before, after }: ChangedPart): ChangedPart => ({ before: after, after: before });

const endOf = ({ start, count }: HunkRanges['before']): number => start + count;

/**
 * Returns the content of a file after exactly the changes that were shown, in their order. `text` is undefined if the
 * file does not exist. Returns undefined if the changes do not apply, because they were made for other content.
 */
export function editedText(
	text: string | undefined,
	changes: readonly Pick<StepDiff, 'before' | 'after'>[],
): string | undefined {
	let edited = text;
	// Git may give the agent other line endings than those in the repository.
	const isConverted = text !== undefined && !text.includes('\r');
	const kept = (part: string) => (isConverted ? part.replaceAll('\r\n', '\n') : part);
	for (const [index, change] of changes.entries()) {
		const before = change.before === undefined ? undefined : kept(change.before);
		const after = kept(change.after);
		if (before === undefined) {
			if (edited !== undefined || index > 0) {
				return undefined;
			}
			edited = after;
		} else if (edited === before || (edited === undefined && before === '')) {
			// Some agents show a file that does not exist as an empty one.
			edited = after;
		} else {
			const at = edited === undefined || before === '' ? -1 : edited.indexOf(before);
			// If the text occurs more than once, the change does not say which occurrence it replaces.
			if (edited === undefined || at < 0 || edited.indexOf(before, at + 1) >= 0) {
				return undefined;
			}
			edited = edited.slice(0, at) + after + edited.slice(at + before.length);
		}
	}
	return edited;
}
