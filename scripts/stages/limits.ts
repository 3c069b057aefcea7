/**
 * How long one test may take, in milliseconds. Only a test that hangs reaches it, also on a machine that is several times
 * as slow as usual, so a test sets a limit of its own only where it needs a longer one.
 */
export const TEST_LIMIT_MS = 300_000;

/** The time after which a process with tests counts as hung, in milliseconds. */
export const PROCESS_LIMIT_MS = 2_400_000;
