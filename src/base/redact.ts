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

/** The documented forms of keys and tokens, in case an error's message contains one. */
const SECRET = /\b(?:sk-[\w-]{4,}|Bearer\s+\S+|eyJ[\w-]+\.[\w-]+\.[\w-]*)|\/\/[^/\s@]+@/g;

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
		const text = replaceHidden(redactText(String(value).slice(0, MAXIMUM_VALUE_LENGTH * 2)), () => ' ')
			.replace(/[\t\r\n ]+/g, ' ')
			.slice(0, MAXIMUM_VALUE_LENGTH);
		line += ` ${key}=${/\s/.test(text) ? JSON.stringify(text) : text}`;
	}
	return line;
}
