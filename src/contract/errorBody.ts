import { defined } from '../base/defined.ts';
import { parseJson } from '../base/json.ts';

/**
 * How many characters of a text are read. It is shortened further for display, after keys have been removed from it.
 */
const MAXIMUM_MESSAGE_LENGTH = 16_384;

export interface ErrorBody {
	message?: string;
	code?: string;
	type?: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const text = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAXIMUM_MESSAGE_LENGTH) : undefined;

/** Reads a code, which is a word or a number. */
const word = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : text(value));

/**
 * contract: not shown for chat and decisions. The forms are tried in this order: `{error: {message, code, type}}`,
 * `{error: string}`, `{message}`, `{detail}`, plain text (unspecified.md). If a string `error` stands beside a
 * `message` (source-hosting look-ups), the `message` is the sentence and `error` is its code.
 */
export function readErrorBody(body: string): ErrorBody {
	const value = parseJson(body);
	// An HTML page (from a proxy or a gateway) contains no message that can be shown.
	const isPage = body.trimStart().startsWith('<');
	return readErrorValue(value === undefined && !isPage ? body : value);
}

export function readErrorValue(value: unknown): ErrorBody {
	if (!isRecord(value)) {
		return defined({ message: text(value) });
	}
	const { error } = value;
	const source = isRecord(error) ? error : value;
	const message = text(source['message']) ?? text(error) ?? text(value['message']) ?? text(value['detail']);
	const named = isRecord(error) || text(value['message']) === undefined ? undefined : text(error);
	const code = word(source['code']) ?? named ?? word(source['status']);
	const type = isRecord(error) ? text(error['type']) : undefined;
	return defined({ message, code, type });
}
