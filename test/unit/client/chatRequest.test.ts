import assert from 'node:assert/strict';
import { checkChatRequest } from '../../../src/client/chat.ts';
import type { ChatRequest } from '../../../src/contract/chatRequest.ts';
import { testConnection } from './testClient.ts';

const connection = testConnection('https://api.example', {
	plan: 'enterprise',
	enterpriseUrl: 'https://enterprise.example',
	models: [
		{ id: 'large', contextLength: 1000 },
		{ id: 'tiny', contextLength: 1 },
		{ id: 'closed', openWeights: false },
	],
	aliases: [{ name: 'ours', model: 'large' }],
	providerPrefixes: [{ prefix: 'fast', provider: 'fast-host' }],
});
const messages: ChatRequest['messages'] = [{ role: 'user', content: 'secret' }];
const check = (fields: object, to = connection) => checkChatRequest(to, { model: 'large', messages, ...fields });

describe('checkChatRequest', () => {
	it('gives the request back as it is, with nothing filled in', () => {
		const request = { model: 'fast/large', messages, provider: { zdr: false, sort: { by: 'price' } } };
		assert.equal(checkChatRequest(connection, request), request);
		assert.deepEqual(request, { model: 'fast/large', messages, provider: { zdr: false, sort: { by: 'price' } } });
	});

	for (const model of ['large', 'ours', 'fast/large', 'testai/vega/large']) {
		it(`keeps max_tokens below the context length of ${model}`, () => {
			assert.throws(() => check({ model, max_tokens: 1000 }), {
				code: 'invalid-request',
				message: 'max_tokens is 1000; allowed: a whole number from 1 to 999, below the context length',
			});
			check({ model, max_tokens: 999 });
		});
	}

	it('leaves no max_tokens to a context of one', () => {
		assert.throws(() => check({ model: 'tiny', max_tokens: 1 }), /max_tokens is 1; allowed: none/);
	});

	it('leaves max_tokens free where no context length is known', () => {
		check({ model: 'other', max_tokens: 1e9 });
	});

	for (const [what, fields, message] of [
		[
			'a flat tool',
			{ tools: [{ type: 'function', name: 'a', parameters: {} }] },
			/^tools\[0\]\.function is missing; allowed: .*flat in the responses endpoint only$/,
		],
		[
			'a choice of tool that is not documented',
			{ tool_choice: 'any' },
			/^tool_choice is .*; allowed: "none", "auto", /,
		],
		[
			'an unknown sort',
			{ provider: { sort: 'x' } },
			/^provider\.sort is .*; allowed: "price", "throughput", "latency"/,
		],
		['an empty only', { provider: { only: [] } }, /^provider\.only is \[\]; not allowed: no provider may serve/],
		[
			'an only that is ignored',
			{ provider: { only: ['a'], ignore: ['a'] } },
			/^provider\.only is \["a"\]; not allowed: /,
		],
		[
			'a closed model on the own engine',
			{ model: 'test/closed' },
			/^model is "test\/closed"; .* serves only open models/,
		],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.throws(() => check(fields), { code: 'invalid-request', message });
		});
	}

	it('does not show what was written', () => {
		assert.throws(
			() => check({ messages: [{ role: 'user', content: { secret: 'secret' } }] }),
			(error: Error) => !error.message.includes('secret'),
		);
	});

	for (const model of ['fast/large', 'ours']) {
		it(`refuses ${model} for the public host`, () => {
			assert.throws(() => check({ model }, { ...connection, plan: 'public' }), {
				code: 'not-supported',
				message: new RegExp(`^model is "${model}"; not allowed: .* on the enterprise host alone`),
			});
		});
	}
});
