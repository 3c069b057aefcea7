const SECOND = 1000;
const MEGABYTE = 1024 * 1024;

/** All limits of a request, in milliseconds and bytes. */
export const LIMITS = {
	connectMs: 10 * SECOND,
	/** The longest wait for the head of the reply to a stream request. */
	streamFirstByteMs: 120 * SECOND,
	/** The longest wait for the head of a whole reply, or of the answer to a task's creation. */
	replyFirstByteMs: 300 * SECOND,
	/** The same limit for lists and look-ups. */
	lookUpFirstByteMs: 30 * SECOND,
	/** The longest silence within a body. Any byte ends it. */
	idleMs: 180 * SECOND,
	/** The silence after which a log stream that sends `status` events counts as lost. Any event ends it. */
	followSilenceMs: 15 * SECOND,
	jsonBytes: 16 * MEGABYTE,
	/** The longest event, in characters. */
	eventLength: 4 * MEGABYTE,
	errorBodyBytes: 64 * 1024,
	/** The longest `Retry-After` that is honoured. */
	retryAfterMs: 60 * SECOND,
	/** The number of attempts at a request that was turned away, including the first. */
	tries: 3,
};

export type Limits = Readonly<typeof LIMITS>;
