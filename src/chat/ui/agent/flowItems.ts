import type { FlowPart } from './workFlow.ts';

/** The parts that a reply has only once, beside its text and steps. */
export const ASIDES = ['summary', 'thoughts', 'plan'] as const;
export type Aside = (typeof ASIDES)[number];

export type FlowItem = FlowPart | { readonly kind: Aside; readonly key: Aside };

/** The number of items in a block, which is laid out and painted only where it is in view. */
const ITEMS_OF_BLOCK = 16;

/** Gives the asides of a reply their places between its parts, and puts all of them into blocks. Nothing moves later. */
export class FlowItems {
	/** The keys of the parts that the asides came after. One that was there from the start comes after none. */
	private readonly places = new Map<Aside, string | undefined>();
	/** The keys of the items with which blocks begin. */
	private readonly begins = new Set<string>();

	/** `isWatched`: what is new comes while the reader watches, so that it goes to the end. */
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

	/** Groups the items. Each stays in its block, whatever is folded before it. */
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
