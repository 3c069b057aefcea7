import type { Clock } from '../../base/async.ts';
import { ClientError } from '../../base/errors.ts';
import { orAborted } from './exchange.ts';

/**
 * contract: not shown (unspecified.md, "rate limits"). `never` is for requests that could start something twice;
 * `turned-away` repeats requests that the service refused with 429 or 503; `idempotent` also repeats requests that
 * found no connection; `temporary` repeats after every failure that may be temporary, for callers that can handle a
 * reply that broke off.
 */
export type RetryRule = 'never' | 'turned-away' | 'idempotent' | 'temporary';

export interface RetryOptions {
	rule: RetryRule;
	clock: Clock;
	/** Returns a number from 0 (inclusive) to 1 (exclusive). */
	random: () => number;
	tries: number;
	/** A request is not repeated if the service asks for a longer wait. */
	maximumWaitMs: number;
	signal: AbortSignal | undefined;
	/** Called before the wait, which begins once it has resolved. */
	onRetry(error: ClientError, attempt: number, delayMs: number): void | Promise<void>;
}

const FIRST_DELAY_MS = 1000;

/** Runs `attempt` until it succeeds, fails for good or has used up its tries, and then throws the last error. */
export async function withRetries<T>(options: RetryOptions, attempt: (count: number) => Promise<T>): Promise<T> {
	for (let count = 1; ; count++) {
		try {
			return await attempt(count);
		} catch (error) {
			if (!ClientError.is(error) || count >= options.tries || !mayRetry(error, options)) {
				throw error;
			}
			const delayMs = error.retryAfterMs ?? backoff(count, FIRST_DELAY_MS, options.maximumWaitMs, options.random);
			await options.onRetry(error, count, delayMs);
			await orAborted(options.clock.sleep(delayMs, options.signal), options.signal);
		}
	}
}

function mayRetry(error: ClientError, { rule, maximumWaitMs }: RetryOptions): boolean {
	if (rule === 'never' || (error.retryAfterMs ?? 0) > maximumWaitMs) {
		return false;
	}
	if (rule === 'temporary') {
		return error.retryable;
	}
	if (error.status === 429 || error.status === 503) {
		return error.retryable;
	}
	return rule === 'idempotent' && error.code === 'offline';
}

/** Exponential backoff with full jitter: a random delay between zero and the doubled delay. `count` starts at 1. */
export function backoff(count: number, firstMs: number, maximumMs: number, random: () => number): number {
	return Math.round(random() * Math.min(maximumMs, firstMs * 2 ** (count - 1)));
}

/** The longest time that a timer supports. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;

/** The three date formats of RFC 9110, 5.6.7. `Date.parse` alone finds a date in nearly every text. */
const HTTP_DATE =
	/^(\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/**
 * Reads `Retry-After`, which is a number of seconds or an HTTP date, as milliseconds from now. Returns undefined for
 * anything else. The value is capped at the longest time of a timer.
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) {
		return Math.min(Number(text) * 1000, MAXIMUM_TIMER_MS);
	}
	// The last of the formats has no time zone, but is in GMT like the others.
	const date = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAXIMUM_TIMER_MS);
}
