// contract: not shown. The list of models that services of this shape offer (unspecified.md).
import * as z from 'zod';
import { hasInvisible } from '../base/invisible.ts';
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

/** Nobody looks through more, and a name this long belongs to no model. */
const MAXIMUM_MODELS = 2_000;
const MAXIMUM_NAME = 200;

/**
 * Returns the models that can be offered: an id with hidden characters could look like that of another model. A model whose
 * name is not usable is called by its id.
 */
export function usableModels(models: readonly ListedModel[]): ListedModel[] {
	const ids = new Set<string>();
	return models
		.filter(({ id }) => {
			const isNew = !ids.has(id);
			ids.add(id);
			return isNew && isUsable(id);
		})
		.slice(0, MAXIMUM_MODELS)
		.map(model => (model.name === undefined || isUsable(model.name) ? model : { ...model, name: undefined }));
}

function isUsable(name: string): boolean {
	return name.length <= MAXIMUM_NAME && name.trim() === name && !hasInvisible(name);
}
