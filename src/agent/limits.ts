/** The requests of one prompt. */
export const MAXIMUM_STEPS = 200;

/** The time of one prompt, in milliseconds. */
export const MAXIMUM_TIME_MS = 2 * 60 * 60_000;

/** The tokens that the model reads and writes for one prompt, as far as the service counts them. */
export const MAXIMUM_TOKENS = 20_000_000;

/** The characters of one tool's result. What is longer is cut in its middle. */
export const MAXIMUM_RESULT = 30_000;

/** The characters of the events of one reply. A longer one is taken for one that does not end. */
export const MAXIMUM_REPLY = 64 * 1024 * 1024;

/** The calls of one reply that are done, and the characters that the arguments of one may have. */
export const MAXIMUM_CALLS = 64;
export const MAXIMUM_ARGUMENTS = 1_000_000;

/** The tokens of a conversation with a model whose length is not known. */
export const MAXIMUM_CONVERSATION = 2_000_000;

/** The characters of a file before and after a change, together, up to which the change is shown. */
export const MAXIMUM_DIFF = 1_000_000;

/** The replies in a row that were cut off, or of which no call could be used, with which the run ends. */
export const MAXIMUM_UNUSABLE = 6;

/**
 * How often the same call has the same result before the model is told so, and when the run ends. A command may wait for
 * something, so it may be repeated more often.
 */
export const REPEATS_TOLD = 3;
export const MAXIMUM_REPEATS = 5;
export const MAXIMUM_COMMAND_REPEATS = 10;

/** The time that a command gets if the model does not say, and the most that it can ask for, in milliseconds. */
export const COMMAND_MS = 2 * 60_000;
export const MAXIMUM_COMMAND_MS = 20 * 60_000;

/** The commands in the background at a time, those included whose end the model has not read yet. */
export const MAXIMUM_BACKGROUND = 8;

/** The sessions that are kept for a later process, and for how long after their last use, in milliseconds. */
export const MAXIMUM_SESSIONS = 200;
export const MAXIMUM_SESSION_AGE_MS = 30 * 24 * 60 * 60_000;
