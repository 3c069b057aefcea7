import { defined } from '../base/defined.ts';
import type { UpstreamProblem } from '../base/errors.ts';
import { parseBeginningOfJson, parseJson } from '../base/json.ts';
import { readUpstreamProblems } from './upstreamProblem.ts';

/** The part of a text that is read, in characters. It is shortened further for display, after keys were removed. */
const MAXIMUM_MESSAGE_LENGTH = 16_384;

export interface ErrorBody {
	message?: string;
	code?: string;
	type?: string;
	/** The failed model servers, as reported by the local service. */
	upstreams?: UpstreamProblem[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const text = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAXIMUM_MESSAGE_LENGTH) : undefined;

/** Reads a code, which is a word or a number. */
const word = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : text(value));

/** The number of problems in a list that are reported. */
const MAXIMUM_PROBLEMS = 5;

/** Returns whether a body is a web page, as from a login, a proxy or a gateway. It contains no message to show. */
export function isPage(body: string): boolean {
	return body.trimStart().startsWith('<');
}

/**
 * contract: not shown for chat and decisions. The most specific sentence is read, in whatever form it comes
 * (unspecified.md). The usual forms are `{error: {message, code, type}}`, `{error: string}`, `{message}`, `{detail}`
 * and plain text. If a body has both a `message` and a string `error` (source-hosting look-ups), the `message` is the
 * sentence and `error` its code. Frameworks that check a request field by field list their findings in `detail` or
 * `errors`. Gateways quote the body from the server behind them.
 */
export function readErrorBody(body: string): ErrorBody {
	const value = parseJson(body);
	if (value !== undefined || isPage(body)) {
		return readErrorValue(value);
	}
	// A body is read up to a limit, and one that repeats the request after its message may exceed it.
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

/** The fields in which a gateway puts the message, or the whole body, from the server behind it. */
const CAUSES = ['metadata', 'raw', 'innererror', 'cause'];

/** The fields that may hold a sentence, in order of precedence. Names are compared without case, `_` and `-`. */
const PLACES = [
	...['message', 'errormessage', 'errormsg', 'errmsg', 'msg', 'errordescription', 'statusmsg', 'faultstring'],
	...['error', 'detail', 'details', 'errors', 'errormessages', 'fieldviolations', 'description', 'reason', 'exception'],
	...['baseresp', 'fault'],
];

/** The fields that may hold another body. A text there may be anything. */
const BODIES = ['response', 'body', 'data', 'result'];

/** Matches a single word, which is a code, and phrases that say no more than the status does. */
const SAYS_NOTHING =
	/^\W*([\w.-]+|unknown error|bad request|invalid request|unprocessable (entity|content)|not found|internal (server )?error|service unavailable|bad gateway|gateway time-?out|too many requests|request failed|validation (error|failed)|(provider|upstream) (returned )?(an )?error|an? (unknown |unexpected |internal )?error (has )?occurred|something went wrong|request contains an invalid argument|request failed with status code \d+|http \d{3})\W*$/i;

/** Such phrases are at most this long. Searching a longer text for one would take quadratic time. */
const LONGEST_PHRASE = 100;

/** The limits for the depth of a body, including bodies that it quotes, and for the fields searched in an object. */
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

/** `detail` and `errors` may list the problems of a request by the names of its fields. */
function sentenceAt(place: string, found: unknown, depth: number): string | undefined {
	const isBody = BODIES.includes(place) && typeof found === 'string';
	const said = sentenceIn(isBody ? parseJson(found) : found, depth);
	return said === undefined && (place === 'detail' || place === 'errors') ? problems(found, depth) : said;
}

/** Returns the sentence in a body that a text quotes, either as JSON or as printed by a Python program. */
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

/** Reads the message of an `error` event of a log, with its `details` (cloud-tasks.md, Events). */
export function readStreamError(value: unknown): string | undefined {
	const { details: given, ...rest } = isRecord(value) ? value : {};
	const { message } = readErrorValue(isRecord(value) ? rest : value);
	const details = sentenceIn(given) ?? (isRecord(given) ? JSON.stringify(given) : undefined);
	return text([...new Set([message, details])].filter(part => part !== undefined).join(': '));
}

/**
 * Reads a list of problems with a request, or an object that holds them by field name. The common forms of a problem
 * are a text, `{loc: ['body', 'messages', 0], msg}`, `{field, message}` and `{path: ['messages', 0], message}`.
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
