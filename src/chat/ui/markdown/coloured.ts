// The messages between the page and the worker that highlights code.
import type { LanguageName } from './languageNames.ts';

export interface ColourRequest {
	language: LanguageName;
	/** Slices of one block, each highlighted on its own. */
	slices: string[];
}

/** Undefined if the block stays plain, because it would have more spans than a page can lay out. */
export type ColourAnswer = Coloured[] | undefined;

/**
 * A piece of highlighted code: its texts, and between them the starts of spans, as the number of their class, and their
 * ends, as -1.
 */
export interface Coloured {
	classes: string[];
	parts: (string | number)[];
}
