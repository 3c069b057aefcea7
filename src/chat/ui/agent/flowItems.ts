import type { FlowPart } from './workFlow.ts';

/** The parts that a reply has at most once, beside its text and steps. */
export const ASIDES = ['summary', 'thoughts', 'plan'] as const;
export type Aside = (typeof ASIDES)[number];

export type FlowItem = FlowPart | { readonly kind: Aside; readonly key: Aside };

/** The number of items in a block. A block is laid out and painted only while it is in view. */
const ITEMS_OF_BLOCK = 16;

/** Places the asides of a reply between its parts, and groups everything into blocks. Nothing moves later. */
export class FlowItems {
	/** The key of the part that each aside follows, or undefined for an aside that was there from the start. */
	private readonly places = new Map<Aside, string | undefined>();
	/** The keys of the items that begin a block. */
	private readonly begins = new Set<string>();

	/** With `isWatched`, the reader is watching, so a new aside goes to the end. */
	arrange(parts: readonly FlowPart[], asides: readonly Aside[], isWatched: boolean): FlowItem[] {
		const keys = new Set(parts.map(({ key }) => key));
		for (const aside of ASIDES) {
			const place = this.places.get(aside);
			if (!asides.includes(aside) || (place !== undefined && !keys.has(place))) {
				this.places.delete(aside);
			}
			if (asides.includes(aside) && !this.places.has(aside)) {
				this.places.set(aside, isWatched && place === undefined ? parts.at(-1)?.key : undefined);
			}
		}
		return [...this.asidesAfter(undefined), ...parts.flatMap(part => [part, ...this.asidesAfter(part.key)])];
	}

	/** Groups the items. Each stays in its block, even if items before it are folded. */
	blocksOf(items: readonly FlowItem[]): FlowItem[][] {
		const blocks: FlowItem[][] = [];
		for (const item of items) {
			const last = blocks.at(-1);
			if (last && last.length < ITEMS_OF_BLOCK && !this.begins.has(item.key)) {
				last.push(item);
			} else {
				this.begins.add(item.key);
				blocks.push([item]);
			}
		}
		return blocks;
	}

	private asidesAfter(key: string | undefined): FlowItem[] {
		return ASIDES.filter(aside => this.places.has(aside) && this.places.get(aside) === key).map(aside => ({
			kind: aside,
			key: aside,
		}));
	}
}
