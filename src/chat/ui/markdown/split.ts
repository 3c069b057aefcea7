// Where a block that still grows can be cut, so that what stands before the cut need not be parsed again.
import type { Env, MarkdownIt } from 'markdown-it';
import { CODE_PART_END, CODE_PART_LINES, countElements, leavesInlineOpen } from '../markdown.ts';
import { groupTokens, looseness, type Pieces, type TokenGroup } from './pieces.ts';

export interface Cut {
	/** The parts before the cut. They stay as they are, whatever follows. */
	readonly settled: string[];
	/** Where the rest of the source begins. */
	readonly offset: number;
	/** Stands before the rest when it is parsed again, so that the rest means the same as after what was cut off. */
	readonly head: string;
	/** What `countElements` counts in the settled parts. */
	readonly elements: number;
}

/** A block that grows, as it was parsed last. */
export interface GrowingBlock {
	readonly group: TokenGroup;
	readonly pieces: Pieces;
	/** From the block's first line on; it begins with the head of the cut before, if there was one. */
	readonly source: string;
	/** Where the lines of `source` begin. The last line may not be whole yet. */
	readonly lineStarts: readonly number[];
	/** The head of the cut before. */
	readonly head: string;
	/** What was cut off a list makes it loose. */
	readonly isLoose: boolean;
}

/** A word takes the place of what was cut off a paragraph: what follows can then only go on with it. */
const LINE_HEAD = 'x\n';
const WORD_HEAD = 'x ';
export const PARAGRAPH_HEADS: readonly string[] = [LINE_HEAD, WORD_HEAD];

/** How much of a paragraph is settled: the end is the more likely to have something open. */
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

/** An item stays once another one begins after it on two whole lines: a line that is not whole may turn out otherwise. */
function cutList(block: GrowingBlock, markdown: MarkdownIt): Cut | undefined {
	const { group, pieces, lineStarts } = block;
	const last = pieces.lines.findLastIndex(line => line - group.line + 2 < lineStarts.length);
	// Whether the items are loose must show, because the items that follow are told.
	return looseness(group) === undefined || isLooseByChance(block, markdown) ? undefined : cutChildren(block, last, '');
}

/** Whether a list is loose by its last line alone, which is not whole: the item that begins there may be a rule. */
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

/** Before the item or row with the index `last`. */
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

/** After as many whole parts of the code as there are, so that what follows is divided as it is in the whole. */
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
	// What begins like a definition may become one, or several.
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

/** Before a word of the last line, where that line can be nothing but words: one that begins a list, say, may not. */
function wordCut({ source, head }: GrowingBlock, content: string, begin: number, limit: number): number | undefined {
	const lineBegin = Math.max(0, content.lastIndexOf('\n') + 1);
	const goesOn = lineBegin === 0 && head === WORD_HEAD;
	const first = goesOn ? 'x' : content.slice(lineBegin).trimStart().charAt(0);
	if (!/\p{L}/u.test(first) || source.indexOf('\n', begin + lineBegin) >= 0) {
		return undefined;
	}
	for (let end = Math.min(limit, content.length - 1); end > lineBegin + 1; end--) {
		if (content.charAt(end - 1) === ' ' && !/\s/.test(content.charAt(end))) {
			// The columns of what may be the head of a table are counted over the whole line.
			return content.slice(lineBegin, end).includes('|') ? undefined : end;
		}
	}
	return undefined;
}

/** Before the last line that has a whole line after it. */
function lineCut({ lineStarts }: GrowingBlock, content: string, begin: number): number | undefined {
	const start = lineStarts[lineStarts.length - 3];
	if (start === undefined || start <= begin || start - begin >= content.length) {
		return undefined;
	}
	const end = start - begin + (/^\s*/.exec(content.slice(start - begin))?.[0].length ?? 0);
	return end < content.length ? end : undefined;
}
