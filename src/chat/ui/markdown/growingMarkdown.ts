import type { Env, MarkdownIt } from 'markdown-it';
import { append } from '../../../base/append.ts';
import { countElements, MAXIMUM_BLOCK_LENGTH, MAXIMUM_ELEMENTS, skipHead } from '../markdown.ts';
import { groupTokens, loosen, looseness, type PieceKind, type TokenGroup, toPieces } from './pieces.ts';
import { findCut, PARAGRAPH_HEADS } from './split.ts';

const CUT_LENGTH = 2_048;

/** The most text that is parsed again as a whole to decide whether a cut list is loose, in UTF-16 code units. */
const MAXIMUM_WHOLE = 16_384;

/** The HTML of one block: `open`, the parts and `close`, joined. */
export interface Block {
	kind: PieceKind;
	open: string;
	parts: string[];
	close: string;
}

interface DoneBlock extends Block {
	/** The source of a block that may use a definition; `definitions` is how many were known when it was rendered. */
	source?: string;
	definitions: number;
}

/** The growing block after its beginning was cut off. */
interface Container {
	readonly block: DoneBlock;
	/** The number of parts that are final. */
	settled: number;
	/** The source that was cut off. */
	source: string;
	head: string;
	markup: string;
	/** The number of elements in the final parts, as `countElements` counts them. */
	elements: number;
	/** Set if the part that was cut off makes the list loose, whatever follows. */
	isLoose: boolean;
	/** True if the final parts are rendered as loose; an incomplete last line may make a list loose for a moment. */
	isShownLoose: boolean;
}

/**
 * Renders a text that grows at its end, block by block. Only the end is parsed again: a block that can no longer change
 * is done, and a long block is cut where everything before the cut is final. When the text has ended, the blocks are
 * exactly what rendering the whole text gives; until then, only links whose definition comes later are missing.
 */
export class GrowingMarkdown {
	/** The blocks before `done` do not change until the text has ended. */
	readonly blocks: Block[] = [];
	done = 0;

	private readonly markdown: MarkdownIt;
	private readonly references: NonNullable<Env['references']> = Object.create(null);
	private definitions = 0;
	private rest = '';
	private endsInReturn = false;
	private container: Container | undefined;
	/** Set when a cut turned out to be wrong, until the block is done. */
	private whole = false;
	/** After an attempt to cut has failed, the next one is made when the rest has this length. */
	private nextCutLength: number;
	private readonly cutLength: number;

	/** A block is cut when more than `cutLength` UTF-16 code units of it would be parsed again for each word. */
	constructor(markdown: MarkdownIt, cutLength = CUT_LENGTH) {
		this.markdown = markdown;
		this.cutLength = cutLength;
		this.nextCutLength = cutLength;
	}

	/** The number of UTF-16 code units that would be parsed again for the next word. */
	get unsettled(): number {
		return this.rest.length;
	}

	append(text: string): void {
		if (text !== '') {
			const normalised = text.replace(/\r\n?/g, '\n');
			// The carriage return has already ended the line.
			this.rest += this.endsInReturn && text.startsWith('\n') ? normalised.slice(1) : normalised;
			this.endsInReturn = text.endsWith('\r');
			this.parse(false);
		}
	}

	/** Ends the text; nothing may be appended afterwards. `refresh` must then be called until it returns undefined. */
	end(): void {
		this.parse(true);
	}

	/** Renders one block again whose definitions came later. Returns its index, or undefined if there is none left. */
	refresh(): number | undefined {
		const index = this.blocks.findIndex(block => isStale(block as DoneBlock, this.definitions));
		const block = this.blocks[index] as DoneBlock | undefined;
		if (block?.source !== undefined) {
			block.definitions = this.definitions;
			const environment: Env = { references: Object.create(this.references) };
			const group = groupTokens(this.markdown.parse(block.source, environment))[0];
			if (group) {
				Object.assign(block, this.render(group, environment));
			}
			return index;
		}
		return undefined;
	}

