import { isFields } from '../../base/fields.ts';

/**
 * Reads at most `maximum` entries and leaves out those for which `read` returns undefined. `complete` says whether all
 * of them were read. Returns undefined if the value is not a list.
 */
export function readList<T>(
	value: unknown,
	maximum: number,
	read: (entry: unknown) => T | undefined,
): { entries: T[]; complete: boolean } | undefined {
	if (!Array.isArray(value)) {
		return undefined;
	}
	const entries = value
		.slice(0, maximum)
		.map(read)
		.filter(entry => entry !== undefined);
	return { entries, complete: entries.length === value.length };
}

/** The types of content blocks whose text is read. */
const TOLD = ['text', 'resource', 'resource_link'] as const;

/** Returns the text of a content block, or the address of a resource without one, or undefined for any other kind. */
export function textOfBlock(value: unknown): string | undefined {
	if (!isFields(value)) {
		return undefined;
	}
	const { text, uri } = value['type'] === 'resource' && isFields(value['resource']) ? value['resource'] : value;
	const told = oneOf(TOLD, value['type']) === undefined ? undefined : (text ?? uri);
	return typeof told === 'string' ? told : undefined;
}

/** Returns the value if it is one of the known ones. */
export function oneOf<T>(known: readonly T[], value: unknown): T | undefined {
	return known.find(candidate => candidate === value);
}
