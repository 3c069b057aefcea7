/** A second crash within this time is not answered by another restart, and a failed service rests as long. */
export const CRASH_WINDOW_MS = 60_000;

/** Decides whether a service that was lost is started again: once in a window of time, then no more. */
export class RestartPolicy {
	private lostAt: number | undefined;

	/** To be called at each loss. */
	mayRestart(now: number): boolean {
		const again = this.lostAt !== undefined && now - this.lostAt < CRASH_WINDOW_MS;
		this.lostAt = now;
		return !again;
	}
}
