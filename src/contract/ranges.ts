// Numbers of requests. Whatever is wrong with one, its issue names the whole allowed range.
import * as z from 'zod';

/** Both bounds belong to the range. */
export function numberBetween(minimum: number, maximum: number) {
	const error = `allowed: a number from ${minimum} to ${maximum}`;
	return z.number(error).min(minimum, error).max(maximum, error);
}

/** The lower bound does not belong to the range, the upper one does. */
export function numberAbove(minimum: number, maximum: number) {
	const error = `allowed: a number above ${minimum}, at most ${maximum}`;
	return z.number(error).gt(minimum, error).max(maximum, error);
}

export function integerFrom(minimum: number) {
	const error = `allowed: a whole number, at least ${minimum}`;
	return z.int(error).min(minimum, error);
}

/** Both bounds belong to the range. */
export function integerBetween(minimum: number, maximum: number) {
	const error = `allowed: a whole number from ${minimum} to ${maximum}`;
	return z.int(error).min(minimum, error).max(maximum, error);
}
