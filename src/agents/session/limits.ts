/** What an agent may take of time and memory in one session. Times are in milliseconds, texts in UTF-16 code units. */
export interface SessionLimits {
	/** The time for the reply to `initialize`: on a busy machine, some agents start in half a minute. */
	initializeMs: number;
	/** The time for each reply until the session is open. */
	openMs: number;
	/** The time for the reply to `session/close`, and for a process to end that has closed its output or its input. */
	closeMs: number;
	/** The time in which the agent must read a message. */
	readMs: number;
	/** The bytes of one line that the agent writes, which is one message. */
	lineBytes: number;
	/** The bytes of all lines together. */
	totalBytes: number;
	/** The number of lines of any kind, including those that are ignored. Nearly all are updates. */
	lines: number;
	/** The number of lines that are no message, such as a banner, or that answer what was never asked. */
	strayLines: number;
	/** How deep the arrays and objects of a message may be nested. */
	levels: number;
	/** The number of requests without an answer that an agent may have. Nothing more is read until it has fewer. */
	openRequests: number;
	/** The end of the standard error that is kept, in bytes. */
	standardErrorBytes: number;
	/** The length of a session's id. */
	idLength: number;
	titleLength: number;
	/** The length of a tool call's output, and of each side of a diff. */
	textLength: number;
	/** The length of a path, which is never cut: a path that was cut is another path. */
	pathLength: number;
	/** The number of locations, diffs, options of a permission, entries of a plan or modes: what comes after is left out. */
	entries: number;
	/** The number of tool calls that are remembered, and the length of all their texts together. The oldest are forgotten. */
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
	levels: 200,
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
