import type { FromPage } from '../protocol/protocol.ts';

/** Posts a message to the host. */
export type Post = (message: FromPage) => void;

/** Text that the host has not accepted yet. */
export interface Draft {
	text: string;
	/** The id of the turn as which it was sent. */
	sentAs?: string;
	/** It is the prompt of a task. */
	task?: true;
	/** What goes behind it, or in its place once it has gone: another place wrote this while the draft was on its way. */
	next?: string;
}

/** The state that the page keeps while it is hidden or reloaded. */
export interface SavedState {
	/** Milliseconds since the epoch. The newer of two copies is used. */
	savedAt?: number;
	draft: string;
	/** The encrypted conversation in which the draft was written. It may be sent only there. */
	draftOf?: string;
	/** The id of the turn as which the draft was sent, while the host has not accepted it. */
	sentAs?: string;
	/** The draft is the prompt of a task. */
	task?: true;
	/** What follows the draft, which is on its way. */
	next?: string;
	/** A message that is being edited to be sent again. */
	edit?: MessageEdit;
	/** The conversation that was shown. */
	conversation?: string;
	/** Absent while the reader is at the end. */
	reading?: ReadingPosition;
}

/** The turn whose message is being edited, the text so far, and the turn as which it was sent. */
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
 * Returns the state with which a page starts: that of its own window, or else the newer one of the editor's copy and
 * the host's. The copies of the window and of the host are JSON.
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

/** Returns undefined for a copy that cannot be read. */
function readState(text: string | undefined): SavedState | undefined {
	try {
		const state = text === undefined ? undefined : JSON.parse(text);
		return typeof state?.draft === 'string' ? state : undefined;
	} catch {
		return undefined;
	}
}