	private parse(final: boolean): void {
		const { container } = this;
		const head = container?.head ?? '';
		const source = head + this.rest;
		const environment: Env = { references: Object.create(this.references) };
		if (PARAGRAPH_HEADS.includes(head)) {
			skipHead(environment, head.length);
		}
		const groups = groupTokens(this.markdown.parse(source, environment));
		const lineStarts = findLineStarts(source);
		// It takes two whole lines to see that a block such as a table begins and that the one before it is done.
		const done = final
			? groups.length
			: Math.max(
					0,
					groups.findLastIndex(group => group.line + 2 < lineStarts.length),
				);
		if (container && !this.goesOn(container, groups[0], done > 0)) {
			this.startOver(container);
			this.parse(final);
			return;
		}
		const found = Object.keys(environment.references ?? {}).length;
		this.blocks.length = this.done;
		groups.forEach((group, index) => {
			const goesOn = index === 0 && container !== undefined;
			const block = goesOn ? this.continue(container, group, environment) : this.render(group, environment);
			// A definition at the end of this text may still grow.
			block.definitions = found > 0 ? -1 : Math.min(block.definitions, this.definitions);
			this.blocks.push(block);
		});
		this.keepDone(groups, done, source, lineStarts, found > 0, final);
		const growing = groups[done];
		if (growing && done === groups.length - 1 && !this.whole && this.rest.length >= this.nextCutLength) {
			this.cut(growing, source, lineStarts, found > 0);
		}
	}

	private render(group: TokenGroup, environment: Env): DoneBlock {
		const { kind, open, parts, close } = toPieces(this.markdown, group, environment);
		return { kind, open, parts, close, definitions: this.definitions };
	}

	/** Returns whether the text after a cut continues the block, as was assumed. */
	private goesOn(container: Container, group: TokenGroup | undefined, done: boolean): boolean {
		const first = group?.tokens[0];
		if (!group || !first || group.line !== 0) {
			return false;
		}
		switch (container.block.kind) {
			case 'list':
				return (
					first.type.endsWith('_list_open') &&
					first.markup === container.markup &&
					container.elements + countElements(group.tokens) <= MAXIMUM_ELEMENTS &&
					// Two items that do not show whether they are loose may still make all the others loose.
					!(done && looseness(group) === undefined)
				);
			case 'table':
				return (
					first.type === 'table_open' &&
					group.tokens.some(({ type }) => type === 'tbody_open') &&
					container.elements + countElements(group.tokens) <= MAXIMUM_ELEMENTS
				);
			case 'fence':
				return first.type === 'fence';
			default:
				return (
					first.type === 'paragraph_open' &&
					// Only the head is left if the text after the cut now begins another block, such as a table.
					group.tokens[1]?.content !== '' &&
					container.source.length + this.rest.length <= MAXIMUM_BLOCK_LENGTH
				);
		}
	}

	private startOver(container: Container): void {
		this.rest = container.source + this.rest;
		this.container = undefined;
		this.whole = true;
	}

	private continue(container: Container, group: TokenGroup, environment: Env): DoneBlock {
		const { block } = container;
		if (block.kind === 'list') {
			this.agreeOnLooseness(container, group);
		}
		const { parts } = toPieces(this.markdown, group, environment);
		block.parts.length = container.settled;
		for (const part of parts) {
			block.parts.push(part);
		}
		return block;
	}

	private agreeOnLooseness(container: Container, group: TokenGroup): void {
		const isLoose = container.isLoose || (looseness(group) ?? this.isLooseAsWhole(container));
		if (isLoose) {
			loosen(group);
		}
		if (isLoose !== container.isShownLoose) {
			container.isShownLoose = isLoose;
			const environment: Env = { references: Object.create(this.references) };
			const items = groupTokens(this.markdown.parse(container.source, environment))[0];
			if (items) {
				if (isLoose) {
					loosen(items);
				}
				const { parts } = toPieces(this.markdown, items, environment);
				container.block.parts = [...parts, ...container.block.parts.slice(container.settled)];
			}
		}
	}

