/** The limits on an agent's time and output in one session. Times are in milliseconds. Only tests need others. */
export const SESSION_LIMITS = {
	/** The time for the reply to `initialize`: on a busy machine, some agents take half a minute to start. */
	initializeMs: 120_000,
	/** The time for each reply until the session is open. */
	openMs: 120_000,
	/** The time for the reply to `session/close`, and for a process that has closed its output or its input to end. */
	closeMs: 5_000,
	/** The time in which the agent must read a message. */
	readMs: 120_000,
	/** The bytes of one line of the agent's output, which is one message. */
	lineBytes: 8 * 1024 * 1024,
	/** The bytes of all lines together. */
	totalBytes: 512 * 1024 * 1024,
	/** The number of lines of any kind, including ignored ones. Nearly all are updates. */
	lines: 1_000_000,
	/** The number of lines that are not messages, such as a banner, or that answer a request that was never sent. */
	strayLines: 100,
	/** The number of unanswered requests that an agent may have. Reading pauses until it has fewer. */
	openRequests: 16,
	/** The kept length of the end of the standard error, in bytes. */
	standardErrorBytes: 16 * 1024,
};
export type SessionLimits = typeof SESSION_LIMITS;

// The limits on what is kept of an agent's messages, in UTF-16 code units.

/** The maximum length of an id. */
export const MAXIMUM_ID = 1_000;
export const MAXIMUM_TITLE = 400;
/** The maximum length of a tool call's output and arguments, and of each side of a diff. */
export const MAXIMUM_TEXT = 64 * 1024;
/** The maximum length of a path, which is never cut: a cut path is another path. */
export const MAXIMUM_PATH = 4_096;
/** The number of locations, diffs, options of a permission, entries of a plan or modes; the rest is left out. */
export const MAXIMUM_ENTRIES = 100;
