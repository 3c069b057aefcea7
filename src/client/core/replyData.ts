import type * as z from 'zod';
import { ClientError } from '../../base/errors.ts';
import { readErrorValue } from '../../contract/errorBody.ts';
import { isAbsent } from '../../contract/lenient.ts';
import { failureInReply } from './failures.ts';

/**
 * Parses the data of an event. `orText` allows text that is not JSON, as in an `error` event. Throws `bad-response`.
 */
export function parseEventData(data: string, orText: boolean): unknown {
	try {
		return JSON.parse(data);
	} catch {
		if (orText) {
			return data;
		}
		// The parser's own message quotes the text, which must not appear in a log.
		throw new ClientError('bad-response', 'a chunk of the reply is not JSON');
	}
}

/** Throws the error in a reply with a success status, if there is one. */
export function throwErrorIn(value: unknown): void {
	const error = typeof value === 'object' && value !== null ? Reflect.get(value, 'error') : undefined;
	if (!isAbsent(error) && error !== '' && error !== false) {
		throw failureInReply(readErrorValue(value));
	}
}

/** Throws `bad-response` with `problem` if the reply does not fit the schema. */
export function readReply<T extends z.ZodType>(schema: T, reply: unknown, problem: string): z.output<T> {
	const read = schema.safeParse(reply);
	if (!read.success) {
		throw new ClientError('bad-response', problem);
	}
	return read.data;
}
