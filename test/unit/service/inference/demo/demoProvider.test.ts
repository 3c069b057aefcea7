import assert from 'node:assert/strict';
import { systemClock } from '../../../../../src/base/async.ts';
import type { ChatRequest } from '../../../../../src/contract/chatRequest.ts';
import { placeCitations } from '../../../../../src/contract/citations.ts';
import { splitDigest } from '../../../../../src/contract/images.ts';
import { responseFormatFor } from '../../../../../src/service/decisions/form.ts';
import type { StoredImage } from '../../../../../src/service/images/imageShelf.ts';
import { demoProvider } from '../../../../../src/service/inference/demo/demoProvider.ts';
import { type WholeReply, wholeReply } from '../../../../../src/service/inference/wholeReply.ts';

const published: StoredImage[] = [];
const demo = demoProvider({
	// Time is not what is tested here.
	clock: { ...systemClock, sleep: async (_, signal) => signal?.throwIfAborted() },
	publish: image => `http://127.0.0.1:1/${published.push(image)}`,
});

const request = (content: string, fields: Partial<ChatRequest> = {}): ChatRequest => ({
	model: 'demo',
	messages: [{ role: 'user', content }],
	...fields,
});

const chunks = (body: ChatRequest, signal = new AbortController().signal) => demo.chat(body, signal);

const whole = (content: string, fields?: Partial<ChatRequest>): Promise<WholeReply> =>
	wholeReply(chunks(request(content, fields)));

async function textOf(content: string, fields?: Partial<ChatRequest>): Promise<string> {
	return (await whole(content, fields)).choices[0]?.message.content ?? '';
}

describe('the demo', () => {
	it('says in every reply in words that it is no language model', async () => {
		for (const model of ['demo', 'errand-search']) {
			for (const prompt of ['Hello', '']) {
				assert.match(await textOf(prompt, { model }), /^This is Errand's built-in demo, not a language model\./);
			}
		}
	});

	it('repeats the prompt in a code block that the prompt cannot end, and shows code', async () => {
		const text = await textOf('Try ``` to escape\n```` here');
		assert.match(text, /^`{5}text\nTry ``` to escape ```` here\n`{5}$/m);
		assert.match(text, /^```ts\n/m);
	});

	it('repeats little of a prompt that is long, whatever it holds', async () => {
		for (const prompt of ['` '.repeat(1_000_000), ' '.repeat(1_000_000), '🔎'.repeat(1_000_000)]) {
			for (const model of ['demo', 'errand-search']) {
				assert.ok((await textOf(prompt, { model })).length < 2_000);
			}
		}
	});

	it('counts the images of the last message, which it cannot see', async () => {
		const image = { type: 'image_url' as const, image_url: { url: 'data:,' } };
		const told = (...content: (typeof image)[]) =>
			textOf('', { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...content] }] });
		assert.match(await told(image), /\*\*1\*\* image that the demo cannot see:\n\n```text\nWhat is it\?\n/);
		assert.match(await told(image, image), /\*\*2\*\* images/);
		assert.doesNotMatch(await told(), /images? that/);
	});

	it('streams words that together are the text, and counts them', async () => {
		const pieces: string[] = [];
		for await (const { choices } of chunks(request('Hello there'))) {
			pieces.push(...choices.flatMap(({ delta }) => delta.content || []));
		}
		const { choices, usage } = await whole('Hello there');
		assert.equal(pieces.join(''), choices[0]?.message.content);
		assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens], [2, pieces.length]);
		assert.equal(choices[0]?.finish_reason, 'stop');
	});

	it('cites sources whose places are statements of its text, and says that they are made up', async () => {
		const { choices } = await whole('Where is 🔎 the harbour?', { model: 'errand-search' });
		const { content = '', annotations = [] } = choices[0]?.message ?? {};
		const cited = placeCitations(content, annotations).map(({ range }) => content.slice(range?.start, range?.end));
		assert.deepEqual(cited, ['Statement 1 has a source.', 'Statement 2 has a source.']);
		assert.match(content, /Nothing was searched for/);
	});

	it('answers a decision with an option, and holds none for likelier than another', async () => {
		const options = ['A', 'B', 'C', 'D'].map(label => ({ label, name: label, description: label }));
		const text = await textOf('Which?', { response_format: responseFormatFor(options) });
		assert.deepEqual(JSON.parse(text), { answer: 'A', probability: 0.25 });
	});

	it('refuses any other format, instead of passing over it', async () => {
		for (const response_format of [
			{ type: 'json_object' },
			{ type: 'json_schema', json_schema: { schema: { type: 'object' } } },
			{ type: 'yaml' },
		]) {
			await assert.rejects(whole('Hello', { response_format }), {
				code: 'invalid_request',
				message: /^response_format: /,
			});
		}
		assert.match(await textOf('Hello', { response_format: { type: 'text' } }), /demo/);
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
