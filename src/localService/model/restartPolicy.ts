/** If the service crashes again within this time, it is not restarted. A failure lasts equally long. */
export const CRASH_WINDOW_MS = 60_000;

/** Decides whether a service that was lost is started again: once within the time window, and then no more. */
export class RestartPolicy {
	private lostAt: number | undefined;

	/** Must be called for each loss. `now` is in milliseconds. */
	mayRestart(now: number): boolean {
		const again = this.lostAt !== undefined && now - this.lostAt < CRASH_WINDOW_MS;
		this.lostAt = now;
		return !again;
	}
}
