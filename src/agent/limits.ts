/** The maximum number of requests for one prompt. */
export const MAXIMUM_STEPS = 200;

/** The time limit for one prompt, in milliseconds. */
export const MAXIMUM_TIME_MS = 2 * 60 * 60_000;

/** The maximum tokens that the model reads and writes for one prompt, as far as the service counts them. */
export const MAXIMUM_TOKENS = 20_000_000;

/** The maximum characters of a tool's result. A longer one is cut in the middle. */
export const MAXIMUM_RESULT = 30_000;

/** The maximum size of an image that the model is shown, in bytes, and the number of them in one request. */
export const MAXIMUM_IMAGE = 1_500_000;
export const MAXIMUM_IMAGES = 6;

/** The maximum characters of the events of one reply. A longer one is assumed to be endless. */
export const MAXIMUM_REPLY = 64 * 1024 * 1024;

/** The maximum number of calls in one reply that are executed, and the maximum characters of a call's arguments. */
export const MAXIMUM_CALLS = 64;
export const MAXIMUM_ARGUMENTS = 1_000_000;

/** The maximum tokens of a conversation with a model whose context length is not known. */
export const MAXIMUM_CONVERSATION = 2_000_000;

/** The maximum characters of a file before and after a change, together, for the change to be shown. */
export const MAXIMUM_DIFF = 1_000_000;

/** The number of replies in a row, cut off or without a usable call, after which the run ends. */
export const MAXIMUM_UNUSABLE = 6;

/**
 * The number of times that a call has the same result before the model is told, and before the run ends. A command may
 * be waiting for something, so it may be repeated more often.
 */
export const REPEATS_TOLD = 3;
export const MAXIMUM_REPEATS = 5;
export const MAXIMUM_COMMAND_REPEATS = 10;

/** The default time limit of a command, and the highest that the model can request, in milliseconds. */
export const COMMAND_MS = 2 * 60_000;
export const MAXIMUM_COMMAND_MS = 20 * 60_000;

/** The maximum number of background commands, including ended ones whose end the model has not read yet. */
export const MAXIMUM_BACKGROUND = 8;

/** The maximum number of sessions kept for a later process, and the time since their last use, in milliseconds. */
export const MAXIMUM_SESSIONS = 200;
export const MAXIMUM_SESSION_AGE_MS = 30 * 24 * 60 * 60_000;
