import { defined } from '../base/defined.ts';
import type { UpstreamProblem } from '../base/errors.ts';
import { parseBeginningOfJson, parseJson } from '../base/json.ts';
import { readUpstreamProblems } from './upstreamProblem.ts';

/**
 * How many characters of a text are read. It is shortened further for display, after keys have been removed from it.
 */
const MAXIMUM_MESSAGE_LENGTH = 16_384;

export interface ErrorBody {
	message?: string;
	code?: string;
	type?: string;
	/** The model servers that have failed, from the local service. */
	upstreams?: UpstreamProblem[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const text = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAXIMUM_MESSAGE_LENGTH) : undefined;

/** Reads a code, which is a word or a number. */
const word = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : text(value));

/** How many problems of a list are told. */
const MAXIMUM_PROBLEMS = 5;

/**
 * Returns whether a body is a page of the web, as from a login, a proxy or a gateway. It contains no message that can
 * be shown.
 */
export function isPage(body: string): boolean {
	return body.trimStart().startsWith('<');
}

/**
 * contract: not shown for chat and decisions. The forms are tried in this order: `{error: {message, code, type}}`,
 * `{error: string}`, `{message}`, `{detail}`, plain text (unspecified.md). If a string `error` stands beside a
 * `message` (source-hosting look-ups), the `message` is the sentence and `error` is its code. Frameworks that check a
 * request field by field list what they found in `detail` or `errors`.
 */
export function readErrorBody(body: string): ErrorBody {
	const value = parseJson(body);
	if (value !== undefined || isPage(body)) {
		return readErrorValue(value);
	}
	// A body is read up to a bound, and one that repeats the request goes beyond it after it has said what was wrong.
	const beginning = readErrorValue(parseBeginningOfJson(body));
	return beginning.message === undefined ? readErrorValue(body) : beginning;
}

export function readErrorValue(value: unknown): ErrorBody {
	if (!isRecord(value)) {
		return defined({ message: text(value) });
	}
	const { error } = value;
	const source = isRecord(error) ? error : value;
	const message =
		text(source['message']) ??
		text(error) ??
		text(value['message']) ??
		text(value['detail']) ??
		problems(source['detail']) ??
		problems(source['errors']) ??
		problems(value['detail']) ??
		problems(value['errors']);
	const named = isRecord(error) || text(value['message']) === undefined ? undefined : text(error);
	const code = word(source['code']) ?? named ?? word(source['status']);
	const type = isRecord(error) ? text(error['type']) : undefined;
	return defined({ message, code, type, upstreams: readUpstreamProblems(source['upstreams']) });
}

/** Reads what an `error` event of a log says, with its `details` (cloud-tasks.md, Events). */
export function readStreamError(value: unknown): string | undefined {
	const { message } = readErrorValue(value);
	const given = isRecord(value) ? value['details'] : undefined;
	const details = text(given) ?? readErrorValue(given).message ?? (isRecord(given) ? JSON.stringify(given) : undefined);
	return text([message, details].filter(part => part !== undefined).join(': '));
}

/**
 * Reads a list of problems with a request, or an object that has them by the names of the fields. The common forms of a
 * problem are a text, `{loc: ['body', 'messages', 0], msg}`, `{field, message}` and `{path: ['messages', 0], message}`.
 */
function problems(value: unknown): string | undefined {
	const told = Array.isArray(value)
		? value.slice(0, MAXIMUM_PROBLEMS).map(problem)
		: isRecord(value)
			? Object.entries(value)
					.slice(0, MAXIMUM_PROBLEMS)
					.map(([field, found]) => atField(field, text(found) ?? problems(found)))
			: [];
	return text(told.filter(line => line !== undefined).join('; '));
}

function problem(value: unknown): string | undefined {
	if (!isRecord(value)) {
		return text(value);
	}
	const place = value['loc'] ?? value['path'] ?? value['field'] ?? value['param'];
	const field = Array.isArray(place) ? place.map(part => word(part) ?? '').join('.') : text(place);
	return atField(field, text(value['msg']) ?? text(value['message']) ?? text(value['detail']));
}

function atField(field: string | undefined, message: string | undefined): string | undefined {
	return message === undefined || field === undefined || field === '' ? message : `${field}: ${message}`;
}
