// Extracts the plain text of an HTML page without the content that its elements themselves hide. This is not a browser:
// content that only a style sheet hides is included, and content that only a script writes is not. It takes linear time
// for any page.

/** Elements that show nothing to a reader, or nothing that is text. */
const UNSEEN: ReadonlySet<string> = new Set(
	'script style noscript template svg math iframe object canvas audio video select textarea'.split(' '),
);

/** Void elements, which have no content and no end tag. */
const EMPTY: ReadonlySet<string> = new Set(
	'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** Elements that begin on a new line, and those with a blank line around them. */
const LINES: ReadonlySet<string> = new Set(
	'br div li tr dt dd figcaption option summary caption legend address form header footer nav aside main'.split(' '),
);
const PARAGRAPHS: ReadonlySet<string> = new Set(
	'title p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article hr figure details fieldset'.split(' '),
);

/** Names of frequent character references. Others stay as they are written. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
	Object.entries({
		...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', ensp: ' ', emsp: ' ', thinsp: ' ' },
		...{ ndash: '–', mdash: '—', hellip: '…', bull: '•', middot: '·', laquo: '«', raquo: '»', times: '×' },
		...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', sbquo: '‚', bdquo: '„', larr: '←', rarr: '→', minus: '−' },
		...{ copy: '©', reg: '®', trade: '™', deg: '°', euro: '€', para: '¶', sect: '§', le: '≤', ge: '≥', ne: '≠' },
		...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è' },
	}),
);

/** Returns the text of a page: headings and list items are marked as in Markdown, and `pre` keeps its blanks. */
export function htmlText(html: string): string {
	const text = new PlainPage();
	const unclosed = new Set<string>();
	/** A hidden element without an end would remove the rest of the page. After one, nothing counts as hidden. */
	let hides = true;
	for (let at = 0; at < html.length; ) {
		const start = html.indexOf('<', at);
		text.add(decoded(html.slice(at, start < 0 ? html.length : start)));
		if (start < 0) {
			break;
		}
		const [, slash, name] = /^<(\/?)([a-z][a-z\d-]{0,30})/i.exec(html.slice(start, start + 34)) ?? [];
		if (name === undefined) {
			const isMarkup = /^[!?/]/.test(html.slice(start + 1, start + 2));
			at = isMarkup ? afterMarkup(html, start) : start + 1;
			text.add(isMarkup ? '' : '<');
			continue;
		}
		at = afterTag(html, start + 1);
		const element = name.toLowerCase();
		const isEmpty = (element === 'svg' || element === 'math') && html[at - 2] === '/';
		if (slash === '' && UNSEEN.has(element)) {
			at = isEmpty || unclosed.has(element) ? at : afterElement(html, at, element, unclosed);
			continue;
		}
		if (hides && slash === '' && !EMPTY.has(element) && isHidden(html.slice(start, at))) {
			const end = afterHidden(html, at, element);
			hides = end !== undefined;
			if (end !== undefined) {
				at = end;
				continue;
			}
		}
		text.tag(element, slash === '/');
	}
	return text.toString();
}

/** The text so far. Blanks and line breaks are written only before the next word. */
class PlainPage {
	private readonly pieces: string[] = [];
	private breaks = 0;
	private hasBlank = false;
	private preformatted = 0;
	/** The prefix of the next words: the mark of a heading or of an item. */
	private mark = '';

	add(text: string): void {
		if (this.preformatted > 0) {
			this.write(text);
			return;
		}
		const words = text.trim().replace(/\s+/g, ' ');
		this.hasBlank ||= /^\s/.test(text);
		if (words !== '') {
			this.write(words);
			this.hasBlank = /\s$/.test(text);
		}
	}

	tag(element: string, isEnd: boolean): void {
		if (PARAGRAPHS.has(element)) {
			this.breaks = 2;
		} else if (LINES.has(element)) {
			this.breaks = Math.max(this.breaks, 1);
		}
		const level = /^h([1-6])$/.exec(element)?.[1] ?? (element === 'title' ? '1' : undefined);
		if (element === 'pre') {
			this.preformatted = Math.max(0, this.preformatted + (isEnd ? -1 : 1));
		} else if (level !== undefined || element === 'li') {
			this.mark = isEnd ? '' : level === undefined ? '- ' : `${'#'.repeat(Number(level))} `;
		} else if (element === 'td' || element === 'th') {
			this.hasBlank = true;
		}
	}

	toString(): string {
		const lines = this.pieces.join('').split('\n');
		return lines
			.map(line => line.trimEnd())
			.join('\n')
			.trim();
	}

	private write(text: string): void {
		if (text === '') {
			return;
		}
		if (this.pieces.length > 0) {
			this.pieces.push(this.breaks > 0 ? '\n'.repeat(this.breaks) : this.hasBlank ? ' ' : '');
		}
		this.pieces.push(this.mark, text);
		this.mark = '';
		this.breaks = 0;
		this.hasBlank = false;
	}
}

/** Returns the end of the tag whose name is at `from`. A `>` in quotation marks does not end it. */
function afterTag(html: string, from: number): number {
	const marks = /[">']/g;
	marks.lastIndex = from;
	for (;;) {
		const mark = marks.exec(html);
		if (!mark) {
			return html.length;
		}
		if (mark[0] === '>') {
			return marks.lastIndex;
		}
		const end = html.indexOf(mark[0], marks.lastIndex);
		if (end < 0) {
			return html.length;
		}
		marks.lastIndex = end + 1;
	}
}

/** Returns the end of a comment, a declaration or an end tag without a name. */
function afterMarkup(html: string, start: number): number {
	const end = html.startsWith('<!--', start) ? '-->' : '>';
	const at = html.indexOf(end, start);
	return at < 0 ? html.length : at + end.length;
}

/** Returns the end of an element that is not shown. An element without an end is skipped and added to `unclosed`. */
function afterElement(html: string, from: number, element: string, unclosed: Set<string>): number {
	const end = new RegExp(`</${element}[\\s/>]`, 'gi');
	end.lastIndex = from;
	const found = end.exec(html);
	if (!found) {
		unclosed.add(element);
		return element === 'script' || element === 'style' ? html.length : from;
	}
	return afterTag(html, found.index);
}

/** Returns whether an element with this start tag is hidden from every reader, or from users of screen readers. */
function isHidden(tag: string): boolean {
	if (!/hidden/i.test(tag)) {
		return false;
	}
	for (const [, name, value = ''] of tag.matchAll(/([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]*))?/g)) {
		if (/^hidden$/i.test(name ?? '') || (/^aria-hidden$/i.test(name ?? '') && /^["']?true["']?$/i.test(value))) {
			return true;
		}
	}
	return false;
}

/** Returns the end of a hidden element, after nested elements of the same name; undefined if it has no end. */
function afterHidden(html: string, from: number, element: string): number | undefined {
	const tags = new RegExp(`<(/?)${element}(?=[\\s/>])`, 'gi');
	tags.lastIndex = from;
	let depth = 1;
	while (depth > 0) {
		const tag = tags.exec(html);
		if (!tag) {
			return undefined;
		}
		depth += tag[1] === '' ? 1 : -1;
		tags.lastIndex = afterTag(html, tags.lastIndex);
	}
	return tags.lastIndex;
}

function decoded(text: string): string {
	return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (whole, name: string) => {
		if (!name.startsWith('#')) {
			return CHARACTERS.get(name) ?? whole;
		}
		const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
		return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : whole;
	});
}
