import { readErrorValue } from '../../contract/errorBody.ts';
import { isAbsent } from '../../contract/lenient.ts';
import { ClientError } from './errors.ts';
import { failureInReply } from './failures.ts';

/** The data of an event; `orText` for one that need not be JSON, as that of an `error` event. Throws `bad-response`. */
export function parseEventData(data: string, orText: boolean): unknown {
	try {
		return JSON.parse(data);
	} catch {
		if (orText) {
			return data;
		}
		// The parser's own message quotes the text, which a log must not hold.
		throw new ClientError('bad-response', 'a chunk of the reply is not JSON');
	}
}

/** Throws the error that stands in a reply with a status of success, if one does. */
export function throwErrorIn(value: unknown): void {
	const error = typeof value === 'object' && value !== null ? Reflect.get(value, 'error') : undefined;
	if (!isAbsent(error) && error !== '' && error !== false) {
		throw failureInReply(readErrorValue(value));
	}
}
