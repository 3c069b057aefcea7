import { replaceHidden } from './invisible.ts';

/** What a log line may carry. Any other field is dropped, so that a new one is a decision made here. */
export interface LogFields {
	method?: string;
	/** A path of the routes table, never a whole URL: queries and hosts can carry secrets. */
	path?: string;
	status?: number;
	code?: string;
	attempt?: number;
	durationMs?: number;
	delayMs?: number;
	count?: number;
	index?: number;
	taskId?: string;
	pid?: number;
	version?: string;
	connection?: string;
	keyKind?: string;
	/** The message of an error from our own code or the system, reduced to one line. */
	reason?: string;
}

const ALLOWED: ReadonlySet<string> = new Set<keyof LogFields>([
	'method',
	'path',
	'status',
	'code',
	'attempt',
	'durationMs',
	'delayMs',
	'count',
	'index',
	'taskId',
	'pid',
	'version',
	'connection',
	'keyKind',
	'reason',
]);

const MAXIMUM_VALUE_LENGTH = 200;

/**
 * Keys and tokens by their forms, in case one hides in an error's message: the documented ones, and a short name before a
 * long run of letters and digits, as the tokens of services look. Whoever knows a key takes it out by its value
 * (`keyRemoval.ts`). None is looked for again inside a word, so that a long text takes no longer than it is long.
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

/** Formats each allowed field as ` key=value`; secrets, line breaks and excess length are removed from the values. */
export function redactFields(fields: LogFields): string {
	let line = '';
	for (const [key, value] of Object.entries(fields)) {
		if (!ALLOWED.has(key) || value === undefined) {
			continue;
		}
		// In this order: what is left of a secret that was cut is known for none.
		const text = replaceHidden(redactText(String(value)), () => ' ')
			.replace(/[\t\r\n ]+/g, ' ')
			.slice(0, MAXIMUM_VALUE_LENGTH);
		line += ` ${key}=${/\s/.test(text) ? JSON.stringify(text) : text}`;
	}
	return line;
}
