/**
 * The limit for one test in milliseconds. Only a test that hangs reaches it, even on a machine several times slower
 * than usual, so a test sets its own limit only if it needs a longer one.
 */
export const TEST_LIMIT_MS = 300_000;

/** The time after which a test process counts as hung, in milliseconds. */
export const PROCESS_LIMIT_MS = 2_400_000;
