/** Each block is on lines of its own; these also have an empty line between them. */
const PARAGRAPHS = new Set(['p', 'pre', 'ul', 'ol', 'table', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr']);
const LINES = new Set([...PARAGRAPHS, 'div', 'li', 'tr']);

/** Returns the text of rendered Markdown as a reader would type it: without markup and the page's own buttons. */
export function plainText(root: Node): string {
	const writer = new TextWriter();
	/** The number of the last item of each numbered list. */
	const numbers = new Map<Element, number>();
	const visit = (node: Node) => {
		if (node.nodeType === Node.TEXT_NODE) {
			const isCode = node.parentElement?.closest('pre');
			const words = node.textContent ?? '';
			writer.write(isCode ? words : words.replace(/\s+/g, ' ').replace(/^ /, writer.endsInSpace ? '' : ' '));
			return;
		}
		const name = node.nodeName.toLowerCase();
		if (node instanceof Element && node.matches('.citation')) {
			writer.write(`[${node.textContent}]`);
			return;
		}
		if (node instanceof Element && node.matches('button, .code-label')) {
			return;
		}
		if (name === 'br') {
			writer.write('\n');
		}
		const inItem = node.parentElement?.closest('li') != null;
		const lines = PARAGRAPHS.has(name) && !inItem ? 2 : LINES.has(name) ? 1 : 0;
		const afterMark = name === 'p' && node.parentElement?.localName === 'li' && !node.previousSibling;
		if (lines > 0 && !afterMark) {
			writer.breakLines(lines);
		}
		if (name === 'li') {
			writer.write(listMark(node as Element, numbers));
		}
		if ((name === 'td' || name === 'th') && (node as Element).previousElementSibling) {
			writer.writeTab();
		}
		node.childNodes.forEach(visit);
		if (lines > 0) {
			writer.breakLines(lines);
		}
	};
	visit(root);
	return writer.text;
}

/** Keeps the white space at the end separate, so that changing it takes constant time. */
class TextWriter {
	private readonly pieces: string[] = [];
	private space = '';

	/** The text without surrounding white space. */
	get text(): string {
		return this.pieces.join('').trim();
	}

	/** Also true before there is any text. */
	get endsInSpace(): boolean {
		return this.space !== '' || this.pieces.length === 0;
	}

	write(text: string): void {
		const words = text.trimEnd();
		if (words !== '') {
			this.pieces.push(this.space, words);
			this.space = '';
		}
		this.space += text.slice(words.length);
	}

	/** Ends the text with at least `count` line breaks and no other white space. */
	breakLines(count: number): void {
		const there = this.space.split('\n').length - 1;
		this.space = this.pieces.length === 0 ? '' : '\n'.repeat(Math.max(there, count));
	}

	/** Replaces the white space at the end by a tab. */
	writeTab(): void {
		this.space = '\t';
	}
}

function listMark(item: Element, numbers: Map<Element, number>): string {
	const list = item.parentElement;
	let indent = '';
	for (let outer = list?.closest('li'); outer; outer = outer.parentElement?.closest('li')) {
		indent += '   ';
	}
	if (list?.localName !== 'ol') {
		return `${indent}- `;
	}
	const number = (numbers.get(list) ?? Number(list.getAttribute('start') ?? 1) - 1) + 1;
	numbers.set(list, number);
	return `${indent}${number}. `;
}
