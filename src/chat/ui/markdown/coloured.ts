// What the page and the worker that colours code say to each other.
import type { LanguageName } from './languageNames.ts';

export interface ColourRequest {
	language: LanguageName;
	/** Pieces of one block, each coloured by itself. */
	slices: string[];
}

/** Undefined where the block is to stay plain, because it would have more colours than a page can lay out. */
export type ColourAnswer = Coloured[] | undefined;

/** A piece of code: its texts, and between them where a span begins, by the number of its class, or ends, by -1. */
export interface Coloured {
	classes: string[];
	parts: (string | number)[];
}
