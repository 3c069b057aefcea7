import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/async.ts';
import type { Usage } from '../../../contract/chatReply.ts';
import type { Parameter } from '../../../contract/chatRequest.ts';
import type { StoredImage } from '../../images/imageShelf.ts';
import {
	type ModelOffer,
	type Provider,
	ProviderFailure,
	type ProviderRequest,
	type ReplyChunk,
	type ReplyDelta,
} from '../provider.ts';
import { demoImage } from './demoImage.ts';
import { chatReply, filledForm, promptOf, searchReply, textOf } from './demoReplies.ts';

export interface DemoProviderOptions {
	clock: Clock;
	publish(image: StoredImage): string;
}

export const DEMO_MODEL = 'demo';

const SEARCH_MODEL = 'errand-search';
const IMAGE_MODEL = 'demo-image';
/** The pause between two words, so that a reply is seen to stream. */
const PAUSE_MS = 15;
const DIGEST_LENGTH = 16;

/**
 * Creates the built-in provider, which is always available. It has no model behind it: it gives one reply for each
 * endpoint, which says so and shows what a reply can look like. Its tokens are words, and nothing is charged for them.
 */
export function demoProvider({ clock, publish }: DemoProviderOptions): Provider {
	const common = {
		openWeights: true,
		prices: { input: 0, output: 0 },
		dataPolicy: { zeroDataRetention: true, storesData: false },
		parameters: new Set<Parameter>(['response_format']),
	} as const;
	const offers: ModelOffer[] = [
		{ ...common, id: DEMO_MODEL, label: 'Demo', kinds: ['chat'], images: true },
		{ ...common, id: SEARCH_MODEL, label: 'Demo search', kinds: ['search'] },
		{ ...common, id: IMAGE_MODEL, label: 'Demo image', kinds: ['image'] },
	];
	return {
		slug: 'demo',
		label: 'Demo',
		isDedicated: false,
		prefixes: ['demo'],
		offers: () => offers,
		chat: (request, signal) =>
			request.model === IMAGE_MODEL ? image(request, publish) : words(request, clock, signal),
	};
}

const chunkOf = (delta: ReplyDelta, finish_reason: string | null = null): ReplyChunk => ({
	choices: [{ index: 0, delta, finish_reason }],
});

/** Yields a reply whose whole content is the image's URL, and counts no tokens (contract: inference.md, Endpoints). */
async function* image(
	request: ProviderRequest,
	publish: DemoProviderOptions['publish'],
): AsyncGenerator<ReplyChunk, undefined> {
	const prompt = promptOf(request);
	if (prompt.trim() === '') {
		throw new ProviderFailure('invalid_request', 'messages: an image needs a description of what it is to show.');
	}
	const bytes = demoImage(prompt);
	const digest = createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_LENGTH);
	const model = `${request.model}:${digest}`;
	yield { ...chunkOf({ role: 'assistant', content: publish({ bytes, contentType: 'image/png' }) }), model };
	yield { ...chunkOf({}, 'stop'), model };
	yield { choices: [], usage: usageOf(0, 0), model };
}

async function* words(
	request: ProviderRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ReplyChunk, undefined> {
	const isSearch = request.model === SEARCH_MODEL;
	const { text, annotations } = isSearch ? searchReply(request) : (filledForm(request) ?? chatReply(request));
	yield chunkOf({ role: 'assistant', content: '' });
	const pieces = text.match(/\s*\S+/g) ?? [];
	for (const content of pieces) {
		yield chunkOf({ content });
		await clock.sleep(PAUSE_MS, signal);
	}
	yield chunkOf(annotations === undefined ? {} : { annotations }, 'stop');
	const prompted = request.messages.reduce((count, message) => count + (textOf(message).match(/\S+/g)?.length ?? 0), 0);
	yield { choices: [], usage: usageOf(prompted, pieces.length) };
}

function usageOf(prompt: number, completion: number): Usage {
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		prompt_tokens_details: undefined,
		completion_tokens_details: undefined,
	};
}
