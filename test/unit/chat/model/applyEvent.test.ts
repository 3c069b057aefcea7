import assert from 'node:assert/strict';
import { applyEvent, MAXIMUM_TOKENS } from '../../../../src/chat/model/applyEvent.ts';
import type { ChatStreamEvent } from '../../../../src/client/types.ts';
import type { Usage } from '../../../../src/contract/chatReply.ts';
import { reply } from '../conversations.ts';

describe('an event of a reply', () => {
	const { endedAt: _, ...start } = reply({ state: 'streaming', text: '' });
	const replyAfter = (...events: ChatStreamEvent[]) => events.reduce(applyEvent, start);

	it('appends text and reasoning, each to its own', () => {
		const value = replyAfter(
			{ type: 'reasoning', text: 'Hm' },
			{ type: 'text', text: 'Be' },
			{ type: 'reasoning', text: 'm.' },
			{ type: 'text', text: 'cause.' },
		);
		assert.equal(value.text, 'Because.');
		assert.equal(value.reasoning, 'Hmm.');
	});

	it('says which model and provider served, and keeps what it does not say', () => {
		assert.deepEqual(replyAfter({ type: 'served', provider: 'provider-a' }), { ...start, provider: 'provider-a' });
		assert.equal(replyAfter({ type: 'served', model: 'large', id: 'x' }).model, 'large');
		assert.equal(replyAfter({ type: 'served', model: '' }).model, start.model);
		const leftOut = ['temperature'];
		assert.deepEqual(replyAfter({ type: 'served', leftOut }), { ...start, leftOut });
	});

	it('keeps the token counts that came and makes none up', () => {
		const nothing: Usage = {
			prompt_tokens: undefined,
			completion_tokens: undefined,
			total_tokens: undefined,
			completion_tokens_details: undefined,
			prompt_tokens_details: undefined,
		};
		const counted: Usage = {
			...nothing,
			prompt_tokens: 812,
			completion_tokens: 0,
			prompt_tokens_details: { cached_tokens: 340, audio_tokens: undefined },
		};
		assert.deepEqual(replyAfter({ type: 'usage', usage: counted }).usage, { prompt: 812, cached: 340, completion: 0 });
		assert.deepEqual(replyAfter({ type: 'usage', usage: nothing }).usage, {});
		const impossible = { ...counted, prompt_tokens: -5, completion_tokens: 1.5 };
		assert.deepEqual(replyAfter({ type: 'usage', usage: impossible }).usage, { cached: 340 });
	});

	it('keeps the probabilities of the first tokens, and of no more than can be saved often', () => {
		const token = (name: string) => ({ token: name, logprob: -1, top: Array(30).fill({ token: 'x', logprob: -2 }) });
		const { logprobs = [] } = replyAfter(
			{ type: 'logprobs', tokens: [token('a'), token('b')] },
			{ type: 'logprobs', tokens: Array(1_000).fill(token('c')) },
		);
		assert.deepEqual([logprobs[0]?.token, logprobs[1]?.token, logprobs.length], ['a', 'b', MAXIMUM_TOKENS]);
		assert.equal(logprobs[0]?.top.length, 20);
		const full = { ...start, logprobs };
		assert.equal(applyEvent(full, { type: 'logprobs', tokens: [token('d')] }), full);
	});

	it('changes nothing for what a chat reply does not have', () => {
		const value = replyAfter(
			{ type: 'text', text: '' },
			{ type: 'toolCall', index: 0, arguments: '{}' },
			{ type: 'annotations', annotations: [] },
			{ type: 'finish', reason: 'stop' },
		);
		assert.equal(value, start);
	});
});
