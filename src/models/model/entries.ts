// A setting that maps names to entries, as it may be in a file that people write by hand.

type Entries = Readonly<Record<string, unknown>>;

/** Returns the entries, or none for anything that is not an object. */
export function entriesOf(value: unknown): Entries {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entries) : {};
}

export function withoutEntry(value: unknown, name: string): Record<string, unknown> {
	const { [name]: _, ...others } = entriesOf(value);
	return others;
}
