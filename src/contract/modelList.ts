// contract: not shown. The list of models that services of this shape offer (unspecified.md).
import * as z from 'zod';
import { lenient, rowsOf } from './lenient.ts';

const listedModelSchema = z.looseObject({
	id: z.string().min(1),
	name: lenient(z.string()),
	/** The context length in tokens. */
	context_length: lenient(z.int().positive()),
});
export type ListedModel = z.output<typeof listedModelSchema>;

/** A body without a list in `data` does not fit; an entry that does not fit is left out. */
export const modelListSchema = z.looseObject({
	data: rowsOf(listedModelSchema).transform(rows => rows.filter(row => row !== undefined)),
});
