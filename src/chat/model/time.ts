import * as z from 'zod';

/** The largest distance of a date from the epoch, in milliseconds, in either direction. */
const MAXIMUM_TIME = 8.64e15;

/**
 * A time in a file, in milliseconds since the epoch. A time outside the range of dates is clamped, because it would
 * keep the whole conversation from being shown.
 */
export const time = z.number().transform(value => Math.min(Math.max(value, -MAXIMUM_TIME), MAXIMUM_TIME));
