// Where the marks of a text's sources stand once Markdown has made the text something else.

/** What is rendered for marks, in UTF-16 code units: behind so much work a mark stands at the end. */
const MAXIMUM_RENDERED = 400_000;

/** A mark behind the visible character number `visible`, counted from 1; white space is none. 0 is before the first. */
export interface PlacedMark {
	readonly visible: number;
	readonly number: number;
}

/**
 * Finds a place for each mark, in order. The text is rendered with a sign of ours at the mark's position: where the same
 * comes out but for the sign, the position is one of the text. Inside a delimiter, an address or any other syntax the
 * sign would change what is rendered; then the mark moves on to the end of the word, of the line, of the text. So the
 * result never depends on how the text came, and never changes it.
 */
export function placeMarks(
	text: string,
	marks: readonly { position: number; number: number }[],
	render: (text: string) => string,
): { marks: PlacedMark[]; total: number } {
	const sign = unusedSign(text);
	const plain = render(text);
	const total = countVisible(plain);
	let budget = MAXIMUM_RENDERED;
	const known = placedTogether(text, [...new Set(marks.map(({ position }) => position))], sign, plain, render);
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
	const unique = new Map(placed.map(mark => [`${mark.visible} ${mark.number}`, mark]));
	return {
		marks: [...unique.values()].sort((one, other) => one.visible - other.visible || one.number - other.number),
		total,
	};
}

/** Nearly always all of them stand where they may, and rendering once tells all places. Empty where one does not. */
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

/** A character for private use that the text has not. It is no white space and no punctuation to Markdown. */
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
	// Behind what closes here, such as a bold text that ends with a full stop.
	const after = rest.search(/\s(?=\S)/);
	if (after >= 0) {
		yield position + after + 1;
	}
	const line = rest.indexOf('\n');
	if (line >= 0) {
		yield position + line;
	}
}

/** An attribute can take the sign in, such as the language of a code block, and look the same without it. */
function endsInTag(html: string): boolean {
	return html.lastIndexOf('<') > html.lastIndexOf('>');
}

/** A character reference is one character. The HTML is Markdown's own: an angle bracket in it is always a tag's. */
const HIDDEN = /<[^>]*>?|\s+/g;
const REFERENCE = /&[#\w]+;/g;

export function countVisible(html: string): number {
	return html.replace(HIDDEN, '').replace(REFERENCE, 'x').length;
}
