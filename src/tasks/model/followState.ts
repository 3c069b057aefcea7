/** How a followed log stands. One of these is always true and always shown; none of them is a wait without an end. */
export type FollowState =
	| { kind: 'connecting' }
	| { kind: 'live' }
	/** `nextIndex`: the entry that is read next; `attempt` counts from 1. */
	| { kind: 'reconnecting'; nextIndex: number; attempt: number }
	/** The log was read to its end. */
	| { kind: 'ended' }
	/** Following was given up; `reason` is a sentence with the next step. */
	| { kind: 'failed'; reason: string };

/** True while entries are read or waited for. */
export function isFollowing(state: FollowState | undefined): boolean {
	return state?.kind === 'connecting' || state?.kind === 'live' || state?.kind === 'reconnecting';
}

/** Reconnecting may take hours: the first attempt is written down, then each one that doubles the count. */
export function isAttemptShown(attempt: number): boolean {
	return attempt > 0 && (attempt & (attempt - 1)) === 0;
}
