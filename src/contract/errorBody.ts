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
 * contract: not shown for chat and decisions. The most specific sentence is read, in whatever form it comes
 * (unspecified.md). The usual forms are `{error: {message, code, type}}`, `{error: string}`, `{message}`, `{detail}` and
 * plain text. If a string `error` stands beside a `message` (source-hosting look-ups), the `message` is the sentence and
 * `error` is its code. Frameworks that check a request field by field list what they found in `detail` or `errors`.
 * Gateways quote the body that they got from the server behind them.
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
	const first = Array.isArray(value) ? value[0] : value;
	const whole = isRecord(first) ? first : {};
	const { error } = whole;
	const source = isRecord(error) ? error : whole;
	const named = isRecord(error) || text(whole['message']) === undefined ? undefined : text(error);
	const code = word(source['code']) ?? named ?? word(source['status']);
	const type = isRecord(error) ? text(error['type']) : undefined;
	return defined({ message: sentenceIn(value), code, type, upstreams: readUpstreamProblems(source['upstreams']) });
}

/** Where a gateway puts the words, or the whole body, that it got from the server behind it. */
const CAUSES = ['metadata', 'raw', 'innererror', 'cause'];

/** Where a sentence stands, in the order in which it counts. Names are compared without case, `_` and `-`. */
const PLACES = [
	...['message', 'errormessage', 'errormsg', 'errmsg', 'msg', 'errordescription', 'statusmsg', 'faultstring'],
	...['error', 'detail', 'details', 'errors', 'errormessages', 'fieldviolations', 'description', 'reason', 'exception'],
	...['baseresp', 'fault'],
];

/** Where a body stands within another one. A text there may be anything. */
const BODIES = ['response', 'body', 'data', 'result'];

/** A single word, which is a code, or what says no more than the status does. */
const SAYS_NOTHING =
	/^\W*([\w.-]+|unknown error|bad request|invalid request|unprocessable (entity|content)|not found|internal (server )?error|service unavailable|bad gateway|gateway time-?out|too many requests|request failed|validation (error|failed)|(provider|upstream) (returned )?(an )?error|an? (unknown |unexpected |internal )?error (has )?occurred|something went wrong|request contains an invalid argument|request failed with status code \d+|http \d{3})\W*$/i;

/** No such phrase is longer, and searching a long text for one would take the square of its length. */
const LONGEST_PHRASE = 100;

/** How deep a body may be nested, bodies that it quotes included, and how many fields of an object are looked through. */
const MAXIMUM_DEPTH = 8;
const MAXIMUM_FIELDS = 100;

/** Returns the most specific sentence in a body. */
function sentenceIn(value: unknown, depth = 0): string | undefined {
	if (depth > MAXIMUM_DEPTH) {
		return undefined;
	}
	if (Array.isArray(value)) {
		return problems(value, depth);
	}
	if (!isRecord(value)) {
		const said = text(value);
		return said === undefined || PAGE.test(said) ? undefined : (quotedIn(said, depth) ?? said);
	}
	const fields = new Map(
		Object.entries(value)
			.slice(0, MAXIMUM_FIELDS)
			.map(([name, field]) => [name.toLowerCase().replace(/[_-]/g, ''), field]),
	);
	const error = fields.get('error');
	let vague: string | undefined;
	for (const place of [...CAUSES, ...(isRecord(error) ? ['error'] : []), ...PLACES, ...BODIES]) {
		const said = sentenceAt(place, fields.get(place), depth + 1);
		if (said !== undefined && (said.length > LONGEST_PHRASE || !SAYS_NOTHING.test(said))) {
			return said;
		}
		vague ??= said;
	}
	return vague;
}

const PAGE = /^\s*<(!doctype|html|\?xml)/i;

/** `detail` and `errors` may have the problems of a request by the names of its fields. */
function sentenceAt(place: string, found: unknown, depth: number): string | undefined {
	const isBody = BODIES.includes(place) && typeof found === 'string';
	const said = sentenceIn(isBody ? parseJson(found) : found, depth);
	return said === undefined && (place === 'detail' || place === 'errors') ? problems(found, depth) : said;
}

/** Returns the sentence in a body that a text quotes, as JSON or as a program in Python prints it. */
function quotedIn(said: string, depth: number): string | undefined {
	const start = said.search(/\{(\s|\\n)*['"]|\[\s*\{/);
	if (start === -1) {
		return undefined;
	}
	const end = Math.max(said.lastIndexOf('}'), said.lastIndexOf(']')) + 1;
	const quoted = said.slice(start, end);
	const forms = [quoted, quoted.split('\n', 1)[0] ?? '', quoted.replace(/\\n/g, ' '), quoted.replace(/\\"/g, '"')];
	const value = forms.map(parseJson).find(isRecord) ?? parseBeginningOfJson(said.slice(start));
	const isWhole = start === 0 || /^(data|error|event):/m.test(said);
	const [first] = Array.isArray(value) ? value : [value];
	if (isRecord(value) && (isWhole || (isRecord(first) && ['error', 'errors', 'detail'].some(name => name in first)))) {
		return sentenceIn(value, depth + 1);
	}
	const [, single, double] = PRINTED_MESSAGE.exec(said) ?? [];
	return text(single ?? double);
}

const PRINTED_MESSAGE = /'message': (?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/s;

/** Reads what an `error` event of a log says, with its `details` (cloud-tasks.md, Events). */
export function readStreamError(value: unknown): string | undefined {
	const { details: given, ...rest } = isRecord(value) ? value : {};
	const { message } = readErrorValue(isRecord(value) ? rest : value);
	const details = sentenceIn(given) ?? (isRecord(given) ? JSON.stringify(given) : undefined);
	return text([...new Set([message, details])].filter(part => part !== undefined).join(': '));
}

/**
 * Reads a list of problems with a request, or an object that has them by the names of the fields. The common forms of a
 * problem are a text, `{loc: ['body', 'messages', 0], msg}`, `{field, message}` and `{path: ['messages', 0], message}`.
 */
function problems(value: unknown, depth: number): string | undefined {
	if (depth > MAXIMUM_DEPTH) {
		return undefined;
	}
	const told = Array.isArray(value)
		? value.slice(0, MAXIMUM_PROBLEMS).map(entry => problem(entry, depth))
		: isRecord(value)
			? Object.entries(value)
					.slice(0, MAXIMUM_PROBLEMS)
					.map(([field, found]) => atField(field, text(found) ?? problems(found, depth + 1)))
			: [];
	return text(told.filter(line => line !== undefined).join('; '));
}

function problem(value: unknown, depth: number): string | undefined {
	const said = sentenceIn(value, depth + 1);
	if (!isRecord(value)) {
		return said;
	}
	const place = value['loc'] ?? value['path'] ?? value['field'] ?? value['param'];
	const field = Array.isArray(place) ? place.map(part => word(part) ?? '').join('.') : text(place);
	return atField(field, said);
}

function atField(field: string | undefined, message: string | undefined): string | undefined {
	return message === undefined || field === undefined || field === '' ? message : `${field}: ${message}`;
}
