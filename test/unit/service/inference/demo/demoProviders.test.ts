import assert from 'node:assert/strict';
import { systemClock } from '../../../../../src/base/async.ts';
import type { ChatRequest } from '../../../../../src/contract/chatRequest.ts';
import { splitDigest } from '../../../../../src/contract/images.ts';
import type { StoredImage } from '../../../../../src/service/images/imageShelf.ts';
import { demoProviders } from '../../../../../src/service/inference/demo/demoProviders.ts';
import { ProviderFailure, type ReplyChunk } from '../../../../../src/service/inference/provider.ts';
import { type WholeReply, wholeReply } from '../../../../../src/service/inference/wholeReply.ts';

const published: StoredImage[] = [];
const [first, second] = demoProviders({
	// Time is not what is tested here.
	clock: { ...systemClock, sleep: async (_, signal) => signal?.throwIfAborted() },
	publish: image => `http://127.0.0.1:1/${published.push(image)}`,
});

const request = (content: string, fields: Partial<ChatRequest> = {}): ChatRequest => ({
	model: 'demo',
	messages: [{ role: 'user', content }],
	...fields,
});

function chunks(body: ChatRequest, signal = new AbortController().signal): AsyncIterable<ReplyChunk> {
	assert.ok(first);
	return first.chat(body, signal);
}

async function whole(content: string, fields?: Partial<ChatRequest>): Promise<WholeReply> {
	return wholeReply(chunks(request(content, fields)));
}

const tools = [
	{ type: 'function' as const, function: { name: 'tide', parameters: { properties: { day: { type: 'integer' } } } } },
];

describe('demoProviders', () => {
	it('are two, with the same models at other prices and policies', () => {
		assert.deepEqual([first?.slug, second?.slug], ['demo', 'demo-two']);
		const [one = [], two = []] = [first?.offers(), second?.offers()];
		assert.deepEqual(
			one.map(({ id }) => id),
			two.map(({ id }) => id),
		);
		assert.notDeepEqual(one[0]?.prices, two[0]?.prices);
		assert.equal(one[0]?.dataPolicy?.zeroDataRetention, true);
		assert.equal(two[0]?.dataPolicy, undefined);
		assert.equal(two[0]?.parameters?.has('response_format'), false);
	});

	it('sends a call in fragments that together are its arguments', async () => {
		const fragments: string[] = [];
		const ids: (string | undefined)[] = [];
		for await (const { choices } of chunks(request('/demo parallel', { tools }))) {
			for (const { index, id, function: called } of choices[0]?.delta.tool_calls ?? []) {
				fragments[index ?? 0] = (fragments[index ?? 0] ?? '') + (called?.arguments ?? '');
				ids.push(...(id === undefined ? [] : [id]));
			}
		}
		assert.deepEqual(
			fragments.map(text => JSON.parse(text)),
			[{ day: 1 }, { day: 1 }],
		);
		assert.equal(new Set(ids).size, 2);
		const { choices } = await whole('/demo parallel', { tools });
		assert.equal(choices[0]?.finish_reason, 'tool_calls');
		assert.equal(choices[0]?.message.tool_calls?.length, 2);
	});

	it('ends at max_tokens wherever it is: in reasoning, in text, in a call', async () => {
		const all = (await whole('/demo tools', { tools })).usage?.completion_tokens ?? 0;
		for (const [prompt, most] of [
			['/demo reasoning', 4],
			['Hello', 4],
			['/demo tools', all - 1],
		] as const) {
			const { choices, usage } = await whole(prompt, { tools, max_tokens: most });
			assert.equal(choices[0]?.finish_reason, 'length', prompt);
			assert.equal(usage?.completion_tokens, most, prompt);
		}
		const exact = await whole('/demo tools', { tools, max_tokens: all });
		assert.equal(exact.choices[0]?.finish_reason, 'tool_calls');
	});

	it('counts reasoning within the completion', async () => {
		const { usage, choices } = await whole('/demo reasoning');
		const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? 0;
		assert.ok(reasoning > 0 && reasoning < (usage?.completion_tokens ?? 0));
		assert.match(choices[0]?.message.reasoning ?? '', /^The user wants/);
	});

	it('cites nothing of a text that was cut before the citations', async () => {
		const { choices } = await whole('x', { model: 'errand-search', max_tokens: 3 });
		assert.equal(choices[0]?.message.annotations, undefined);
		const stopped = await whole('x', { model: 'errand-search', stop: ['Statement 2'] });
		assert.equal(stopped.choices[0]?.message.annotations, undefined);
	});

	it('gives probabilities of tokens only where they are asked for', async () => {
		const format = { type: 'json_schema', json_schema: { schema: { enum: ['yes', 'no'] } } };
		const { choices } = await whole('Hello', { response_format: format, top_logprobs: 5 });
		const { content } = (choices[0]?.logprobs ?? { content: [] }) as {
			content: { token: string; logprob: number; top_logprobs: { token: string; logprob: number }[] }[];
		};
		assert.equal(content.map(({ token }) => token).join(''), choices[0]?.message.content);
		const listed = content.find(({ top_logprobs }) => top_logprobs.length === 2);
		const sum = (listed?.top_logprobs ?? []).reduce((total, { logprob }) => total + Math.exp(logprob), 0);
		assert.ok(Math.abs(sum - 1) < 1e-9);
		for (const top_logprobs of [undefined, 0]) {
			const plain = await whole('Hello', { response_format: format, ...(top_logprobs === 0 ? { top_logprobs } : {}) });
			assert.equal(plain.choices[0]?.logprobs, undefined);
		}
	});

	it('answers a description with the address of a PNG, no tokens, and a model with the digest of that image', async () => {
		const { choices, usage, model } = await whole('A harbour at dusk', { model: 'demo-image' });
		const image = published.at(-1);
		assert.equal(choices[0]?.message.content, `http://127.0.0.1:1/${published.length}`);
		assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [0, 0, 0]);
		assert.match(splitDigest(model ?? '', 'demo-image').digest ?? '', /^[0-9a-f]{16}$/);
		assert.equal(image?.contentType, 'image/png');
		const again = await whole('A harbour at dusk', { model: 'demo-image' });
		const other = await whole('A harbour at noon', { model: 'demo-image' });
		assert.equal(again.model, model);
		assert.notEqual(other.model, model);
	});

	it('refuses an image of nothing', async () => {
		await assert.rejects(whole('  ', { model: 'demo-image' }), { code: 'invalid_request' });
	});

	it('fails before the first chunk, in the middle, or without a word, as asked', async () => {
		for (const [prompt, code, isBefore] of [
			['/demo fail', 'unavailable', true],
			['/demo error', 'upstream_error', false],
			['/demo cut', 'cut', false],
		] as const) {
			let count = 0;
			await assert.rejects(
				async () => {
					for await (const _ of chunks(request(prompt))) {
						count++;
					}
				},
				(error: unknown) => error instanceof ProviderFailure && error.code === code,
			);
			assert.equal(count === 0, isBefore, prompt);
		}
	});

	it('ends with the reason of the signal', async () => {
		const gone = new AbortController();
		const reason = new Error('gone');
		await assert.rejects(async () => {
			for await (const _ of chunks(request('Hello'), gone.signal)) {
				gone.abort(reason);
			}
		}, reason);
	});
});
