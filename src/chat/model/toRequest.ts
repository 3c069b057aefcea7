import type { ChannelMessage } from '../../contract/channel.ts';
import type { ChatMessage, ChatRequest } from '../../contract/chatRequest.ts';
import type { ReasoningItem } from '../../contract/responses.ts';
import { type Attachment, withAttachments } from './attachment.ts';
import { type Conversation, currentReply, findTurn, type Reply, shownReply, turnsUpTo } from './conversation.ts';
import { withInstructionFiles } from './instructions.ts';

/** This text is sent to the model and never shown. Models answer it in the language of the text before it. */
const GO_ON =
	'Your last reply was cut off. Go on exactly where its text ends, in the middle of the sentence or code if need be. Repeat nothing and write no introduction.';

/** A message of the user, and the reply to it that a request carries. The last exchange has no reply. */
interface Exchange {
	asked: ChatMessage;
	reply?: Reply;
}

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
	const messages = exchangesUpTo(conversation, turnId, images).flatMap(({ asked, reply }): ChatMessage[] =>
		reply ? [asked, { role: 'assistant', content: reply.text }] : [asked],
	);
	return { model, messages };
}

/**
 * Returns the reasoning items of each reply that `toRequest` puts into a request, in the same order. A model gets only
 * its own items: those of another model or connection are left out.
 */
export function reasoningIn(
	conversation: Conversation,
	turnId: string,
	{ connection, model }: { connection: string; model: string },
): (readonly ReasoningItem[])[] {
	return exchangesUpTo(conversation, turnId, new Map()).flatMap(({ reply }) =>
		reply ? [reply.connection === connection && reply.asked?.model === model ? (reply.reasoningItems ?? []) : []] : [],
	);
}

function exchangesUpTo(conversation: Conversation, turnId: string, images: ReadonlyMap<string, string>): Exchange[] {
	const exchanges: Exchange[] = [];
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
		const reply = shownReply(turn);
		if (reply.text.trim() !== '') {
			exchanges.push({ asked: ask(), reply });
			question = '';
			attached = [];
		}
	}
	return [...exchanges, { asked: ask() }];
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
 * Converts the messages of a request for the channel, which accepts only texts. The instruction files and the user's
 * own instructions come first.
 */
export function channelHistory(
	messages: readonly ChatMessage[],
	own: string,
	files?: readonly Attachment[],
): ChannelMessage[] {
	const instructions = withInstructionFiles(files, own);
	const texts = messages.map(({ role, content }): ChannelMessage => {
		if (role === 'tool' || typeof content !== 'string') {
			throw new TypeError('The encrypted channel takes texts alone.');
		}
		return { role, content };
	});
	return instructions.trim() === '' ? texts : [{ role: 'system', content: instructions }, ...texts];
}
