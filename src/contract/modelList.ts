// contract: not shown. The list of models that services of this shape offer (unspecified.md).
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { isFields } from '../base/fields.ts';
import { hasInvisible } from '../base/invisible.ts';
import { lenient, rowsOf } from './lenient.ts';

const tokenCount = lenient(z.int().positive());

/** Servers of the Messages form have names of their own for these. */
function withUsualNames(model: unknown): unknown {
	return isFields(model)
		? {
				...model,
				name: model['name'] ?? model['display_name'],
				context_length: model['context_length'] ?? model['max_input_tokens'],
			}
		: model;
}

const listedModelSchema = z.preprocess(
	withUsualNames,
	z.looseObject({
		id: z.string().min(1),
		name: lenient(z.string()),
		/** The context length in tokens. */
		context_length: tokenCount,
	}),
);
export type ListedModel = z.output<typeof listedModelSchema>;

const listedTraitsSchema = z.object({
	max_tokens: tokenCount,
	capabilities: lenient(z.object({ image_input: lenient(z.object({ supported: lenient(z.boolean()) })) })),
});

/** What a server of the Messages form tells of a model beyond that: the longest reply in tokens, and whether it takes images. */
export function listedTraits(model: ListedModel): { maxOutputTokens?: number; images?: boolean } {
	const { max_tokens: maxOutputTokens, capabilities } = listedTraitsSchema.parse(model);
	return defined({ maxOutputTokens, images: capabilities?.image_input?.supported });
}

/**
 * A body without a list in `data` does not fit. An entry that does not fit is left out, and so is a model that answers
 * nobody, as it turns texts into vectors or ranks them.
 */
export const modelListSchema = z.looseObject({
	data: rowsOf(listedModelSchema).transform(rows =>
		rows.filter(row => row !== undefined).filter(row => !isEmbedding(row)),
	),
});

/** The names of embedding models and rerankers, for the many lists that have nothing but names. */
const EMBEDDING_NAME =
	/embed|rerank|(?:^|[/:_-])(?:bge|gte|e5|uae|stella|all-minilm|all-mpnet|paraphrase|multi-qa|voyage)-|(?:^|[/:_-])(?:all-minilm|minilm)(?:$|[:_-])|sentence-transformers/i;

/** What services say of a model's kind, each in a field and a form of its own. */
const KIND_FIELDS = ['type', 'task', 'kind', 'capabilities', 'output_modalities', 'supported_output_modalities'];
const CHAT_WORD = /chat|completion|text-generation|\btext\b|\bllm\b|\bvlm\b|vision/i;

function isEmbedding(model: Record<string, unknown>): boolean {
	const told = KIND_FIELDS.flatMap(field => wordsOf(model[field])).filter(word => word !== 'model');
	const isChat = told.some(word => CHAT_WORD.test(word) && !EMBEDDING_NAME.test(word));
	return !isChat && [...told, String(model['id'])].some(word => EMBEDDING_NAME.test(word));
}

/** Returns the words of a text, of a list, or of an object that has them as the names of what is true. */
function wordsOf(value: unknown): string[] {
	if (isFields(value)) {
		return Object.keys(value).filter(name => value[name] === true);
	}
	return [value].flat().filter(word => typeof word === 'string');
}

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
