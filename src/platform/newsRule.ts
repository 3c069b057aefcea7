// The one rule for telling a user that something has ended or waits for an answer.

/** A reply that took less than this, in milliseconds, ended while the user may still have been waiting for it. */
const SHORT_MS = 10_000;

export interface NewsPlace {
	/** Whether the window has the focus. */
	isFocused: boolean;
	/** Whether the user sees it in a window that has the focus. */
	isInView: boolean;
	/** How long what has ended took, in milliseconds; undefined for what is told however short it was. */
	took?: number | undefined;
}

/**
 * Returns how the user is told: not at all of what is seen, by the view's badge alone of a short reply for which the window
 * was left, and otherwise by badge and notification.
 */
export function wayToTell({ isFocused, isInView, took }: NewsPlace): 'nothing' | 'badge' | 'notification' {
	if (isFocused && isInView) {
		return 'nothing';
	}
	return !isFocused && took !== undefined && took < SHORT_MS ? 'badge' : 'notification';
}
