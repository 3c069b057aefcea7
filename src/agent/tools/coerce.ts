import { isFields } from '../../base/fields.ts';
import { parseJson, parseJsonWithComments } from '../../base/json.ts';

/** The parts of a JSON Schema that determine the type of a value. */
interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	required?: readonly string[];
	items?: Schema;
}

/**
 * Returns a value in the form that its schema requires, if there is only one way to read it: a text instead of a
 * number, a boolean, a list or an object is parsed as JSON, and null for an optional field means that it is missing.
 * Anything else is unchanged, for the caller to check.
 */
export function coerce(value: unknown, schema: Schema): unknown {
	const { type, properties = {}, required = [], items = {} } = schema;
	if (typeof value === 'string' && type !== 'string') {
		const read = parseJson(value);
		return type !== undefined && isOf(read, type) ? coerce(read, schema) : value;
	}
	if (type === 'object' && isFields(value)) {
		const fields = Object.entries(value).filter(([name, field]) => field !== null || required.includes(name));
		return Object.fromEntries(fields.map(([name, field]) => [name, coerce(field, properties[name] ?? {})]));
	}
	return Array.isArray(value) ? value.map(item => coerce(item, items)) : value;
}

function isOf(value: unknown, type: string): boolean {
	switch (type) {
		case 'integer':
			return Number.isInteger(value);
		case 'array':
			return Array.isArray(value);
		case 'object':
			return isFields(value);
		default:
			return typeof value === type;
	}
}

/** Matches a string. One without an end reaches to the end of the text, so that a search takes linear time. */
const STRING = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g;

/**
 * Reads an object in JSON that is not valid, if only one value can be meant: its strings have line breaks, it has commas
 * before closing brackets, it lacks its own closing bracket, or it is there twice. Returns undefined for anything else.
 */
export function readLoosely(text: string): unknown {
	const middle = Math.floor(text.length / 2);
	const [first, second] = [text.slice(0, middle).trim(), text.slice(middle).trim()];
	const once = (first === second ? first : text).replace(STRING, string => string.replace(/\p{Cc}/gu, escaped));
	return ['', '}'].map(end => parseJsonWithComments(once + end)).find(isFields);
}

const escaped = (character: string): string => JSON.stringify(character).slice(1, -1);
