/** Blocks stand on lines of their own; these have an empty line between them as well. */
const PARAGRAPHS = new Set(['p', 'pre', 'ul', 'ol', 'table', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr']);
const LINES = new Set([...PARAGRAPHS, 'div', 'li', 'tr']);

/** The text of rendered Markdown as a reader would type it: without markup and without the page's own buttons. */
export function plainText(root: Node): string {
	let text = '';
	const breakLines = (count: number) => {
		const words = text.trimEnd();
		const there = text.slice(words.length).split('\n').length - 1;
		text = words === '' ? '' : words + '\n'.repeat(Math.max(there, count));
	};
	const visit = (node: Node) => {
		if (node.nodeType === Node.TEXT_NODE) {
			const isCode = node.parentElement?.closest('pre');
			const words = node.textContent ?? '';
			text += isCode ? words : words.replace(/\s+/g, ' ').replace(/^ /, /(^|\s)$/.test(text) ? '' : ' ');
			return;
		}
		const name = node.nodeName.toLowerCase();
		if (node instanceof Element && node.matches('.citation')) {
			text += `[${node.textContent}]`;
			return;
		}
		if (node instanceof Element && node.matches('button, .code-label')) {
			return;
		}
		if (name === 'br') {
			text += '\n';
		}
		const inItem = node.parentElement?.closest('li') != null;
		const lines = PARAGRAPHS.has(name) && !inItem ? 2 : LINES.has(name) ? 1 : 0;
		const afterMark = name === 'p' && node.parentElement?.localName === 'li' && !node.previousSibling;
		if (lines > 0 && !afterMark) {
			breakLines(lines);
		}
		if (name === 'li') {
			text += listMark(node as Element);
		}
		if ((name === 'td' || name === 'th') && (node as Element).previousElementSibling) {
			text = `${text.trimEnd()}\t`;
		}
		node.childNodes.forEach(visit);
		if (lines > 0) {
			breakLines(lines);
		}
	};
	visit(root);
	return text.trim();
}

function listMark(item: Element): string {
	const list = item.parentElement;
	let indent = '';
	for (let outer = list?.closest('li'); outer; outer = outer.parentElement?.closest('li')) {
		indent += '   ';
	}
	if (list?.localName !== 'ol') {
		return `${indent}- `;
	}
	const first = Number(list.getAttribute('start') ?? 1);
	return `${indent}${first + [...list.children].indexOf(item)}. `;
}
