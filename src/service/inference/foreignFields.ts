// What clients of the public practice put into requests beyond the contract. Where such a field says what happens here
// in any case it is left out; where the contract has another word for it, that one takes its place. Everything else
// stays as it is, for the schema of the request to accept or to refuse by its name.

export type Fields = Record<string, unknown>;

/** Takes fields whose value the function accepts out of a request. */
export type Tolerated = Readonly<Record<string, (value: unknown) => boolean>>;

export const anything = (): boolean => true;
export const exactly =
	(expected: unknown) =>
	(value: unknown): boolean =>
		value === expected;

/** A copy without what is tolerated; a null, which those clients send for what they do not say, counts as that too. */
export function without(tolerated: Tolerated, fields: Fields): Fields {
	return Object.fromEntries(
		Object.entries(fields).filter(
			([name, value]) => value !== null && !(Object.hasOwn(tolerated, name) && tolerated[name]?.(value) === true),
		),
	);
}

/** The elements of a list that are objects, each as `read` has it; whatever else there is stays. */
export function eachObject(value: unknown, read: (fields: Fields) => Fields): unknown {
	return Array.isArray(value) ? value.map(element => (isFields(element) ? read(element) : element)) : value;
}

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was said to the developer's role is said to the system's: public practice has two names for it. */
export function roleOf(role: unknown): unknown {
	return role === 'developer' ? 'system' : role;
}

/** Nobody here is held to it, and whoever declared the tool checks what it is called with. */
export const TOLERATED_IN_TOOL: Tolerated = { strict: value => typeof value === 'boolean' };
