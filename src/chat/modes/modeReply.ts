import type { Client } from '../../client/client.ts';
import type { ChatRequest } from '../../contract/chatRequest.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import type { TurnMode } from './model/mode.ts';
import type { Picture } from './model/picture.ts';

/** The models of a connection; one that it lacks is absent. */
export type ModeModels = Partial<Record<Exclude<TurnMode, 'chat'>, string>>;

/** Loads the picture at an address and keeps it beside the conversation. Never rejects. */
export type LoadPicture = (url: string) => Promise<Picture>;

/** Answers the last message of `request` with sources of the web, or with a picture. */
export function modeReply(
	mode: Exclude<TurnMode, 'chat'>,
	client: Client,
	request: ChatRequest,
	signal: AbortSignal,
	loadPicture: LoadPicture,
): AsyncIterable<ReplyEvent> {
	const { model, messages } = request;
	if (mode === 'search') {
		// The search model by itself takes no policy; the chat endpoint, of which it is a model, does.
		return request.provider ? client.chat.stream(request, { signal }) : client.search.stream(messages, { signal });
	}
	// An image model is told one prompt, never the conversation before it.
	const prompt = messages.at(-1)?.content;
	return pictureReply(client, { model, prompt: typeof prompt === 'string' ? prompt : '' }, signal, loadPicture);
}

async function* pictureReply(
	client: Client,
	request: { model: string; prompt: string },
	signal: AbortSignal,
	loadPicture: LoadPicture,
): AsyncIterable<ReplyEvent> {
	const { url, model, digest } = await client.images.generate(request, { signal });
	yield { type: 'served', model: digest === undefined ? model : `${model}:${digest}` };
	// What was paid for is in the file before anything else can go wrong.
	yield { type: 'text', text: url };
	yield { type: 'picture', picture: await loadPicture(url) };
	yield { type: 'finish', reason: 'stop' };
}
