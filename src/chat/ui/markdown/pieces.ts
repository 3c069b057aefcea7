// Renders the tokens of a block as pieces of HTML: one for each item of a list, row of a table or stretch of text.
import type { Env, MarkdownIt, Token } from 'markdown-it';

/** The tokens of one top-level block. */
export interface TokenGroup {
	readonly tokens: Token[];
	/** The line of the parsed text on which the block begins. */
	readonly line: number;
}

export type PieceKind = 'list' | 'table' | 'fence' | 'paragraph' | 'other';

/** `open`, the parts and `close`, joined, are the block's HTML. */
export interface Pieces {
	readonly kind: PieceKind;
	readonly open: string;
	readonly parts: string[];
	/** The first line of each part of a list or a table. */
	readonly lines: number[];
	readonly close: string;
}

export function groupTokens(tokens: readonly Token[]): TokenGroup[] {
	const groups: TokenGroup[] = [];
	let start = 0;
	let depth = 0;
	tokens.forEach((token, index) => {
		depth += token.nesting;
		if (depth === 0) {
			const group = tokens.slice(start, index + 1);
			groups.push({ tokens: group, line: group[0]?.map?.[0] ?? 0 });
			start = index + 1;
		}
	});
	return groups;
}

function kindOf(group: TokenGroup): PieceKind {
	switch (group.tokens[0]?.type) {
		case 'bullet_list_open':
		case 'ordered_list_open':
			return 'list';
		case 'table_open':
			return group.tokens.some(({ type }) => type === 'tbody_open') ? 'table' : 'other';
		case 'fence':
			return 'fence';
		case 'paragraph_open':
			return 'paragraph';
		default:
			return 'other';
	}
}

export function toPieces(markdown: MarkdownIt, group: TokenGroup, environment: Env): Pieces {
	const { tokens } = group;
	const render = (start: number, end: number) =>
		markdown.renderer.render(tokens.slice(start, end), markdown.options, environment);
	const kind = kindOf(group);
	switch (kind) {
		case 'list': {
			const { parts, lines } = children(tokens, 1, render);
			const open = markdown.renderer.renderToken(tokens, 0, markdown.options);
			return { kind, open, parts, lines, close: render(tokens.length - 1, tokens.length) };
		}
		case 'table': {
			const body = tokens.findIndex(({ type }) => type === 'tbody_open');
			const { parts, lines } = children(tokens, body + 1, render);
			return {
				kind,
				// One more token is rendered, because a tag depends on what follows it; its own tag is cut off again.
				open: render(0, body) + markdown.renderer.renderToken(tokens, body, markdown.options),
				parts,
				lines,
				close: render(tokens.length - 2, tokens.length),
			};
		}
		case 'fence': {
			const html = render(0, 1);
			const begin = html.indexOf('>', '<pre>'.length) + 1;
			const end = html.length - '</code></pre>\n'.length;
			return { kind, open: html.slice(0, begin), parts: [html.slice(begin, end)], lines: [], close: html.slice(end) };
		}
		case 'paragraph':
			return { kind, open: '<p>', parts: [render(1, 2)], lines: [], close: '</p>\n' };
		case 'other':
			return { kind, open: '', parts: [render(0, tokens.length)], lines: [], close: '' };
	}
}

/** Renders the elements from `start` to the end of their parent. */
function children(tokens: readonly Token[], start: number, render: (start: number, end: number) => string) {
	const parts: string[] = [];
	const lines: number[] = [];
	let begin = start;
	let depth = 0;
	for (let index = start; index < tokens.length; index++) {
		depth += tokens[index]?.nesting ?? 0;
		if (depth < 0) {
			break;
		}
		if (depth === 0) {
			parts.push(render(begin, index + 1));
			lines.push(tokens[begin]?.map?.[0] ?? 0);
			begin = index + 1;
		}
	}
	return { parts, lines };
}

/**
 * Returns whether a list is loose, or undefined if none of its items shows it. Only the paragraphs of a loose list are
 * elements.
 */
export function looseness(group: TokenGroup): boolean | undefined {
	const paragraph = group.tokens.find(({ type, level }) => type === 'paragraph_open' && level === 2);
	return paragraph && !paragraph.hidden;
}

/** Makes a list loose, whatever is between these items. */
export function loosen(group: TokenGroup): void {
	for (const token of group.tokens) {
		if (token.level === 2 && (token.type === 'paragraph_open' || token.type === 'paragraph_close')) {
			token.hidden = false;
		}
	}
}
