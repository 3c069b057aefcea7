// Markdown to HTML, as blocks. The HTML is not to be trusted before it went through sanitise.ts.
import createMarkdownIt, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { fill } from './format.ts';

/** Page headings are h2 and h3, so a reply's own begin below them. */
const HEADING_SHIFT = 3;

const ALIGNMENT = /^text-align:(left|center|right)$/;

/** Only these may be opened. The host checks again. */
const OPENABLE = /^(?:https?:\/\/|mailto:)/i;

export interface MarkdownStrings {
	/** `Image: {0}` */
	image: string;
}

export function createMarkdown(strings: MarkdownStrings): MarkdownIt {
	const markdown = createMarkdownIt({ html: false, linkify: true });
	// Without these, `main.rs` and `setup.py` would be links: their endings are top-level domains.
	markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
	// A link that may not be opened stays as its text, and loses its address below.
	markdown.validateLink = () => true;
	markdown.core.ruler.push('errand', state => {
		for (const token of state.tokens) {
			adaptBlock(token);
			token.children?.forEach(adaptLink);
		}
	});
	markdown.renderer.rules['image'] = (tokens, index) => {
		const token = tokens[index];
		const source = String(token?.attrGet('src') ?? '');
		const label = markdown.utils.escapeHtml(fill(strings.image, token?.content ?? ''));
		// An image's address can carry data out, so it never loads; a link inside a link would fall apart.
		return /^https?:\/\//i.test(source) && !isInsideLink(tokens, index)
			? `<a href="${markdown.utils.escapeHtml(source)}">${label}</a>`
			: label;
	};
	return markdown;
}

function adaptBlock(token: Token): void {
	if (token.type === 'heading_open' || token.type === 'heading_close') {
		token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + HEADING_SHIFT)}`;
	}
	// The policy of the page forbids style attributes.
	const alignment = ALIGNMENT.exec(String(token.attrGet('style') ?? ''))?.[1];
	if (token.attrs && (token.type === 'th_open' || token.type === 'td_open')) {
		token.attrs = alignment === undefined ? [] : [['class', `align-${alignment}`]];
	}
}

function adaptLink(token: Token): void {
	if (token.type === 'link_open') {
		const address = String(token.attrGet('href') ?? '');
		token.attrs = OPENABLE.test(address) ? [['href', address]] : [];
	}
}

function isInsideLink(tokens: readonly Token[], index: number): boolean {
	let depth = 0;
	for (const token of tokens.slice(0, index)) {
		depth += token.type === 'link_open' ? 1 : token.type === 'link_close' ? -1 : 0;
	}
	return depth > 0;
}

/**
 * Renders a text that grows at its end, one piece of HTML for each top-level block. Joined, the pieces of a final text
 * are exactly what one render of the whole gives. While the text grows, blocks that can no longer change are not
 * parsed again; only a link whose definition comes further down waits for the final render.
 */
export class MarkdownBlocks {
	private readonly markdown: MarkdownIt;
	/** The part of the text whose blocks are done, and those blocks. */
	private doneText = '';
	private doneBlocks: string[] = [];
	private doneEnvironment: Env = {};

	constructor(markdown: MarkdownIt) {
		this.markdown = markdown;
	}

	/** `final`: nothing will be appended any more. */
	update(source: string, final: boolean): string[] {
		const text = source.replace(/\r\n?/g, '\n');
		if (final) {
			this.reset();
			return this.render(this.markdown.parse(text, {}), {}).map(block => block.html);
		}
		if (!text.startsWith(this.doneText)) {
			this.reset();
		}
		const tail = text.slice(this.doneText.length);
		// A definition that is still growing must not be remembered, so each parse of the tail has its own copy.
		const environment: Env = { references: { ...this.doneEnvironment.references } };
		const blocks = this.render(this.markdown.parse(tail, environment), environment);
		this.keepDone(tail, blocks);
		return [...this.doneBlocks, ...blocks.slice(blocks.length - this.growing).map(block => block.html)];
	}

	private growing = 0;

	/**
	 * A block is done once another one begins after it, on two whole lines: only the last block goes on, and two lines
	 * are what it takes to tell that a block (a table) begins. A line that is not whole yet may still turn out otherwise,
	 * and then both belong to the block before.
	 */
	private keepDone(tail: string, blocks: readonly Block[]): void {
		const lineStarts = [0];
		for (let at = tail.indexOf('\n'); at >= 0; at = tail.indexOf('\n', at + 1)) {
			lineStarts.push(at + 1);
		}
		const wholeLines = lineStarts.length - 1;
		const firstGrowing = Math.max(
			0,
			blocks.findLastIndex(block => block.line + 1 < wholeLines),
		);
		const growing = blocks[firstGrowing];
		this.growing = blocks.length - firstGrowing;
		if (firstGrowing > 0 && growing) {
			const done = tail.slice(0, lineStarts[growing.line]);
			this.markdown.parse(done, this.doneEnvironment);
			this.doneText += done;
			this.doneBlocks.push(...blocks.slice(0, firstGrowing).map(block => block.html));
		}
	}

	private render(tokens: readonly Token[], environment: Env): Block[] {
		const blocks: Block[] = [];
		let start = 0;
		let depth = 0;
		tokens.forEach((token, index) => {
			depth += token.nesting;
			if (depth === 0) {
				const group = tokens.slice(start, index + 1);
				blocks.push({
					line: group[0]?.map?.[0] ?? 0,
					html: this.markdown.renderer.render(group, this.markdown.options, environment),
				});
				start = index + 1;
			}
		});
		return blocks;
	}

	private reset(): void {
		this.doneText = '';
		this.doneBlocks = [];
		this.doneEnvironment = {};
	}
}

interface Block {
	/** The line of the parsed text on which the block begins. */
	line: number;
	html: string;
}
