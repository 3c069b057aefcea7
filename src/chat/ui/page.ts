import type { FromPage } from '../protocol/protocol.ts';

/** Says something to the host. */
export type Post = (message: FromPage) => void;

/** What the page keeps for itself across being hidden or reloaded. */
export interface SavedState {
	/** Milliseconds since the epoch: of two copies the newer one counts. */
	savedAt?: number;
	draft: string;
	/** The encrypted conversation that it was written in: it is for that one alone. */
	draftOf?: string;
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

/**
 * What a page goes on from: what its own window kept, else the newer one of the editor's copy and the host's. The copies
 * of the window and of the host are JSON.
 */
export function keptState(
	windows: string | undefined,
	editors: SavedState | undefined,
	hosts: string | undefined,
): SavedState {
	const own = readState(windows);
	if (own) {
		return own;
	}
	const kept = readState(hosts);
	const isNewer = kept !== undefined && (kept.savedAt ?? 0) > (editors?.savedAt ?? -1);
	return (isNewer ? kept : editors) ?? { draft: '' };
}

/** A copy that cannot be read is none. */
function readState(text: string | undefined): SavedState | undefined {
	try {
		const state = text === undefined ? undefined : JSON.parse(text);
		return typeof state?.draft === 'string' ? state : undefined;
	} catch {
		return undefined;
	}
}
