/** The limits on an agent's time and memory in one session. Times are in milliseconds, texts in UTF-16 code units. */
export interface SessionLimits {
	/** The time for the reply to `initialize`: on a busy machine, some agents take half a minute to start. */
	initializeMs: number;
	/** The time for each reply until the session is open. */
	openMs: number;
	/** The time for the reply to `session/close`, and for a process that has closed its output or its input to end. */
	closeMs: number;
	/** The time in which the agent must read a message. */
	readMs: number;
	/** The bytes of one line of the agent's output, which is one message. */
	lineBytes: number;
	/** The bytes of all lines together. */
	totalBytes: number;
	/** The number of lines of any kind, including ignored ones. Nearly all are updates. */
	lines: number;
	/** The number of lines that are not messages, such as a banner, or that answer a request that was never sent. */
	strayLines: number;
	/** The number of unanswered requests that an agent may have. Reading pauses until it has fewer. */
	openRequests: number;
	/** The kept length of the end of the standard error, in bytes. */
	standardErrorBytes: number;
	/** The maximum length of a session's id. */
	idLength: number;
	titleLength: number;
	/** The length of a tool call's output, and of each side of a diff. */
	textLength: number;
	/** The maximum length of a path, which is never cut: a cut path is another path. */
	pathLength: number;
	/** The number of locations, diffs, options of a permission, entries of a plan or modes; the rest is left out. */
	entries: number;
	/** The number of remembered tool calls, and the length of all their texts together. The oldest are forgotten. */
	toolCalls: number;
	toolCallsLength: number;
}

export const SESSION_LIMITS: SessionLimits = {
	initializeMs: 120_000,
	openMs: 120_000,
	closeMs: 5_000,
	readMs: 120_000,
	lineBytes: 8 * 1024 * 1024,
	totalBytes: 512 * 1024 * 1024,
	lines: 1_000_000,
	strayLines: 100,
	openRequests: 16,
	standardErrorBytes: 16 * 1024,
	idLength: 1_000,
	titleLength: 400,
	textLength: 64 * 1024,
	pathLength: 4_096,
	entries: 100,
	toolCalls: 10_000,
	toolCallsLength: 16 * 1024 * 1024,
};
