import type { ChannelMessage } from '../../contract/channel.ts';
import type { ChatMessage, ChatRequest } from '../../contract/chatRequest.ts';
import { withAttachments } from './attachment.ts';
import { type Conversation, currentReply, findTurn, shownReply, turnsUpTo } from './conversation.ts';

/** This text is sent to the model and never shown. Models answer it in the language of the text before it. */
const GO_ON =
	'Your last reply was cut off. Go on exactly where its text ends, in the middle of the sentence or code if need be. Repeat nothing and write no introduction.';

/**
 * Builds the chat request for the turn `turnId` from the turns that led to it. A reply without text is left out; its
 * question is joined with the next one, because many models refuse two user messages in a row. Generated images are
 * left out with their prompts, because their addresses say nothing to a language model; an image model gets only its
 * own prompt. `images` has the attached images as `data:` URLs by file name; each follows the text of its message.
 */
export function toRequest(
	conversation: Conversation,
	turnId: string,
	model: string,
	images: ReadonlyMap<string, string> = new Map(),
): ChatRequest {
	const last = findTurn(conversation, turnId);
	if (last?.mode === 'image') {
		return { model, messages: [{ role: 'user', content: last.question }] };
	}
	const messages: ChatMessage[] = [];
	let question = '';
	let attached: string[] = [];
	const ask = (): ChatMessage => ({ role: 'user', content: withImages(question, attached) });
	for (const turn of turnsUpTo(conversation, turnId)) {
		if (turn.mode === 'image') {
			continue;
		}
		const asked = withAttachments(turn.question, turn.attachments);
		question = question === '' ? asked : `${question}\n\n${asked}`;
		attached = attached.concat(
			(turn.attachments ?? []).flatMap(({ image }) => (image && images.get(image.file)) ?? []),
		);
		if (turn.id === turnId) {
			break;
		}
		const answer = shownReply(turn).text;
		if (answer.trim() !== '') {
			messages.push(ask(), { role: 'assistant', content: answer });
			question = '';
			attached = [];
		}
	}
	messages.push(ask());
	return { model, messages };
}

function withImages(text: string, urls: readonly string[]): ChatMessage['content'] {
	return urls.length === 0
		? text
		: [{ type: 'text', text }, ...urls.map(url => ({ type: 'image_url' as const, image_url: { url } }))];
}

/** Builds the request that asks the model to continue the current reply of the turn `turnId`. */
export function toContinuationRequest(
	conversation: Conversation,
	turnId: string,
	model: string,
	images?: ReadonlyMap<string, string>,
): ChatRequest {
	const { messages } = toRequest(conversation, turnId, model, images);
	const turn = turnsUpTo(conversation, turnId).at(-1);
	const text = turn ? currentReply(turn).text : '';
	return {
		model,
		messages: [...messages, { role: 'assistant', content: text }, { role: 'user', content: GO_ON }],
	};
}

/**
 * Converts the messages of a request for the channel, which takes only texts, with the user's instructions before them.
 */
export function channelHistory(messages: readonly ChatMessage[], instructions: string): ChannelMessage[] {
	const texts = messages.map(({ role, content }): ChannelMessage => {
		if (role === 'tool' || typeof content !== 'string') {
			throw new TypeError('The encrypted channel takes texts alone.');
		}
		return { role, content };
	});
	return instructions.trim() === '' ? texts : [{ role: 'system', content: instructions }, ...texts];
}
