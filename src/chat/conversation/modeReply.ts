import type { Client } from '../../client/types.ts';
import type { ChatRequest } from '../../contract/chatRequest.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import type { TurnMode } from '../model/mode.ts';
import type { Picture } from '../model/picture.ts';
import type { PictureStore } from '../storage/pictureStore.ts';

/** The models of a connection; one that it lacks is absent. */
export type ModeModels = Partial<Record<Exclude<TurnMode, 'chat'>, string>>;

export interface ReplyDependencies {
	client(): Promise<Client>;
	pictures: Pick<PictureStore, 'load'>;
	mode: TurnMode;
	/** The id of the conversation, beside which a picture is kept. */
	conversation: string;
	signal: AbortSignal;
}

/** Answers the last message of `request`: by the model, with sources of the web, or with a picture. */
export async function replyTo(
	request: ChatRequest,
	{ client: connect, pictures, mode, conversation, signal }: ReplyDependencies,
): Promise<AsyncIterable<ReplyEvent>> {
	const client = await connect();
	const { model, messages } = request;
	switch (mode) {
		case 'chat':
			return client.chat.stream(request, { signal });
		case 'search': {
			const { provider } = request;
			return client.search.stream(messages, provider ? { signal, provider } : { signal });
		}
		case 'image': {
			// An image model is told one prompt, never the conversation before it.
			const prompt = messages.at(-1)?.content;
			const asked = { model, prompt: typeof prompt === 'string' ? prompt : '' };
			return pictureReply(client, asked, signal, url => pictures.load(conversation, url, signal));
		}
	}
}

async function* pictureReply(
	client: Client,
	request: { model: string; prompt: string },
	signal: AbortSignal,
	loadPicture: (url: string) => Promise<Picture>,
): AsyncIterable<ReplyEvent> {
	const { url, model, digest } = await client.images.generate(request, { signal });
	yield { type: 'served', model: digest === undefined ? model : `${model}:${digest}` };
	// What was paid for is in the file before anything else can go wrong.
	yield { type: 'text', text: url };
	yield { type: 'picture', picture: await loadPicture(url) };
	yield { type: 'finish', reason: 'stop' };
}
