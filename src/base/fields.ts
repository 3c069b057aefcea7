// JSON of foreign origin, of which nothing else is known.

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value as an object; anything else counts as an empty one. */
export function fieldsOf(value: unknown): Fields {
	return isFields(value) ? value : {};
}

/** Returns a field of a value, or undefined if the value has no fields. */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Applies `read` to those elements of a list that are objects. All other values are returned as they are. */
export function eachObject(value: unknown, read: (fields: Fields) => Fields): unknown {
	return Array.isArray(value) ? value.map(element => (isFields(element) ? read(element) : element)) : value;
}

/** Returns the objects of a list, or an empty list. */
export function objectsOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Returns a copy without the fields that are null. Many programs send null for what they leave open. */
export function withoutNulls(fields: Fields): Fields {
	return only(Object.keys(fields), fields);
}

/** Returns a copy with only the named fields that are present and not null. */
export function only(names: readonly string[], fields: Fields): Fields {
	const kept: Fields = {};
	for (const name of names) {
		if (fields[name] != null) {
			kept[name] = fields[name];
		}
	}
	return kept;
}
