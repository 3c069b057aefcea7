import { replaceHidden } from './invisible.ts';

/**
 * The fields that a log line may have, with the types of their values. Any other field is dropped, so that each new one
 * is decided on here.
 */
const FIELDS = {
	method: 'string',
	/** A path of the routes table, never a whole URL: queries and hosts can carry secrets. */
	path: 'string',
	status: 'number',
	code: 'string',
	attempt: 'number',
	durationMs: 'number',
	delayMs: 'number',
	count: 'number',
	index: 'number',
	taskId: 'string',
	pid: 'number',
	version: 'string',
	connection: 'string',
	keyKind: 'string',
	/** The name of a field of a request, from a list of our own. */
	field: 'string',
	/** The message of an error from our own code or the system, reduced to one line. */
	reason: 'string',
} as const;
type Field = keyof typeof FIELDS;

export type LogFields = { [Name in Field]?: (typeof FIELDS)[Name] extends 'number' ? number : string };

const MAXIMUM_VALUE_LENGTH = 200;

/**
 * Recognises keys and tokens by their form, in case an error's message contains one: the documented forms, and a short
 * prefix before a long run of letters and digits, as in many services' tokens. Code that knows a key removes it by its
 * value (`client/core/keyRemoval.ts`). No match begins inside a word, so the time is linear in the text's length.
 */
const SECRET = new RegExp(
	[
		String.raw`\b(?:sk-[\w-]{4,}|(?:Bearer|Basic)\s+\S+)`,
		String.raw`(?<![\w-])eyJ[\w-]+(?:\.[\w-]*){0,2}`,
		String.raw`(?<![\w-])[A-Za-z][A-Za-z0-9]{1,15}[_-](?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{12,}[\w-]*`,
		String.raw`//[^/\s@]+@`,
	].join('|'),
	'g',
);

export function redactText(text: string): string {
	return text.replace(SECRET, '[redacted]');
}

/** Returns the allowed fields; secrets, line breaks and excess length are removed from their values. */
export function allowedFields(fields: LogFields): Record<string, string | number> {
	const allowed: Record<string, string | number> = {};
	for (const [key, value] of Object.entries(fields)) {
		if (Object.hasOwn(FIELDS, key) && value !== undefined) {
			allowed[key] = typeof value === 'number' ? value : printable(String(value));
		}
	}
	return allowed;
}

/** Formats each allowed field as ` key=value`. */
export function redactFields(fields: LogFields): string {
	return Object.entries(allowedFields(fields))
		.map(([key, value]) => ` ${key}=${/\s/.test(String(value)) ? JSON.stringify(value) : value}`)
		.join('');
}

function printable(value: string): string {
	// Secrets are removed first, because a secret that has been cut short would not be recognised.
	return replaceHidden(redactText(value), () => ' ')
		.replace(/[\t\r\n ]+/g, ' ')
		.slice(0, MAXIMUM_VALUE_LENGTH);
}
