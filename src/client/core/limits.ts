const SECOND = 1000;
const MEGABYTE = 1024 * 1024;

/** Everything that bounds a request (design: the client, Limits). Milliseconds and bytes. */
export interface Limits {
	connectMs: number;
	/** Until the head of the reply to a stream request. */
	streamFirstByteMs: number;
	/** Until the head of a whole reply, or of the answer to a task's creation. */
	replyFirstByteMs: number;
	/** The same for lists and look-ups. */
	lookUpFirstByteMs: number;
	/** Any byte counts as life. */
	idleMs: number;
	/** A log stream that sends `status` events is dead after this long without an event of any kind. */
	followSilenceMs: number;
	jsonBytes: number;
	/** The event's characters. */
	eventLength: number;
	errorBodyBytes: number;
	/** The longest `Retry-After` that is waited for. */
	retryAfterMs: number;
	/** Tries of a request that was turned away, the first one counted. */
	tries: number;
}

export const LIMITS: Readonly<Limits> = {
	connectMs: 10 * SECOND,
	streamFirstByteMs: 120 * SECOND,
	replyFirstByteMs: 300 * SECOND,
	lookUpFirstByteMs: 30 * SECOND,
	idleMs: 180 * SECOND,
	followSilenceMs: 15 * SECOND,
	jsonBytes: 16 * MEGABYTE,
	eventLength: 4 * MEGABYTE,
	errorBodyBytes: 64 * 1024,
	retryAfterMs: 60 * SECOND,
	tries: 3,
};
