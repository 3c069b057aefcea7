import * as z from 'zod';

/** True for what a reply writes where it has no value: nothing, null, or the literal text `None` (contract: inference.md). */
export function isAbsent(value: unknown): value is undefined | null | 'None' {
	return value === undefined || value === null || value === 'None';
}

/**
 * A field of a reply: missing, null, the literal text `None` and a value of another kind are all absent,
 * so that no single field breaks a reply (contract: unspecified.md, "Read leniently").
 */
export function lenient<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
	return z
		.unknown()
		.optional()
		.transform((value): z.output<T> | undefined => {
			if (isAbsent(value)) {
				return undefined;
			}
			const parsed = schema.safeParse(value);
			return parsed.success ? parsed.data : undefined;
		});
}

/**
 * Text that a model, an agent or a person wrote. Here the word `None` is kept: it is a word that people and
 * programs write, and dropping it would change what they said.
 */
export const lenientText: z.ZodType<string | undefined> = z
	.unknown()
	.optional()
	.transform(value => (typeof value === 'string' ? value : undefined));

/** A list of a reply: what is no list is empty, and an entry that does not fit is left out. */
export function lenientArray<T extends z.ZodType>(entry: T): z.ZodType<z.output<T>[]> {
	return z
		.unknown()
		.optional()
		.transform((value): z.output<T>[] => {
			const entries: z.output<T>[] = [];
			for (const candidate of Array.isArray(value) ? value : []) {
				const parsed = entry.safeParse(candidate);
				if (parsed.success) {
					entries.push(parsed.data);
				}
			}
			return entries;
		});
}

/**
 * The list that a reply is about, so that a reply without one does not fit; null and `None` are an empty list. An entry
 * that does not fit is undefined: it keeps its place among the others.
 */
export function rowsOf<T extends z.ZodType>(entry: T): z.ZodType<(z.output<T> | undefined)[]> {
	return z.preprocess(value => (value !== undefined && isAbsent(value) ? [] : value), z.array(lenient(entry)));
}
