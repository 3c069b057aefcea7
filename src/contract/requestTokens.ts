import { readImageHeader } from '../base/imageHeader.ts';
import { estimateTokens, imageTokens } from '../base/tokens.ts';
import type { ChatRequest } from './chatRequest.ts';

/** The tokens around each message: its role, and the marks between messages. */
const FRAME_TOKENS = 4;

/** An image known only by its address counts as much as the largest. */
const LARGEST = { width: 2_000, height: 2_000 };

/** The part of an image that is searched for its size, in bytes; base64 has four characters for every three. */
const HEADER_BYTES = 192 * 1024;

/** Estimates the tokens of a request for a model: its messages with their images, and its tools. */
export function estimateRequestTokens({ messages, tools = [] }: Pick<ChatRequest, 'messages' | 'tools'>): number {
	const forTools = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
	return messages.reduce((sum, { content, tool_calls: calls = [] }) => {
		const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
		const forParts = parts.map(part =>
			part.type === 'text' ? estimateTokens(part.text) : tokensOf(part.image_url.url),
		);
		const forCalls = calls.map(call => FRAME_TOKENS + estimateTokens(call.function.name + call.function.arguments));
		return [...forParts, ...forCalls].reduce((all, count) => all + count, sum + FRAME_TOKENS);
	}, forTools);
}

function tokensOf(url: string): number {
	const data = /^data:[^,]*;base64,/.exec(url)?.[0];
	const bytes = data && Buffer.from(url.slice(data.length, data.length + (HEADER_BYTES / 3) * 4), 'base64');
	return imageTokens((bytes && readImageHeader(bytes)) || LARGEST);
}
