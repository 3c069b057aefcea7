// The one rule for telling a user that something has ended or waits for an answer.

/** A reply that took less than this, in milliseconds, ended while the user may still have been waiting for it. */
const SHORT_MS = 10_000;

export interface NewsPlace {
	/** True if the window has the focus. */
	isFocused: boolean;
	/** True if it is in view, provided that the window has the focus. */
	isInView: boolean;
	/** The duration in milliseconds of what has ended; undefined if the user is told regardless of the duration. */
	took?: number | undefined;
}

/**
 * Returns how to tell the user: not at all about something in view, only by the view's badge about a short reply during
 * which the user left the window, and otherwise by badge and notification.
 */
export function wayToTell({ isFocused, isInView, took }: NewsPlace): 'nothing' | 'badge' | 'notification' {
	if (isFocused && isInView) {
		return 'nothing';
	}
	return !isFocused && took !== undefined && took < SHORT_MS ? 'badge' : 'notification';
}
