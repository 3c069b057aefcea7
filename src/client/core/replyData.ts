import type * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { fieldOf } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import { isPage, readErrorBody, readErrorValue } from '../../contract/errorBody.ts';
import { isAbsent } from '../../contract/lenient.ts';
import { failureInReply } from './failures.ts';

/** Parses the data of an event. Throws the error that came in place of JSON, or `bad-response`. */
export function parseEventData(data: string): unknown {
	const value = parseJson(data);
	if (value === undefined) {
		throw failureInText(data);
	}
	return value;
}

/** Text that begins like JSON may be a chunk that was cut off, with words of the model instead of the server's. */
function failureInText(text: string): ClientError {
	if (isPage(text)) {
		return new ClientError('bad-response', 'a page came in place of a stream', { isPage: true });
	}
	const isCutChunk =
		/^\s*([{"]|\[\s*([[{"\]]|$))/.test(text) && (!/error|detail|message/i.test(text) || /"(choices|delta)"/.test(text));
	return isCutChunk
		? new ClientError('bad-response', 'a chunk of the reply is not JSON, or nested too deeply')
		: failureInReply(readErrorBody(text));
}

/** Throws the error in a reply with a success status, if there is one. */
export function throwErrorIn(value: unknown): void {
	const error = fieldOf(value, 'error');
	if (!isAbsent(error) && error !== '' && error !== false) {
		throw failureInReply(readErrorValue(value));
	}
}

/** Throws the error that a service sent in place of a reply, in whatever form. */
export function throwWordsIn(value: unknown): void {
	const body = readErrorValue(value);
	if (typeof value === 'object' && body.message !== undefined) {
		throw failureInReply(body);
	}
}

/** Returns the error for an event that is JSON but not an object. */
export function notAnObject(value: unknown): ClientError {
	const words = defined({ serviceMessage: readErrorValue(value).message });
	return new ClientError('bad-response', 'an event of the reply is not an object', words);
}

/** Throws `bad-response` with `problem` if the reply does not fit the schema. */
export function readReply<T extends z.ZodType>(schema: T, reply: unknown, problem: string): z.output<T> {
	const read = schema.safeParse(reply);
	if (!read.success) {
		throw new ClientError('bad-response', problem);
	}
	return read.data;
}
