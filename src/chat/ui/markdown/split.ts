// Finds the place to cut a growing block, so that everything before the cut need not be parsed again.
import type { Env, MarkdownIt } from 'markdown-it';
import { CODE_PART_END, CODE_PART_LINES, countElements, leavesInlineOpen } from '../markdown.ts';
import { groupTokens, looseness, type Pieces, type TokenGroup } from './pieces.ts';

export interface Cut {
	/** The parts before the cut. They do not change, whatever follows. */
	readonly settled: string[];
	/** The offset of the rest of the source. */
	readonly offset: number;
	/**
	 * Text that is put before the rest when it is parsed again, so that the rest means the same as in the whole block.
	 */
	readonly head: string;
	/** The number of elements in the settled parts, as `countElements` counts them. */
	readonly elements: number;
}

/** A growing block as it was last parsed. */
export interface GrowingBlock {
	readonly group: TokenGroup;
	readonly pieces: Pieces;
	/** The source from the block's first line on. It begins with the head of the previous cut, if there was one. */
	readonly source: string;
	/** The offsets of the lines in `source`. The last line may be incomplete. */
	readonly lineStarts: readonly number[];
	/** The head of the previous cut. */
	readonly head: string;
	/** Set if the part that was cut off makes the list loose. */
	readonly isLoose: boolean;
}

/** A word replaces the part that was cut off a paragraph, so that the rest can only continue the paragraph. */
const LINE_HEAD = 'x\n';
const WORD_HEAD = 'x ';
export const PARAGRAPH_HEADS: readonly string[] = [LINE_HEAD, WORD_HEAD];

/** The shares of a paragraph at which a cut is tried. The end is more likely to leave something open. */
const SHARES = [7 / 8, 1 / 2];

export function findCut(block: GrowingBlock, markdown: MarkdownIt, references: Env['references']): Cut | undefined {
	switch (block.pieces.kind) {
		case 'list':
			return cutList(block, markdown);
		case 'table':
			return cutTable(block);
		case 'fence':
			return cutFence(block);
		case 'paragraph':
			return cutParagraph(block, markdown, references);
		case 'other':
			return undefined;
	}
}

/**
 * An item is final once another one begins after it on two whole lines. An incomplete line may turn out differently.
 */
function cutList(block: GrowingBlock, markdown: MarkdownIt): Cut | undefined {
	const { group, pieces, lineStarts } = block;
	const last = pieces.lines.findLastIndex(line => line - group.line + 2 < lineStarts.length);
	// The items must show whether they are loose, because the cut passes this on to the following items.
	return looseness(group) === undefined || isLooseByChance(block, markdown) ? undefined : cutChildren(block, last, '');
}

/** Returns whether only the incomplete last line makes a list loose; the item that begins there may become a rule. */
function isLooseByChance({ group, source, lineStarts, isLoose }: GrowingBlock, markdown: MarkdownIt): boolean {
	if (isLoose || !looseness(group) || source.endsWith('\n')) {
		return false;
	}
	const [whole] = groupTokens(markdown.parse(source.slice(0, lineStarts.at(-1)), {}));
	return whole === undefined || !looseness(whole);
}

function cutTable(block: GrowingBlock): Cut | undefined {
	const { group, pieces, source, lineStarts } = block;
	const last = pieces.lines.findLastIndex(line => line - group.line + 1 < lineStarts.length);
	return cutChildren(block, last, source.slice(0, lineStarts[2]));
}

/** Cuts before the item or row with the index `last`. */
function cutChildren({ group, pieces, lineStarts }: GrowingBlock, last: number, head: string): Cut | undefined {
	const line = pieces.lines[last];
	if (line === undefined || last === 0) {
		return undefined;
	}
	const body = group.tokens.slice(group.tokens.findIndex(({ type }) => type === 'tbody_open') + 1);
	return {
		settled: pieces.parts.slice(0, last),
		offset: lineStarts[line - group.line] ?? 0,
		head,
		elements: countElements(
			body.slice(
				0,
				body.findIndex(token => token.level <= 2 && token.map?.[0] === line),
			),
		),
	};
}

/** Cuts after the last whole part of the code, so that the rest is divided as it is in the whole block. */
function cutFence({ group, pieces, source, lineStarts }: GrowingBlock): Cut | undefined {
	const whole = (group.tokens[0]?.content ?? '').split('\n').length - 2;
	const parts = Math.floor(whole / CODE_PART_LINES);
	const html = pieces.parts[0] ?? '';
	let end = 0;
	for (let part = 0; part < parts; part++) {
		end = html.indexOf(CODE_PART_END, end) + CODE_PART_END.length;
	}
	return parts > 0
		? {
				settled: [html.slice(0, end)],
				offset: lineStarts[parts * CODE_PART_LINES + 1] ?? 0,
				head: source.slice(0, lineStarts[1]),
				elements: 0,
			}
		: undefined;
}

function cutParagraph(block: GrowingBlock, markdown: MarkdownIt, references: Env['references']): Cut | undefined {
	const { group, source, head } = block;
	const content = group.tokens[1]?.content ?? '';
	const begin = head.length + (/^\s*/.exec(source.slice(head.length))?.[0].length ?? 0);
	// Text that begins like a definition may become one or several.
	if (!source.startsWith(content, begin) || (head === '' && content.startsWith('['))) {
		return undefined;
	}
	for (const share of SHARES) {
		const limit = Math.floor(content.length * share);
		const end = wordCut(block, content, begin, limit) ?? lineCut(block, content, begin);
		if (end !== undefined) {
			const environment: Env = { references: Object.create(references ?? null) };
			const settled = markdown.renderInline(content.slice(0, end), environment);
			if (!leavesInlineOpen(environment)) {
				const lineBegin = source.lastIndexOf('\n', begin + end - 1) + 1;
				const wholeLines = lineBegin > 0 && source.slice(lineBegin, begin + end).trim() === '';
				return wholeLines
					? { settled: [settled], offset: lineBegin, head: LINE_HEAD, elements: 0 }
					: { settled: [settled], offset: begin + end, head: WORD_HEAD, elements: 0 };
			}
		}
	}
	return undefined;
}

/**
 * Cuts before a word of the last line if that line can only be words. A line that begins a list, for example, is not
 * cut.
 */
function wordCut({ source, head }: GrowingBlock, content: string, begin: number, limit: number): number | undefined {
	const lineBegin = Math.max(0, content.lastIndexOf('\n') + 1);
	const goesOn = lineBegin === 0 && head === WORD_HEAD;
	const first = goesOn ? 'x' : content.slice(lineBegin).trimStart().charAt(0);
	if (!/\p{L}/u.test(first) || source.indexOf('\n', begin + lineBegin) >= 0) {
		return undefined;
	}
	for (let end = Math.min(limit, content.length - 1); end > lineBegin + 1; end--) {
		if (content.charAt(end - 1) === ' ' && !/\s/.test(content.charAt(end))) {
			// A line that may be the head of a table is not cut, because its columns are counted over the whole line.
			return content.slice(lineBegin, end).includes('|') ? undefined : end;
		}
	}
	return undefined;
}

/** Cuts before the last line that is followed by a whole line. */
function lineCut({ lineStarts }: GrowingBlock, content: string, begin: number): number | undefined {
	const start = lineStarts[lineStarts.length - 3];
	if (start === undefined || start <= begin || start - begin >= content.length) {
		return undefined;
	}
	const end = start - begin + (/^\s*/.exec(content.slice(start - begin))?.[0].length ?? 0);
	return end < content.length ? end : undefined;
}
