import assert from 'node:assert/strict';
import { estimateTokens, imageTokens } from '../../../src/base/tokens.ts';
import type { ChatMessage } from '../../../src/contract/chatRequest.ts';
import { estimateRequestTokens } from '../../../src/contract/requestTokens.ts';

/** A PNG of 750 × 100 pixels, as far as its header goes. */
const HEADER = Buffer.concat([
	Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
	Buffer.from([0, 0, 0x02, 0xee, 0, 0, 0, 100]),
	Buffer.alloc(16),
]);

const estimate = (...messages: ChatMessage[]) => estimateRequestTokens({ messages });
const frame = estimate({ role: 'user', content: '' });

describe('the estimate of a request’s tokens', () => {
	it('counts texts, calls and tools', () => {
		const text = 'What is the answer to all questions?';
		assert.equal(estimate({ role: 'user', content: text }), frame + estimateTokens(text));
		assert.equal(estimate({ role: 'user', content: [{ type: 'text', text }] }), frame + estimateTokens(text));
		const call = { id: 'a', type: 'function' as const, function: { name: 'read', arguments: '{"path":"a.ts"}' } };
		assert.ok(
			estimate({ role: 'assistant', content: '', tool_calls: [call] }) > frame + estimateTokens('{"path":"a.ts"}'),
		);
		const tools = [{ type: 'function' as const, function: { name: 'read', description: text } }];
		assert.ok(estimateRequestTokens({ messages: [], tools }) > estimateTokens(text));
	});

	it('counts an image by its size, and as a large one where that is not known', () => {
		const image = (url: string) => estimate({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });
		assert.equal(image(`data:image/png;base64,${HEADER.toString('base64')}`), frame + 100);
		const largest = frame + imageTokens({ width: 5_000, height: 5_000 });
		assert.equal(image('https://a.invalid/b.png'), largest);
		assert.equal(image('data:image/png;base64,AAAA'), largest);
	});
});
