// contract: not shown. The list of models that services of this shape offer (unspecified.md).
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { isFields } from '../base/fields.ts';
import { hasInvisible } from '../base/invisible.ts';
import { lenient, rowsOf } from './lenient.ts';

const tokenCount = lenient(z.int().positive());

/** Servers of the Messages form have their own names for these fields. */
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

/** Returns further traits from a server of the Messages form: the longest reply in tokens, and support of images. */
export function listedTraits(model: ListedModel): { maxOutputTokens?: number; images?: boolean } {
	const { max_tokens: maxOutputTokens, capabilities } = listedTraitsSchema.parse(model);
	return defined({ maxOutputTokens, images: capabilities?.image_input?.supported });
}

/**
 * A body without a list in `data` does not fit. Entries that do not fit are left out, and so are embedding models and
 * rerankers, which cannot answer.
 */
export const modelListSchema = z.looseObject({
	data: rowsOf(listedModelSchema).transform(rows =>
		rows.filter(row => row !== undefined).filter(row => !isEmbedding(row)),
	),
});

/** Matches the names of embedding models and rerankers, because many lists hold nothing but names. */
const EMBEDDING_NAME =
	/embed|rerank|(?:^|[/:_-])(?:bge|gte|e5|uae|stella|all-minilm|all-mpnet|paraphrase|multi-qa|voyage)-|(?:^|[/:_-])(?:all-minilm|minilm)(?:$|[:_-])|sentence-transformers/i;

/** The fields in which services state a model's kind, each in a form of its own. */
const KIND_FIELDS = ['type', 'task', 'kind', 'capabilities', 'output_modalities', 'supported_output_modalities'];
const CHAT_WORD = /chat|completion|text-generation|\btext\b|\bllm\b|\bvlm\b|vision/i;

function isEmbedding(model: Record<string, unknown>): boolean {
	const told = KIND_FIELDS.flatMap(field => wordsOf(model[field])).filter(word => word !== 'model');
	const isChat = told.some(word => CHAT_WORD.test(word) && !EMBEDDING_NAME.test(word));
	return !isChat && [...told, String(model['id'])].some(word => EMBEDDING_NAME.test(word));
}

/** Returns the words in a text, in a list, or in the names of an object's true members. */
function wordsOf(value: unknown): string[] {
	if (isFields(value)) {
		return Object.keys(value).filter(name => value[name] === true);
	}
	return [value].flat().filter(word => typeof word === 'string');
}

/** Limits beyond any useful list and any real name. */
const MAXIMUM_MODELS = 2_000;
const MAXIMUM_NAME = 200;

/**
 * Returns the models that can be offered. An id with hidden characters is left out, as it could look like another
 * model's. A model with an unusable name is called by its id.
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
