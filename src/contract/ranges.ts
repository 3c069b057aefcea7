// Schemas for the numbers of requests. Every issue names the whole allowed range, whatever is wrong with the number.
import * as z from 'zod';

/** Both bounds are inclusive. */
export function numberBetween(minimum: number, maximum: number) {
	const error = `allowed: a number from ${minimum} to ${maximum}`;
	return z.number(error).min(minimum, error).max(maximum, error);
}

/** The lower bound is exclusive, the upper bound inclusive. */
export function numberAbove(minimum: number, maximum: number) {
	const error = `allowed: a number above ${minimum}, at most ${maximum}`;
	return z.number(error).gt(minimum, error).max(maximum, error);
}

export function integerFrom(minimum: number) {
	const error = `allowed: a whole number, at least ${minimum}`;
	return z.int(error).min(minimum, error);
}

/** Both bounds are inclusive. */
export function integerBetween(minimum: number, maximum: number) {
	const error = `allowed: a whole number from ${minimum} to ${maximum}`;
	return z.int(error).min(minimum, error).max(maximum, error);
}
