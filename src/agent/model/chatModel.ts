import { append } from '../../base/append.ts';
import { assistantMessage, ToolCallCollector } from '../../client/toolCalls.ts';
import type { Client } from '../../client/types.ts';
import type { ChatMessage, ToolCall } from '../../contract/chatRequest.ts';
import type { InputItem } from '../../contract/responses.ts';
import { imageIn } from '../conversation.ts';
import { parametersOf } from '../tools/tool.ts';
import { type Model, untilTooLong } from './model.ts';

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
	let said: string | undefined;
	let calls: ToolCall[] = [];
	let images: string[] = [];
	const flush = () => {
		if (said !== undefined || calls.length > 0) {
			messages.push(assistantMessage(said, calls));
		}
		said = undefined;
		calls = [];
	};
	/** The results of calls follow each other directly, so images come in a message after them. */
	const flushImages = () => {
		const parts = images.map(url => ({ type: 'image_url' as const, image_url: { url } }));
		const before = messages.at(-1);
		if (before?.role === 'user' && parts.length > 0) {
			const text = before.content;
			before.content = [...(typeof text === 'string' ? [{ type: 'text' as const, text }] : text), ...parts];
		} else if (parts.length > 0) {
			messages.push({ role: 'user', content: parts });
		}
		images = [];
	};
	for (const item of items) {
		const image = imageIn(item);
		if (item.type !== 'function_call_output' && image === undefined) {
			flushImages();
		}
		if (item.type === 'function_call') {
			const { call_id: id, name, arguments: given } = item;
			calls.push({ id, type: 'function', function: { name, arguments: given } });
		} else if (item.type === 'function_call_output') {
			flush();
			const content = image === undefined ? item.output : 'The image is in the message after this.';
			append(images, image === undefined ? [] : [image]);
			messages.push({ role: 'tool', tool_call_id: item.call_id, content });
		} else if (image !== undefined) {
			flush();
			images.push(image);
		} else if (item.type !== 'reasoning') {
			const content = typeof item.content === 'string' ? item.content : item.content.map(({ text }) => text).join('');
			if (item.role === 'assistant' && calls.length === 0) {
				said = (said ?? '') + content;
			} else {
				flush();
				const before = messages.at(-1);
				if (item.role === 'assistant') {
					said = content;
				} else if (before?.role === item.role) {
					// Some models do not accept two user messages in a row.
					before.content =
						typeof before.content === 'string'
							? `${before.content}\n\n${content}`
							: [...before.content, { type: 'text', text: content }];
				} else {
					messages.push({ role: item.role, content });
				}
			}
		}
	}
	flush();
	flushImages();
	return messages;
}
