/** How a followed log stands. One of these is always true and always shown; none of them is a wait without an end. */
export type FollowState =
	| { kind: 'connecting' }
	| { kind: 'live' }
	/**
	 * `nextIndex`: the entry that is read next; `attempt` counts from 1; `since`: when something was heard last, in
	 * milliseconds since the epoch, undefined where nothing was heard yet.
	 */
	| { kind: 'reconnecting'; nextIndex: number; attempt: number; since: number | undefined }
	/** The log was read to its end. */
	| { kind: 'ended' }
	/** Following was given up; `reason` is a sentence with the next step. */
	| { kind: 'failed'; reason: string };

/** Nothing was heard for so long (milliseconds) that what is shown counts as old. */
const STALE_MS = 30_000;

/** Since when what is shown of a followed task is old, in milliseconds since the epoch; undefined where it is not. */
export function staleSince(state: FollowState | undefined, now: number): number | undefined {
	return state?.kind === 'reconnecting' && state.since !== undefined && now - state.since >= STALE_MS
		? state.since
		: undefined;
}

/** True while entries are read or waited for. */
export function isFollowing(state: FollowState | undefined): boolean {
	return state?.kind === 'connecting' || state?.kind === 'live' || state?.kind === 'reconnecting';
}

/** Reconnecting may take hours: the first attempt is written down, then each one that doubles the count. */
export function isAttemptShown(attempt: number): boolean {
	return attempt > 0 && (attempt & (attempt - 1)) === 0;
}
