// Compares two texts line by line, for changes that are shown before git can be asked.

export interface DiffLine {
	/**
	 * `gap` stands for unchanged lines that are left out between two changes. `broken` and `unbroken` come last, if the
	 * last line now ends with a line break and did not before, or vice versa.
	 */
	readonly kind: 'same' | 'added' | 'removed' | 'gap' | 'broken' | 'unbroken';
	readonly text: string;
}

export interface LineDiff {
	readonly added: number;
	readonly removed: number;
	/** The changed lines, in order, with `AROUND` lines on both sides of each group. */
	readonly lines: readonly DiffLine[];
}

/** The number of unchanged lines that are shown before and after a change. */
const AROUND = 2;

/** The maximum number of pairs of lines to compare, between the first line that differs and the last. */
const MAXIMUM_PAIRS = 1_000_000;

/** Returns undefined if the texts are too different and too long to compare. `before` is undefined for a new file. */
export function lineDiff(before: string | undefined, after: string): LineDiff | undefined {
	const [old, now] = [linesOf(before ?? ''), linesOf(after)];
	const found = compareMiddle(old, now);
	if (found === undefined) {
		return undefined;
	}
	const { start, middle, end } = found;
	const same = (text: string): DiffLine => ({ kind: 'same', text });
	const all = [
		...now.slice(Math.max(0, start - AROUND), start).map(same),
		...middle,
		...now.slice(now.length - end, now.length - end + AROUND).map(same),
	];
	const count = (kind: DiffLine['kind']) => middle.filter(line => line.kind === kind).length;
	const lines = nearChanges(all);
	if (before && after && before.endsWith('\n') !== after.endsWith('\n')) {
		lines.push({ kind: after.endsWith('\n') ? 'broken' : 'unbroken', text: '' });
	}
	return { added: count('added'), removed: count('removed'), lines };
}

/**
 * Compares the lines between the common ones at both ends (`start`, `end`). Returns undefined if there are too many.
 */
export function compareMiddle(
	old: readonly string[],
	now: readonly string[],
): { start: number; middle: DiffLine[]; end: number } | undefined {
	let start = 0;
	while (start < old.length && start < now.length && old[start] === now[start]) {
		start++;
	}
	let end = 0;
	while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) {
		end++;
	}
	const middle = compare(old.slice(start, old.length - end), now.slice(start, now.length - end));
	return middle && { start, middle, end };
}

function linesOf(text: string): string[] {
	const lines = text.split('\n');
	return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Finds a longest common sequence of lines. */
function compare(old: readonly string[], now: readonly string[]): DiffLine[] | undefined {
	if (old.length * now.length > MAXIMUM_PAIRS) {
		return undefined;
	}
	const width = now.length + 1;
	/** For each pair of positions, the length of the longest common sequence of the lines that follow. */
	const lengths = new Uint32Array((old.length + 1) * width);
	const lengthAt = (one: number, other: number) => lengths[one * width + other] ?? 0;
	for (let one = old.length - 1; one >= 0; one--) {
		for (let other = now.length - 1; other >= 0; other--) {
			lengths[one * width + other] =
				old[one] === now[other]
					? lengthAt(one + 1, other + 1) + 1
					: Math.max(lengthAt(one + 1, other), lengthAt(one, other + 1));
		}
	}
	const lines: DiffLine[] = [];
	let [one, other] = [0, 0];
	while (one < old.length || other < now.length) {
		const [left, right] = [old[one], now[other]];
		if (left !== undefined && left === right) {
			lines.push({ kind: 'same', text: left });
			one++;
			other++;
		} else if (left !== undefined && (right === undefined || lengthAt(one + 1, other) >= lengthAt(one, other + 1))) {
			lines.push({ kind: 'removed', text: left });
			one++;
		} else {
			lines.push({ kind: 'added', text: right ?? '' });
			other++;
		}
	}
	return lines;
}

/** Leaves out the unchanged lines that are far from any change. */
function nearChanges(lines: readonly DiffLine[]): DiffLine[] {
	const near = new Set<number>();
	for (const [index, { kind }] of lines.entries()) {
		for (let place = index - AROUND; kind !== 'same' && place <= index + AROUND; place++) {
			if (place >= 0 && place < lines.length) {
				near.add(place);
			}
		}
	}
	return [...near].flatMap((index, place, shown) => {
		const line = lines[index];
		const isApart = place > 0 && shown[place - 1] !== index - 1;
		return line === undefined ? [] : isApart ? [{ kind: 'gap', text: '' }, line] : [line];
	});
}
