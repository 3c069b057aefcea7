import type { FromPage } from '../protocol.ts';

/** Says something to the host. */
export type Post = (message: FromPage) => void;

/** What the page keeps for itself across being hidden or reloaded. */
export interface SavedState {
	draft: string;
	/** The turn as which the draft was sent, while the host has not said that it took it. */
	sentAs?: string;
	/** A message that is being changed, to be sent again. */
	edit?: Edit;
	/** The conversation that was shown. */
	conversation?: string;
	/** Absent while the reader is at the end. */
	reading?: ReadingPosition;
}

/** The turn whose message is changed, its text so far, and the turn as which it was sent. */
export interface Edit {
	turn: string;
	text: string;
	sentAs?: string;
}

/** The first turn in view, and by how many pixels it is scrolled out of it. */
export interface ReadingPosition {
	turn: string;
	offset: number;
}

/** What the editor gives to a page, by `acquireVsCodeApi()`. */
export interface PageHost {
	postMessage(message: FromPage): void;
	getState(): SavedState | undefined;
	setState(state: SavedState): void;
}
