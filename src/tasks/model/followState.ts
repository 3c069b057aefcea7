/** The state of a followed log. It is always shown, and none of these states waits without a limit. */
export type FollowState =
	| { kind: 'connecting' }
	| { kind: 'live' }
	/**
	 * `nextIndex` is the index of the entry that is read next. `attempt` counts from 1. `since` is the time at which
	 * something was last received, in milliseconds since the epoch, or undefined if nothing was received yet.
	 */
	| { kind: 'reconnecting'; nextIndex: number; attempt: number; since: number | undefined }
	/** The log was read to its end. */
	| { kind: 'ended' }
	/** Following was given up. `reason` is a sentence with the next step. */
	| { kind: 'failed'; reason: string };

/** The time without receiving anything, in milliseconds, after which the shown log counts as stale. */
const STALE_MS = 30_000;

/**
 * Returns the time since which the shown log of a task has been stale, in milliseconds since the epoch, or undefined if
 * it is not stale.
 */
export function staleSince(state: FollowState | undefined, now: number): number | undefined {
	return state?.kind === 'reconnecting' && state.since !== undefined && now - state.since >= STALE_MS
		? state.since
		: undefined;
}

/** Returns whether entries are being read or awaited. */
export function isFollowing(state: FollowState | undefined): boolean {
	return state?.kind === 'connecting' || state?.kind === 'live' || state?.kind === 'reconnecting';
}

/** Reconnecting may take hours, so only attempts whose number is a power of two are written to the log. */
export function isAttemptShown(attempt: number): boolean {
	return attempt > 0 && (attempt & (attempt - 1)) === 0;
}
