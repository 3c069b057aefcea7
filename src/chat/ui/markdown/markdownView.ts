import { append } from '../../../base/append.ts';
import { leftOutText, sharedMarkdown } from '../markdown.ts';
import { sanitise } from '../sanitise.ts';
import type { Frames } from './frames.ts';
import { type Block, GrowingMarkdown } from './growingMarkdown.ts';
import { patchNodes } from './patch.ts';
import type { PieceKind } from './pieces.ts';
import { Sections } from './sections.ts';

/** The maximum duration of one task before the next one begins, in milliseconds. */
const WORK_MS = 8;

/** The length that is parsed at a time, in UTF-16 code units. */
const STEP_LENGTH = 1_024;

/** After a long task, the view rests for this many times its duration before it shows more. */
const REST_FACTOR = 3;

/**
 * Text after this many UTF-16 code units or blocks is not shown. That is about the longest reply that a model gives.
 */
const MAXIMUM_SHOWN = 500_000;
const MAXIMUM_BLOCKS = 5_000;

/** The selector of the element that contains the parts of a block. */
const HOLDERS: Record<PieceKind, string> = {
	list: 'ul, ol',
	table: 'tbody',
	fence: 'code',
	paragraph: 'p',
	other: '',
};

/**
 * The browser determines the direction of a block again whenever a node is added to it or removed. A block that gets
 * more than this number of nodes at once has no direction until all of them have been added.
 */
const MANY_NODES = 100;

interface ShownBlock {
	open: string;
	/** The top-level nodes, including frames. */
	nodes: ChildNode[];
	/** Undefined if the parts are top-level nodes themselves. */
	holder: Element | undefined;
	parts: { html: string; nodes: ChildNode[] }[];
}

/**
 * Shows a growing Markdown text. Only what changed is touched, and no task takes long, however much there is to show.
 */
export class MarkdownView {
	private readonly content: HTMLElement;
	private readonly sections: Sections;
	private readonly frames: Frames;
	/** Called when a complete text is shown to its end. */
	onSettled: () => void = () => {};
	private readonly onDone: (nodes: readonly ChildNode[]) => void;
	private growing: GrowingMarkdown;
	private shown: ShownBlock[] = [];
	private text = '';
	private parsed = 0;
	private more = false;
	private ended = false;
	/** The index of the first block that `onDone` has not been called for. */
	private told = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private restUntil = 0;

	/** `onDone` gets the nodes of blocks that are final, and of those that changed once more after that. */
	constructor(content: HTMLElement, frames: Frames, onDone: (nodes: readonly ChildNode[]) => void) {
		this.content = content;
		this.sections = new Sections(content);
		this.frames = frames;
		this.onDone = onDone;
		this.growing = new GrowingMarkdown(sharedMarkdown());
	}

	/** With `more`, the text will continue. */
	update(text: string, more: boolean): void {
		if (this.ended || !text.startsWith(this.text)) {
			if (this.ended && !more && text === this.text) {
				return;
			}
			this.reset();
		}
		this.text = text;
		this.more = more;
		if (this.timer === undefined) {
			const wait = this.restUntil - performance.now();
			if (more && wait > 0) {
				this.schedule(wait);
			} else {
				this.work();
			}
		}
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
	}

	private schedule(delay: number): void {
		this.timer = setTimeout(() => {
			this.timer = undefined;
			this.work();
		}, delay);
	}

	private work(): void {
		const begin = performance.now();
		let left = true;
		while (left && performance.now() - begin < WORK_MS) {
			left = this.step();
		}
		const end = performance.now();
		this.restUntil = end - begin > WORK_MS ? end + (end - begin) * REST_FACTOR : 0;
		if (left) {
			this.schedule(0);
		}
	}

	/** Returns whether there is more to do. */
	private step(): boolean {
		const { growing } = this;
		const length = growing.done < MAXIMUM_BLOCKS ? Math.min(this.text.length, MAXIMUM_SHOWN) : this.parsed;
		if (this.parsed < length) {
			// A block that cannot be cut is parsed as a whole in each step, so the steps grow with it.
			const end = Math.min(length, this.parsed + Math.max(STEP_LENGTH, Math.ceil(growing.unsettled / 4)));
			this.showFrom(() => growing.append(this.text.slice(this.parsed, end)));
			this.parsed = end;
			return this.parsed < length || !this.more;
		}
		if (this.more) {
			return false;
		}
		if (!this.ended) {
			this.ended = true;
			this.showFrom(() => growing.end());
			this.showNote();
			return true;
		}
		const index = growing.refresh();
		if (index === undefined) {
			this.onSettled();
			return false;
		}
		this.show(index);
		this.onDone(this.shown[index]?.nodes ?? []);
		return true;
	}

	/** Runs `change` and shows its effect on the blocks. */
	private showFrom(change: () => void): void {
		const { growing } = this;
		const first = growing.done;
		change();
		for (const block of this.shown.splice(growing.blocks.length)) {
			for (const node of block.nodes) {
				node.remove();
			}
		}
		for (let index = first; index < growing.blocks.length; index++) {
			this.show(index);
		}
		for (; this.told < growing.done; this.told++) {
			this.onDone(this.shown[this.told]?.nodes ?? []);
		}
		if (this.more) {
			this.sections.settle(growing.done);
		}
	}

