import * as z from 'zod';

/**
 * Returns whether a reply has no value here: the field is missing, null, or the literal text `None` (contract:
 * inference.md).
 */
export function isAbsent(value: unknown): value is undefined | null | 'None' {
	return value === undefined || value === null || value === 'None';
}

/**
 * Reads a value without the schema's own machinery, which costs many times as much. Returns undefined if the value is
 * absent or does not fit.
 */
type Reader = (value: unknown) => unknown;

const readers = new WeakMap<z.ZodType, Reader>();

function readerOf(schema: z.ZodType): Reader {
	const { type, checks = [] } = schema.def;
	// A format such as integer is part of the definition itself, not of `checks`, and the fast readers would ignore it.
	if (checks.length === 0 && !('check' in schema.def)) {
		switch (type) {
			case 'string':
			case 'boolean':
				return value => (typeof value === type ? value : undefined);
			case 'number':
				return value => (Number.isFinite(value) ? value : undefined);
		}
	}
	return readers.get(schema) ?? (value => schema.safeParse(value).data);
}

function readBy<T>(read: (value: unknown) => T): z.ZodType<T> {
	const schema = z.unknown().optional().transform(read);
	readers.set(schema, read);
	return schema;
}

/**
 * Wraps the schema of a reply's field: a missing field, null, the literal text `None` and a value of another type are
 * all absent, so that no single field breaks a reply (contract: unspecified.md, "Read leniently").
 */
export function lenient<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
	const read = readerOf(schema) as (value: unknown) => z.output<T> | undefined;
	return readBy(value => (isAbsent(value) ? undefined : read(value)));
}

/**
 * The schema of a text that a model, an agent or a person wrote. The word `None` is kept here, as dropping it would
 * change what they said.
 */
export const lenientText: z.ZodType<string | undefined> = readBy(value =>
	typeof value === 'string' ? value : undefined,
);

/** The schema of a number of tokens, which some services send as a text. Anything else counts as absent. */
export const lenientCount: z.ZodType<number | undefined> = readBy(value => {
	const count = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
	return typeof count === 'number' && Number.isFinite(count) ? count : undefined;
});

/**
 * Returns an equivalent object schema that reads in a fraction of the time if most fields are lenient: a page of a list
 * has more than a thousand of them. Its issues do not say which field did not fit.
 */
export function manyFields<T extends z.ZodObject>(schema: T): z.ZodType<z.output<T>> {
	const shape = Object.entries(schema.shape as Record<string, z.ZodType>);
	const demanded = shape.filter(([, field]) => !readers.has(field));
	const lenientFields = shape.flatMap(([name, field]) => {
		const read = readers.get(field);
		return read ? [{ name, read }] : [];
	});
	const read = (value: unknown): z.output<T> | undefined => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			return undefined;
		}
		const fields: Record<string, unknown> = { ...value };
		for (const [name, field] of demanded) {
			const parsed = field.safeParse(fields[name]);
			if (!parsed.success) {
				return undefined;
			}
			fields[name] = parsed.data;
		}
		for (const { name, read } of lenientFields) {
			const field = fields[name];
			if (field !== undefined) {
				fields[name] = read(field);
			}
		}
		return fields as z.output<T>;
	};
	const whole = z.unknown().transform((value, context): z.output<T> => {
		const fields = read(value);
		if (fields === undefined) {
			context.addIssue({ code: 'custom', message: 'does not fit' });
			return z.NEVER;
		}
		return fields;
	});
	readers.set(whole, read);
	return whole;
}

/**
 * The schema of a list in a reply: anything that is not a list becomes an empty list, and an entry that does not fit is
 * left out.
 */
export function lenientArray<T extends z.ZodType>(entry: T): z.ZodType<z.output<T>[]> {
	return z
		.unknown()
		.optional()
		.transform(value =>
			(Array.isArray(value) ? value : []).flatMap((candidate): z.output<T>[] => {
				const parsed = entry.safeParse(candidate);
				return parsed.success ? [parsed.data] : [];
			}),
		);
}

/**
 * The schema of a reply's main list: a reply without it does not fit, while null and `None` are an empty list. An entry
 * that does not fit becomes undefined, so that the other entries keep their positions.
 */
export function rowsOf<T extends z.ZodType>(entry: T): z.ZodType<(z.output<T> | undefined)[]> {
	const read = readerOf(entry) as (value: unknown) => z.output<T> | undefined;
	return z.preprocess(
		value => (value !== undefined && isAbsent(value) ? [] : value),
		z.array(z.unknown()).transform(rows => rows.map(row => (isAbsent(row) ? undefined : read(row)))),
	);
}
