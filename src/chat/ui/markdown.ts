// Converts Markdown to HTML. The HTML must not be trusted before it has gone through sanitise.ts.
import * as l10n from '@vscode/l10n';
import createMarkdownIt, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { codePointName, replaceHidden } from '../../base/invisible.ts';
import { looksLikeFile } from '../model/fileReference.ts';
import { parseFenceInfo } from './markdown/fenceInfo.ts';

/** The page's headings are h2 and h3, so the headings of a reply begin below them. */
const HEADING_SHIFT = 3;

const ALIGNMENT = /^text-align:(left|center|right)$/;

/** Only these addresses may be opened. The host checks them again. */
const OPENABLE = /^(?:https?:\/\/|mailto:)/i;

/** Invisible characters that say where words may be broken and which way they run. They have no use in code. */
const LAYOUT = new Set('\u00ad\u061c\u200b\u200e\u200f\u2060');

/**
 * A block that nests deeper or has more elements is shown as plain text, because laying it out would block the page.
 */
const MAXIMUM_LEVEL = 40;
export const MAXIMUM_ELEMENTS = 10_000;
/** The longest block that is a single stretch of text, in UTF-16 code units. */
export const MAXIMUM_BLOCK_LENGTH = 131_072;
/** The length to which a block that is shown as plain text is cut, in UTF-16 code units. */
const MAXIMUM_PLAIN_LENGTH = 20_000;

/**
 * Code is laid out in parts of this many lines, each a block of its own. A browser lays out all lines of a block at
 * once, which takes a third of a second for 40,000 of them.
 */
export const CODE_PART_LINES = 50;
/** The end of the HTML of a part with whole lines; it occurs nowhere else. */
export const CODE_PART_END = '\n</span>';
const CODE_PART = new RegExp(`(?:[^\\n]*\\n){0,${CODE_PART_LINES - 1}}(?:[^\\n]*\\n|[^\\n]+$)`, 'g');

/** Keys of an environment: how much of the first paragraph to skip, and whether an inline text leaves an opener. */
const HEAD_LENGTH = Symbol('head length');
const INLINE_OPEN = Symbol('inline open');

export function createMarkdown(): MarkdownIt {
	const markdown = createMarkdownIt({ html: false, linkify: true, maxNesting: MAXIMUM_LEVEL + 4 });
	// Without these, `main.rs` and `setup.py` would be links: their extensions are top-level domains.
	markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
	// A link that may not be opened keeps its text and loses its address below.
	markdown.validateLink = () => true;
	markdown.core.ruler.before('inline', 'errand_blocks', state => {
		if (!state.inlineMode) {
			skipFirst(state.tokens, state.env);
			state.tokens = withoutAbsurd(state.tokens, state.src, state.Token);
		}
	});
	markdown.core.ruler.push('errand_adapt', state => {
		for (const token of state.tokens) {
			adaptBlock(token);
			adaptLinks(token.children ?? []);
		}
	});
	markdown.inline.ruler2.after('balance_pairs', 'errand_open', state => {
		state.env[INLINE_OPEN] = state.delimiters.some(({ open, end }) => open && end < 0) || hasOpenText(state.tokens);
	});
	const { rules } = markdown.renderer;
	rules['text'] = (tokens, index) => escapeText(tokens[index]?.content ?? '');
	rules['code_inline'] = (tokens, index) => `<code>${escapeCode(tokens[index]?.content ?? '')}</code>`;
	rules['code_block'] = (tokens, index) => `<pre><code>${codeParts(tokens[index]?.content ?? '')}</code></pre>\n`;
	rules['fence'] = (tokens, index) => {
		const { language, file } = parseFenceInfo(markdown.utils.unescapeAll(tokens[index]?.info ?? ''));
		const classes = [
			...(language === undefined ? [] : [`language-${language}`]),
			...(file === undefined ? [] : [`file-${encodeURIComponent(file.toWellFormed())}`]),
		];
		const attribute = classes.length === 0 ? '' : ` class="${markdown.utils.escapeHtml(classes.join(' '))}"`;
		return `<pre><code${attribute}>${codeParts(tokens[index]?.content ?? '')}</code></pre>\n`;
	};
	rules['plain'] = (tokens, index) => {
		const text = tokens[index]?.content ?? '';
		const left = text.length - MAXIMUM_PLAIN_LENGTH;
		const reason = l10n.t('Shown as plain text because it’s too long or too deeply nested.');
		const note = left > 0 ? `${reason} ${leftOutText(left)}` : reason;
		return `<p class="plain">${escapeText(text.slice(0, MAXIMUM_PLAIN_LENGTH))}</p>\n<p class="note">${escapeText(note)}</p>\n`;
	};
	rules['image'] = (tokens, index) => {
		const token = tokens[index];
		const source = String(token?.attrGet('src') ?? '');
		const label = escapeText(l10n.t('Image: {0}', token?.content ?? ''));
		// An image's address can leak data, so the image never loads by itself. A link inside a link would be invalid.
		return /^https?:\/\//i.test(source) && token?.meta?.['isInsideLink'] !== true
			? `<a class="image" ${linkAttributes(source, markdown)}>${label}</a>`
			: label;
	};
	return markdown;

	function escapeText(text: string): string {
		return replaceHidden(markdown.utils.escapeHtml(text), character =>
			LAYOUT.has(character) ? character : control(character),
		);
	}

	function escapeCode(text: string): string {
		return replaceHidden(markdown.utils.escapeHtml(text), control);
	}

	function codeParts(text: string): string {
		return text.replace(CODE_PART, part => `<span class="lines">${escapeCode(part)}</span>`);
	}
}

let shared: MarkdownIt | undefined;

