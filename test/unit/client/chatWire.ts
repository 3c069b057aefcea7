import type { ChatStreamEvent } from '../../../src/client/types.ts';
import type { ChatRequest } from '../../../src/contract/chatRequest.ts';
import { sseEvent } from '../../support/faultServer.ts';

export const request: ChatRequest = { model: 'large', messages: [{ role: 'user', content: 'Why is the sky blue?' }] };

/** The event that ends a chat stream. */
export const DONE = sseEvent('[DONE]');

/** The event of one chunk with this delta. */
export function chunk(
	delta: unknown,
	fields: Record<string, unknown> = {},
	choice: Record<string, unknown> = {},
): string {
	return sseEvent({
		object: 'chat.completion.chunk',
		choices: [{ index: 0, delta, finish_reason: null, ...choice }],
		...fields,
	});
}

export function textOf(events: readonly ChatStreamEvent[]): string {
	return events.map(event => (event.type === 'text' ? event.text : '')).join('');
}
