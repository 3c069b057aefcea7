// Reads what an Ollama server reports about its models beyond the model list that all servers have.
import * as z from 'zod';
import type { Caller } from '../../../client/core/caller.ts';
import { PARAMETERS, type Parameter } from '../../../contract/chatRequest.ts';
import { lenient, lenientArray } from '../../../contract/lenient.ts';
import type { Route } from '../../../contract/routes.ts';

const SHOW: Omit<Route, 'key'> = { method: 'POST', host: 'inference', path: '/api/show' };

const shownSchema = z.looseObject({
	/** Versions before 0.6.4 do not report capabilities. */
	capabilities: lenient(z.array(z.string())),
	details: lenient(z.looseObject({ family: lenient(z.string()), families: lenientArray(z.string()) })),
});

/** Architectures that produce vectors instead of text, for versions that do not report a model's capabilities. */
const EMBEDDING_FAMILIES: ReadonlySet<string> = new Set(['bert', 'nomic-bert', 'nomic-bert-moe', 'xlm-roberta']);

/** Architectures that accept images, for the same versions. Other models list `clip` beside their own architecture. */
const VISION_FAMILIES: ReadonlySet<string> = new Set(['clip', 'mllama']);

const TOOL_PARAMETERS: ReadonlySet<Parameter> = new Set(['tools', 'tool_choice']);
const WITHOUT_TOOLS: readonly Parameter[] = PARAMETERS.filter(name => !TOOL_PARAMETERS.has(name));

export interface OllamaModel {
	/** False for an embedding model, which would refuse a conversation. */
	isChat: boolean;
	/** The parameters that the model supports, or undefined if it may support all of them. */
	parameters: readonly Parameter[] | undefined;
	/** True if the model accepts images in messages; undefined if that is unknown. */
	images: boolean | undefined;
}

/**
 * Returns undefined if the server did not answer. A model without further information is assumed to support everything.
 */
export async function readOllamaModel(
	caller: Caller,
	model: string,
	milliseconds: number,
	signal: AbortSignal,
): Promise<OllamaModel | undefined> {
	const call = { firstByteMs: milliseconds, idleMs: milliseconds, retry: 'never', signal } as const;
	const reply = await caller
		.json({ route: { ...SHOW, key: undefined }, body: { model }, ...call })
		.catch(() => undefined);
	if (reply === undefined) {
		return undefined;
	}
	const { capabilities, details } = shownSchema.safeParse(reply).data ?? {};
	if (capabilities === undefined || capabilities === null) {
		const families = [details?.family, ...(details?.families ?? [])].filter(family => typeof family === 'string');
		const isEmbedding = families.length > 0 && families.every(family => EMBEDDING_FAMILIES.has(family));
		const images = families.some(family => VISION_FAMILIES.has(family)) || undefined;
		return { isChat: !isEmbedding, parameters: undefined, images };
	}
	return {
		isChat: capabilities.includes('completion'),
		parameters: capabilities.includes('tools') ? undefined : WITHOUT_TOOLS,
		images: capabilities.includes('vision'),
	};
}
