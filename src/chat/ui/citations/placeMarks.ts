// Finds the places of the marks for a text's sources after Markdown has transformed the text.

/** The most text that is rendered to place marks, in UTF-16 code units. Further marks go to the end of the text. */
const MAXIMUM_RENDERED = 400_000;

/** A mark behind the visible character number `visible`, counted from 1 without white space. 0 is the start. */
export interface PlacedMark {
	readonly visible: number;
	readonly number: number;
	/** The number of visible characters before the cited words; undefined if Markdown leaves no such place. */
	readonly start: number | undefined;
}

/**
 * Finds a place for each mark, in order. The text is rendered with a sign character at the mark's position. If the
 * output is the same except for the sign, the position lies in visible text. Inside a delimiter, an address or any
 * other syntax, the sign would change the output; the mark then moves to the end of the word, of the line or of the
 * text. The result therefore never depends on how the text arrived, and never changes it.
 */
export function placeMarks(
	text: string,
	marks: readonly { position: number; number: number; start: number }[],
	render: (text: string) => string,
): { marks: PlacedMark[]; total: number } {
	const sign = unusedSign(text);
	const plain = render(text);
	const total = countVisible(plain);
	let budget = MAXIMUM_RENDERED;
	const begins = marks.map(({ start }) => start + Math.max(0, text.slice(start).search(/[\p{L}\p{N}]/u)));
	const known = new Map([
		...placedTogether(text, [...new Set(begins)], sign, plain, render),
		...placedTogether(text, [...new Set(marks.map(({ position }) => position))], sign, plain, render),
	]);
	const visibleAt = (position: number): number | undefined => {
		if (known.has(position)) {
			return known.get(position);
		}
		budget -= text.length;
		const html = budget < 0 ? '' : render(text.slice(0, position) + sign + text.slice(position));
		const index = html.indexOf(sign);
		const before = html.slice(0, Math.max(0, index));
		const isSame = index >= 0 && before + html.slice(index + 1) === plain && !endsInTag(before);
		const visible = isSame ? countVisible(before) : undefined;
		known.set(position, visible);
		return visible;
	};
	const placed = marks.map(({ position, number }) => {
		for (const candidate of candidates(text, position)) {
			const visible = visibleAt(candidate);
			if (visible !== undefined) {
				return { visible, number };
			}
		}
		return { visible: total, number };
	});
	// The marks are placed before the ranges, which matter less if the budget runs out.
	const ranged = placed.map((mark, index) => ({ ...mark, start: visibleAt(begins[index] ?? 0) }));
	const unique = new Map(ranged.map(mark => [`${mark.visible} ${mark.number}`, mark]));
	return {
		marks: [...unique.values()].sort((one, other) => one.visible - other.visible || one.number - other.number),
		total,
	};
}

/**
 * Nearly always, every mark is at a valid position, so one rendering gives all places. Otherwise returns an empty list.
 */
function placedTogether(
	text: string,
	positions: readonly number[],
	sign: string,
	plain: string,
	render: (text: string) => string,
): Map<number, number | undefined> {
	const order = positions.toSorted((one, other) => one - other);
	const signed = [0, ...order].map((start, index) => text.slice(start, order[index] ?? text.length)).join(sign);
	const pieces = render(signed).split(sign);
	const places = new Map<number, number | undefined>();
	const isInTag = pieces.slice(0, -1).some(endsInTag);
	if (pieces.length === order.length + 1 && pieces.join('') === plain && !isInTag) {
		let visible = 0;
		for (const [index, position] of order.entries()) {
			visible += countVisible(pieces[index] ?? '');
			places.set(position, visible);
		}
	}
	return places;
}

/**
 * Returns a private-use character that the text does not contain. Markdown treats it neither as white space nor as
 * punctuation.
 */
function unusedSign(text: string): string {
	for (let code = 0xe000; code < 0xf8ff; code++) {
		const sign = String.fromCharCode(code);
		if (!text.includes(sign)) {
			return sign;
		}
	}
	return '\uf8ff';
}

function* candidates(text: string, position: number): Generator<number> {
	yield position;
	const rest = text.slice(position);
	const word = rest.search(/\s/);
	if (word >= 0) {
		yield position + word;
	}
	// The place is behind delimiters that close here, such as those of a bold text that ends with a full stop.
	const after = rest.search(/\s(?=\S)/);
	if (after >= 0) {
		yield position + after + 1;
	}
	const line = rest.indexOf('\n');
	if (line >= 0) {
		yield position + line;
	}
}

/**
 * The sign can end up in an attribute, such as the language of a code block, and the output looks the same without it.
 */
function endsInTag(html: string): boolean {
	return html.lastIndexOf('<') > html.lastIndexOf('>');
}

/**
 * A character reference counts as one character. The HTML comes from Markdown, so each angle bracket belongs to a tag.
 */
const HIDDEN = /<[^>]*>?|\s+/g;
const REFERENCE = /&[#\w]+;/g;

export function countVisible(html: string): number {
	return html.replace(HIDDEN, '').replace(REFERENCE, 'x').length;
}
