import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';

/** The parts of a JSON Schema that tell of which type a value is. */
interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	required?: readonly string[];
	items?: Schema;
}

/**
 * Returns a value as its schema wants it, where there is but one way to read it: a text in place of a number, a boolean, a
 * list or an object is read as JSON, and null in place of a field that may be missing stands for none. Anything else
 * stays as it is, for whoever checks it.
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
