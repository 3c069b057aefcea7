import type { FromPage } from '../protocol/protocol.ts';

/** Posts a message to the host. */
export type Post = (message: FromPage) => void;

/** Text that the host has not accepted yet. */
export interface Draft {
	text: string;
	/** The id of the turn for which it was sent. */
	sentAs?: string;
	/** Set if the draft is the prompt of a task. */
	task?: true;
	/** Text from elsewhere that came while the draft was being sent. It goes below it, or replaces it once accepted. */
	next?: string;
}

/** The state that the page keeps while it is hidden or reloaded. */
export interface SavedState extends Omit<Draft, 'text'> {
	/** Milliseconds since the epoch. The newer of two copies is used. */
	savedAt?: number;
	draft: string;
	/** The encrypted conversation in which the draft was written. It may be sent only there. */
	draftOf?: string;
	/** A message that is being edited to be sent again. */
	edit?: MessageEdit;
	/** The conversation that was shown. */
	conversation?: string;
	/** Absent while the reader is at the end. */
	reading?: ReadingPosition;
}

/** The turn whose message is being edited, the text so far, and the turn for which it was sent. */
export interface MessageEdit {
	turn: string;
	text: string;
	sentAs?: string;
}

/** The first turn in view, and by how many pixels its top is scrolled out of view. */
export interface ReadingPosition {
	turn: string;
	offset: number;
}

/** The API that the editor gives to a page through `acquireVsCodeApi()`. */
export interface PageHost {
	postMessage(message: FromPage): void;
	getState(): SavedState | undefined;
	setState(state: SavedState): void;
}

/**
 * Returns the initial state of a page: that of its own window or, without one, the newer of the editor's copy and the
 * host's. The copies of the window and of the host are JSON.
 */
export function initialState(
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

/** Returns undefined if the copy cannot be read. */
function readState(text: string | undefined): SavedState | undefined {
	try {
		const state = text === undefined ? undefined : JSON.parse(text);
		return typeof state?.draft === 'string' ? state : undefined;
	} catch {
		return undefined;
	}
}
