const SECOND = 1000;
const MEGABYTE = 1024 * 1024;

/** All limits of a request, in milliseconds and bytes. */
export interface Limits {
	connectMs: number;
	/** The longest wait for the head of the reply to a stream request. */
	streamFirstByteMs: number;
	/** The longest wait for the head of a whole reply, or of the answer to a task's creation. */
	replyFirstByteMs: number;
	/** The same limit for lists and look-ups. */
	lookUpFirstByteMs: number;
	/** The longest silence within a body. Any byte ends it. */
	idleMs: number;
	/** The silence after which a log stream that sends `status` events counts as lost. Any event ends it. */
	followSilenceMs: number;
	jsonBytes: number;
	/** The longest event, in characters. */
	eventLength: number;
	errorBodyBytes: number;
	/** The longest `Retry-After` that is honoured. */
	retryAfterMs: number;
	/** The number of attempts at a request that was turned away, including the first. */
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
