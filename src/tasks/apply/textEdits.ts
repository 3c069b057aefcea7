/** Lines of a text, counted from 0, to be replaced by a text. The end is exclusive. */
export interface LineEdit {
	start: number;
	end: number;
	/** Whole lines, each with its line end, except for the last line of the text. */
	text: string;
}

/**
 * Returns small edits that turn one text into another, in line order. They do not touch common lines, so that cursors
 * and breakpoints there stay. Lines that are unique in both texts serve as fixed points, so that the time grows little
 * faster than the texts.
 */
export function lineEdits(before: string, after: string): LineEdit[] {
	const [own, other] = [linesOf(before), linesOf(after)];
	const edits: LineEdit[] = [];
	let [ownStart, otherStart] = [0, 0];
	for (const [ownEnd, otherEnd] of [...fixedPoints(own, other), [own.length, other.length] as const]) {
		let [start, from] = [ownStart, otherStart];
		let [end, to] = [ownEnd, otherEnd];
		while (start < end && from < to && own[start] === other[from]) {
			start++;
			from++;
		}
		while (start < end && from < to && own[end - 1] === other[to - 1]) {
			end--;
			to--;
		}
		if (start < end || from < to) {
			edits.push({ start, end, text: other.slice(from, to).join('') });
		}
		[ownStart, otherStart] = [ownEnd, otherEnd];
	}
	return edits;
}

function linesOf(text: string): string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the positions of the lines that each text has once, as many as are in the same order in both. */
function fixedPoints(own: readonly string[], other: readonly string[]): [own: number, other: number][] {
	const places = uniqueLines(other);
	const pairs = [...uniqueLines(own)].flatMap(([line, place]) => {
		const there = places.get(line);
		return there === undefined ? [] : [{ place, there, previous: -1 }];
	});
	// The longest run of pairs that rise on both sides: `ends` has the last pair of the best run of each length.
	const ends: number[] = [];
	for (const [index, pair] of pairs.entries()) {
		let [low, high] = [0, ends.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((pairs[ends[middle] ?? 0]?.there ?? 0) < pair.there) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		pair.previous = ends[low - 1] ?? -1;
		ends[low] = index;
	}
	const points: [number, number][] = [];
	for (let at = ends.at(-1) ?? -1; at >= 0; ) {
		const pair = pairs[at];
		points.push([pair?.place ?? 0, pair?.there ?? 0]);
		at = pair?.previous ?? -1;
	}
	return points.reverse();
}

/** Returns the lines that occur once, in order, with their positions. */
function uniqueLines(lines: readonly string[]): Map<string, number> {
	const places = Map.groupBy(lines.keys(), place => lines[place] ?? '');
	return new Map([...places].flatMap(([line, [first = 0, ...others]]) => (others.length === 0 ? [[line, first]] : [])));
}
