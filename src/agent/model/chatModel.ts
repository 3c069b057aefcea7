import { assistantMessage, ToolCallCollector } from '../../client/toolCalls.ts';
import type { Client } from '../../client/types.ts';
import type { ChatMessage, ToolCall } from '../../contract/chatRequest.ts';
import type { InputItem } from '../../contract/responses.ts';
import { imageIn } from '../conversation.ts';
import { parametersOf } from '../tools/tool.ts';
import { type Model, textIn, untilTooLong } from './model.ts';

/** A model that is used through chat completions, for services without a responses endpoint. */
export function chatModel(client: Pick<Client, 'chat'>, name: string): Model {
	return {
		name,
		async reply({ instructions, items, tools, signal, onText, onThought }) {
			const calls = new ToolCallCollector();
			let text = '';
			let isCut = false;
			let usage: { inputTokens: number; outputTokens: number } | undefined;
			const request = {
				model: name,
				messages: [{ role: 'system' as const, content: instructions }, ...messagesOf(items)],
				tools: tools.map(tool => ({
					type: 'function' as const,
					function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) },
				})),
			};
			for await (const event of untilTooLong(client.chat.stream(request, { signal }), name)) {
				calls.add(event);
				switch (event.type) {
					case 'text':
						text += event.text;
						await onText(event.text);
						break;
					case 'reasoning':
						await onThought(event.text);
						break;
					case 'usage':
						usage = {
							inputTokens: event.usage.prompt_tokens ?? 0,
							outputTokens: event.usage.completion_tokens ?? 0,
						};
						break;
					case 'finish':
						isCut = event.reason === 'length';
						break;
				}
			}
			return { items: itemsOf(text, calls.collected()), usage, isCut };
		},
	};
}

function itemsOf(text: string, calls: readonly ToolCall[]): InputItem[] {
	return [
		...(text === ''
			? []
			: [{ type: 'message' as const, role: 'assistant' as const, content: [{ type: 'output_text' as const, text }] }]),
		...calls.map(({ id, function: { name, arguments: given } }) => ({
			type: 'function_call' as const,
			call_id: id,
			name,
			arguments: given,
		})),
	];
}

/** Converts items into messages. An assistant's text and the calls after it form one message; reasoning is left out. */
function messagesOf(items: readonly InputItem[]): ChatMessage[] {
	const messages: ChatMessage[] = [];
	/** The images whose message is still to come: the results of calls follow each other directly. */
	let images: string[] = [];
	/** Some models do not accept two user messages in a row. */
	const say = (role: ChatMessage['role'], content: ChatMessage['content']) => {
		const before = messages.at(-1);
		if (before?.role !== role) {
			messages.push({ role, content });
		} else if (typeof before.content === 'string' && typeof content === 'string') {
			before.content = `${before.content}\n\n${content}`;
		} else {
			before.content = [...partsOf(before.content), ...partsOf(content)];
		}
	};
	const flushImages = () => {
		if (images.length > 0) {
			say(
				'user',
				images.map(url => ({ type: 'image_url', image_url: { url } })),
			);
			images = [];
		}
	};
	for (const item of items) {
		const image = imageIn(item);
		if (item.type === 'function_call_output') {
			const content = image === undefined ? item.output : 'The image is in the message after this.';
			messages.push({ role: 'tool', tool_call_id: item.call_id, content });
		} else if (image === undefined) {
			flushImages();
		}
		const turn = messages.at(-1);
		if (image !== undefined) {
			images.push(image);
		} else if (item.type === 'function_call') {
			const { call_id: id, name, arguments: given } = item;
			const call: ToolCall = { id, type: 'function', function: { name, arguments: given } };
			if (turn?.role === 'assistant') {
				turn.tool_calls = [...(turn.tool_calls ?? []), call];
			} else {
				messages.push(assistantMessage('', [call]));
			}
		} else if (item.type === undefined || item.type === 'message') {
			const content = textIn([item]);
			if (item.role !== 'assistant') {
				say(item.role, content);
			} else if (turn?.role === 'assistant' && turn.tool_calls === undefined) {
				turn.content = `${turn.content}${content}`;
			} else {
				messages.push(assistantMessage(content, []));
			}
		}
	}
	flushImages();
	return messages;
}

function partsOf(content: ChatMessage['content']) {
	return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}
