import * as z from 'zod';

/** The largest distance of a date from the epoch, in milliseconds, in either direction. */
const MAXIMUM_TIME = 8.64e15;

/**
 * A time in a file, in milliseconds since the epoch. One outside the range of dates would keep the whole conversation from
 * being shown, so it is clamped.
 */
export const time = z.number().transform(value => Math.min(Math.max(value, -MAXIMUM_TIME), MAXIMUM_TIME));