	/**
	 * Items without a paragraph, such as empty ones, do not show whether the blank lines between them make the others
	 * loose.
	 */
	private isLooseAsWhole({ source }: Container): boolean {
		const text = source + this.rest;
		if (text.length > MAXIMUM_WHOLE || !/\n[ \t]*\n/.test(this.rest)) {
			return false;
		}
		const [whole] = groupTokens(this.markdown.parse(text, {}));
		return whole !== undefined && looseness(whole) === true;
	}

	private keepDone(
		groups: readonly TokenGroup[],
		done: number,
		source: string,
		lineStarts: readonly number[],
		withDefinitions: boolean,
		final: boolean,
	): void {
		if (done === 0 && !final) {
			return;
		}
		const { container } = this;
		const startOf = (index: number) => {
			const group = groups[index];
			return group ? (lineStarts[group.line] ?? 0) : source.length;
		};
		for (let index = 0; index < done; index++) {
			const own = source.slice(startOf(index), startOf(index + 1));
			const text = index === 0 && container ? container.source + own.slice(container.head.length) : own;
			if (text.includes('[')) {
				(this.blocks[this.done + index] as DoneBlock).source = text;
			}
		}
		const end = final ? source.length : startOf(done);
		if (withDefinitions) {
			this.learn(source.slice(0, end));
		}
		this.done += done;
		this.rest = source.slice(end);
		this.container = undefined;
		this.whole = false;
		this.nextCutLength = this.cutLength;
	}

	private learn(source: string): void {
		this.markdown.parse(source, { references: this.references });
		this.definitions = Object.keys(this.references).length;
	}

	private cut(group: TokenGroup, source: string, lineStarts: readonly number[], withDefinitions: boolean): void {
		const start = lineStarts[group.line] ?? 0;
		const block = this.blocks[this.done] as DoneBlock;
		const { container } = this;
		const head = container?.head ?? '';
		const parts = container ? block.parts.slice(container.settled) : block.parts;
		const pieces = { ...toPieces(this.markdown, group, { references: this.references }), parts };
		const growing = {
			group,
			pieces,
			source: source.slice(start),
			lineStarts: lineStarts.slice(group.line).map(offset => offset - start),
			head,
			isLoose: container?.isLoose ?? false,
		};
		// The text after a definition may still turn out to be its title.
		const afterDefinition = start > 0 && pieces.kind === 'paragraph';
		const cut = afterDefinition ? undefined : findCut(growing, this.markdown, this.references);
		if (!cut) {
			this.nextCutLength = this.rest.length * 1.25;
			return;
		}
		const cutSource = growing.source.slice(head.length, cut.offset);
		const rest = growing.source.slice(cut.offset);
		if (withDefinitions) {
			// Definitions come before the block or in one of its items. In code, nothing is a definition.
			this.learn(source.slice(0, start) + (pieces.kind === 'list' ? cutSource : ''));
		}
		const settled = (container?.settled ?? 0) + cut.settled.length;
		const isLoose = looseness(group) ?? false;
		if (pieces.kind === 'fence' || pieces.kind === 'paragraph') {
			const open = block.parts.splice(container?.settled ?? 0);
			append(block.parts, [...cut.settled, '', ...open.slice(1)]);
		}
		this.container = {
			block,
			settled,
			source: (container?.source ?? '') + cutSource,
			head: cut.head,
			markup: group.tokens[0]?.markup ?? '',
			elements: (container?.elements ?? 0) + cut.elements,
			...{ isLoose, isShownLoose: isLoose },
		};
		this.rest = rest;
		this.nextCutLength = this.cutLength;
		if (pieces.kind === 'fence' || pieces.kind === 'paragraph') {
			this.parse(false);
		}
	}
}

function isStale(block: DoneBlock, definitions: number): boolean {
	return block.source !== undefined && block.definitions !== definitions;
}

function findLineStarts(text: string): number[] {
	const starts = [0];
	for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
		starts.push(at + 1);
	}
	return starts;
}
