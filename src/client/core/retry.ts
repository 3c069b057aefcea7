import type { Clock } from '../../base/async.ts';
import { ClientError } from './errors.ts';
import { abortedError } from './exchange.ts';

/**
 * contract: not shown (unspecified.md, "rate limits").
 * `never` for what could start something twice; `turned-away` repeats what the service refused with 429 or 503;
 * `idempotent` repeats that and what found no connection.
 */
export type RetryRule = 'never' | 'turned-away' | 'idempotent';

export interface RetryOptions {
	rule: RetryRule;
	clock: Clock;
	/** From 0 to below 1. */
	random: () => number;
	tries: number;
	/** A service that asks for more is not waited for. */
	maximumWaitMs: number;
	signal: AbortSignal | undefined;
	onRetry(error: ClientError, attempt: number, delayMs: number): void;
}

const FIRST_DELAY_MS = 1000;

/** Runs `attempt` until it succeeds, fails for good, or the tries are used up; then throws what the last one threw. */
export async function withRetries<T>(options: RetryOptions, attempt: (count: number) => Promise<T>): Promise<T> {
	for (let count = 1; ; count++) {
		try {
			return await attempt(count);
		} catch (error) {
			if (!ClientError.is(error) || count >= options.tries || !mayRetry(error, options)) {
				throw error;
			}
			const delayMs = error.retryAfterMs ?? backoff(count, FIRST_DELAY_MS, options.maximumWaitMs, options.random);
			options.onRetry(error, count, delayMs);
			await pause(options.clock, delayMs, options.signal);
		}
	}
}

function mayRetry(error: ClientError, { rule, maximumWaitMs }: RetryOptions): boolean {
	if (rule === 'never' || (error.retryAfterMs ?? 0) > maximumWaitMs) {
		return false;
	}
	if (error.status === 429 || error.status === 503) {
		return true;
	}
	return rule === 'idempotent' && error.code === 'offline';
}

/** Exponential with full jitter: anything from nothing to the doubled delay. `count` starts at 1. */
export function backoff(count: number, firstMs: number, maximumMs: number, random: () => number): number {
	return Math.round(random() * Math.min(maximumMs, firstMs * 2 ** (count - 1)));
}

/** Sleeps; throws `aborted` at once when the signal aborts. */
export async function pause(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	try {
		await clock.sleep(milliseconds, signal);
	} catch (error) {
		throw signal?.aborted ? abortedError() : error;
	}
}

/** The longest time that a timer takes. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;

/** The three forms of RFC 9110, 5.6.7. `Date.parse` alone reads a date into nearly every text. */
const HTTP_DATE =
	/^(\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/**
 * `Retry-After` in milliseconds from now: seconds or an HTTP date. Undefined for anything else; what is longer than a
 * timer can wait is as long as one can.
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) {
		return Math.min(Number(text) * 1000, MAXIMUM_TIMER_MS);
	}
	// The last of the forms has no zone, and is in GMT as the others are.
	const date = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAXIMUM_TIMER_MS);
}