/** Returns a shared instance: creating one takes a millisecond, and a page has hundreds of texts. */
export function sharedMarkdown(): MarkdownIt {
	shared ??= createMarkdown();
	return shared;
}

/** Returns the note below a text of which `characters` characters are not shown. */
export function leftOutText(characters: number): string {
	return l10n.t('{0} more characters aren’t shown. Copy Reply includes them.', characters);
}

function control(character: string): string {
	return `<span class="control">${codePointName(character)}</span>`;
}

/** Replaces hidden characters by their code points, as the page shows them. */
export function showControls(text: string): string {
	return replaceHidden(text, character => (LAYOUT.has(character) ? character : codePointName(character)));
}

/** Returns the text of an element, with the hidden characters themselves in place of their code points. */
export function originalText(element: Element): string {
	const copy = element.cloneNode(true) as Element;
	for (const control of copy.querySelectorAll('.control')) {
		control.textContent = String.fromCodePoint(Number.parseInt(control.textContent?.slice(2) ?? '', 16));
	}
	return copy.textContent ?? '';
}

/** Makes a parse with `environment` skip this many characters at the beginning of its first paragraph. */
export function skipHead(environment: Env, length: number): void {
	environment[HEAD_LENGTH] = length;
}

/**
 * Returns whether an inline text that was rendered with `environment` has an opener that later text could still close.
 */
export function leavesInlineOpen(environment: Env): boolean {
	return environment[INLINE_OPEN] === true;
}

function skipFirst(tokens: readonly Token[], environment: Env): void {
	const length = environment[HEAD_LENGTH];
	const [first, inline] = tokens;
	if (typeof length === 'number' && first?.type === 'paragraph_open' && inline) {
		inline.content = inline.content.slice(length).trimStart();
	}
}

/** Returns whether openers are left in the text: brackets that a link may still need, or backticks. */
function hasOpenText(tokens: readonly Token[]): boolean {
	let links = 0;
	let brackets = 0;
	for (const { type, content } of tokens) {
		links += type === 'link_open' ? 1 : type === 'link_close' ? -1 : 0;
		if (type === 'text' && links === 0) {
			if (content.includes('`') || content.includes('](')) {
				return true;
			}
			for (const [bracket] of content.matchAll(/[[\]]/g)) {
				brackets = bracket === '[' ? brackets + 1 : Math.max(0, brackets - 1);
			}
		}
	}
	return brackets > 0;
}

/** Replaces each top-level block that is absurdly long or deeply nested by one token with its source. */
function withoutAbsurd(tokens: Token[], source: string, TokenClass: typeof Token): Token[] {
	const result: Token[] = [];
	let start = 0;
	let level = 0;
	let elements = 0;
	tokens.forEach((token, index) => {
		level = Math.max(level, token.level);
		elements += isElement(token) ? 1 : 0;
		if (token.level > 0 || token.nesting > 0) {
			return;
		}
		const group = tokens.slice(start, index + 1);
		const [begin, end] = group[0]?.map ?? [0, 0];
		// Lists, tables and code may be long.
		const long =
			/^(?:paragraph|heading|blockquote)_open$/.test(group[0]?.type ?? '') && source.length > MAXIMUM_BLOCK_LENGTH;
		const text =
			long || level > MAXIMUM_LEVEL || elements > MAXIMUM_ELEMENTS
				? source.split('\n').slice(begin, end).join('\n')
				: '';
		if (text !== '' && (!long || text.length > MAXIMUM_BLOCK_LENGTH)) {
			const plain = new TokenClass('plain', '', 0);
			plain.block = true;
			plain.map = [begin, end];
			plain.content = text.trim();
			result.push(plain);
		} else {
			for (const member of group) {
				result.push(member);
			}
		}
		start = index + 1;
		level = 0;
		elements = 0;
	});
	return result;
}

/** Counts items and cells. A block may have at most `MAXIMUM_ELEMENTS` of them. */
export function countElements(tokens: readonly Token[]): number {
	return tokens.filter(isElement).length;
}

function isElement({ type }: Token): boolean {
	return type === 'list_item_open' || type === 'td_open' || type === 'th_open';
}

function adaptBlock(token: Token): void {
	if (token.type === 'heading_open' || token.type === 'heading_close') {
		token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + HEADING_SHIFT)}`;
	}
	// The page's content security policy forbids style attributes.
	const alignment = ALIGNMENT.exec(String(token.attrGet('style') ?? ''))?.[1];
	if (token.attrs && (token.type === 'th_open' || token.type === 'td_open')) {
		token.attrs = alignment === undefined ? [] : [['class', `align-${alignment}`]];
	}
}

function adaptLinks(tokens: readonly Token[]): void {
	let depth = 0;
	for (const token of tokens) {
		if (token.type === 'link_open') {
			depth++;
			token.attrs = linkAttributesOf(String(token.attrGet('href') ?? ''));
		} else if (token.type === 'link_close') {
			depth--;
		} else if (token.type === 'image') {
			token.meta = { isInsideLink: depth > 0 };
		}
	}
}

/** The text of a link may say anything, so its address is shown on hover. */
function linkAttributesOf(address: string): [string, string][] {
	if (OPENABLE.test(address)) {
		return [
			['href', address],
			['title', address],
		];
	}
	const file = fileOf(address);
	return file === undefined
		? []
		: [
				['class', 'file'],
				['title', file],
			];
}

/** Returns an address that may name a file of the workspace; the host decides whether it does. */
function fileOf(address: string): string | undefined {
	try {
		const name = decodeURI(address);
		return looksLikeFile(name) ? name : undefined;
	} catch {
		return undefined;
	}
}

function linkAttributes(address: string, markdown: MarkdownIt): string {
	const escaped = markdown.utils.escapeHtml(address);
	return `href="${escaped}" title="${escaped}"`;
}