	private show(index: number): void {
		const block = this.growing.blocks[index];
		const shown = this.shown[index];
		if (!block) {
			return;
		}
		if (shown && shown.open === block.open && (shown.holder === undefined) === (block.open === '')) {
			this.patchParts(shown, block, index);
			return;
		}
		const created = create(block, this.frames);
		this.setDirection(created.shown.nodes);
		this.sections.of(index).insertBefore(created.fragment, shown?.nodes[0] ?? this.after(index));
		for (const node of shown?.nodes ?? []) {
			node.remove();
		}
		this.shown[index] = created.shown;
	}

	/** Returns the node behind a block in its section. */
	private after(index: number): ChildNode | null {
		const next = this.shown[index + 1]?.nodes[0];
		return next?.parentNode === this.sections.of(index) ? next : null;
	}

	private patchParts(shown: ShownBlock, block: Block, index: number): void {
		let same = 0;
		while (same < block.parts.length && block.parts[same] === shown.parts[same]?.html) {
			same++;
		}
		if (same === block.parts.length && same === shown.parts.length) {
			return;
		}
		const fresh = partNodes(block, same);
		const old = shown.parts.splice(same).flatMap(({ nodes }) => nodes);
		const parent = shown.holder ?? this.sections.of(index);
		const before = shown.holder ? null : this.after(index);
		const added = fresh.flat();
		if (added.length > MANY_NODES) {
			this.setDirection(shown.nodes, '');
		}
		const nodes = patchNodes(parent, old, added, before, this.frames);
		let begin = 0;
		fresh.forEach((part, index) => {
			const end = begin + part.length;
			shown.parts.push({ html: block.parts[same + index] ?? '', nodes: nodes.slice(begin, end) });
			begin = end;
		});
		if (!shown.holder) {
			shown.nodes = nodes;
		}
		this.setDirection(shown.nodes);
	}

	/**
	 * Sets the direction of each block. `auto` is that of the block's first words, not counting code, which always runs
	 * from left to right.
	 */
	private setDirection(nodes: readonly ChildNode[], direction: 'auto' | '' = 'auto'): void {
		for (const node of nodes) {
			const block = this.frames.undecorated(node);
			if (block instanceof HTMLElement && block.localName !== 'pre' && block.dir !== direction) {
				block.dir = direction;
			}
		}
	}

	private showNote(): void {
		const left = this.text.length - this.parsed;
		if (left > 0) {
			const note = document.createElement('p');
			note.className = 'note';
			note.textContent = leftOutText(left);
			this.content.append(note);
		}
	}

	private reset(): void {
		this.dispose();
		this.sections.clear();
		this.growing = new GrowingMarkdown(sharedMarkdown());
		this.shown = [];
		this.text = '';
		this.parsed = 0;
		this.ended = false;
		this.told = 0;
		this.restUntil = 0;
	}
}

/** Returns the nodes of the parts from `start` on, as they are within their block. */
function partNodes(block: Block, start: number): ChildNode[][] {
	const { kind, open, parts, close } = block;
	const nodesOf = (html: string) => {
		const fragment = sanitise(open + html + close);
		return [...(holderIn(fragment, block) ?? fragment).childNodes];
	};
	return kind === 'list' || kind === 'table'
		? byPart(nodesOf(parts.slice(start).join('')))
		: // One by one, because texts that meet become one.
			parts.slice(start).map(nodesOf);
}

/**
 * Groups nodes by part. A list begins with a line break, and each part is an element and a line break. The same holds
 * for the rows of a table.
 */
function byPart(nodes: readonly ChildNode[]): ChildNode[][] {
	return Array.from({ length: (nodes.length - 1) / 2 }, (_, index) => nodes.slice(2 * index + 1, 2 * index + 3));
}

function holderIn(fragment: DocumentFragment, { kind, open }: Block): Element | undefined {
	return open === '' ? undefined : (fragment.querySelector(HOLDERS[kind]) ?? undefined);
}

function create(block: Block, frames: Frames): { fragment: DocumentFragment; shown: ShownBlock } {
	const { kind, open, parts, close } = block;
	const [first = '', ...others] = kind === 'list' || kind === 'table' ? [parts.join('')] : parts;
	const fragment = sanitise(open + first + close);
	const holder = holderIn(fragment, block);
	for (const node of [...fragment.childNodes]) {
		frames.decorate(node);
	}
	const nodes = [...(holder ?? fragment).childNodes];
	const nodesOfParts = kind === 'list' || kind === 'table' ? byPart(nodes) : [nodes];
	if (holder && others.length > 0) {
		const added = partNodes(block, 1);
		for (const nodes of added) {
			holder.append(...nodes);
		}
		append(nodesOfParts, added);
	}
	const shownParts = nodesOfParts.map((own, index) => ({ html: parts[index] ?? '', nodes: own }));
	return { fragment, shown: { open, nodes: [...fragment.childNodes], holder, parts: shownParts } };
}
