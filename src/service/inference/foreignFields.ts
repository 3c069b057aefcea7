// Fields beyond the contract that clients following public practice send. A field that only states what happens anyway
// is dropped, and one for which the contract has another name is renamed. Everything else is kept, so that the
// request's schema either accepts it or refuses it by name.

export type Fields = Record<string, unknown>;

/** The fields to drop from a request if the function accepts their value. */
export type Tolerated = Readonly<Record<string, (value: unknown) => boolean>>;

export const anything = (): boolean => true;
export const exactly =
	(expected: unknown) =>
	(value: unknown): boolean =>
		value === expected;

/**
 * Returns a copy without the tolerated fields. Fields that are null are dropped as well, as such clients send null for
 * fields that they do not set.
 */
export function without(tolerated: Tolerated, fields: Fields): Fields {
	return Object.fromEntries(
		Object.entries(fields).filter(
			([name, value]) => value !== null && !(Object.hasOwn(tolerated, name) && tolerated[name]?.(value) === true),
		),
	);
}

/** Applies `read` to those elements of a list that are objects. All other values are returned as they are. */
export function eachObject(value: unknown, read: (fields: Fields) => Fields): unknown {
	return Array.isArray(value) ? value.map(element => (isFields(element) ? read(element) : element)) : value;
}

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Public practice has two names for the system role: `developer` is converted to `system`. */
export function roleOf(role: unknown): unknown {
	return role === 'developer' ? 'system' : role;
}

/** The flag has no effect here: whoever declared the tool checks the arguments of its calls. */
export const TOLERATED_IN_TOOL: Tolerated = { strict: value => typeof value === 'boolean' };
