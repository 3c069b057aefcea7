import assert from 'node:assert/strict';
import { splitDigest } from '../../../src/contract/images.ts';
import { conformance, type Implementation } from './harness.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';

interface RawReply {
	model: string;
	choices: { message: { content: string } }[];
	usage: Record<string, unknown>;
}

const generate = async (implementation: Implementation, content: string): Promise<RawReply> => {
	const messages = [{ role: 'user', content }];
	const body = JSON.stringify({ model: implementation.imageModel, messages });
	const response = await implementation.fetch('/chat/completions', { method: 'POST', body });
	assert.equal(response.status, 200, await response.clone().text());
	return (await response.json()) as RawReply;
};

conformance('images', verifies => {
	verifies(
		['inference/endpoints/1', 'inference/endpoints/prose/2', 'inference/endpoints/prose/3'],
		'a description is answered with the address of an image that whoever has the address can see',
		async implementation => {
			const { url, model, digest } = await implementation.client.images.generate({
				model: implementation.imageModel,
				prompt: 'A harbour at dusk, in oil, seen from above',
			});
			assert.equal(model, implementation.imageModel);
			assert.ok(digest);
			// Without the key: a page that shows it has none.
			const response = await fetch(url);
			assert.equal(response.status, 200);
			assert.equal(response.headers.get('content-type'), 'image/png');
			assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
			const bytes = Buffer.from(await response.arrayBuffer());
			assert.equal(bytes.toString('hex', 0, 8), PNG_SIGNATURE);
			assert.equal(Number(response.headers.get('content-length')), bytes.length);
		},
	);

	verifies(
		'inference/endpoints/prose/3',
		'the content is the address alone, and no tokens are counted',
		async implementation => {
			const { choices, usage, model } = await generate(implementation, 'A harbour');
			assert.ok(URL.canParse(choices[0]?.message.content ?? ''));
			for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
				assert.equal(usage[field], 0, field);
			}
			assert.equal(splitDigest(model, implementation.imageModel).model, implementation.imageModel);
		},
	);

	verifies(
		'inference/endpoints/1',
		'each image has an address that cannot be guessed from another',
		async implementation => {
			const addresses = await Promise.all(
				['A harbour', 'A harbour'].map(
					async prompt => (await generate(implementation, prompt)).choices[0]?.message.content,
				),
			);
			const [one = '', two = ''] = addresses;
			assert.notEqual(one, two);
			assert.ok((new URL(one).pathname.split('/').at(-1) ?? '').length >= 43);
			for (const wrong of [new URL('.', one).href, `${one}x`, one.slice(0, -1), `${one}/..`]) {
				assert.ok([401, 404].includes((await fetch(wrong)).status), wrong);
			}
		},
	);

	verifies(
		'inference/endpoints/1',
		'a page of the web cannot read an image, and nobody can write one',
		async implementation => {
			const url = (await generate(implementation, 'A harbour')).choices[0]?.message.content ?? '';
			assert.equal((await fetch(url, { headers: { origin: 'https://example.com' } })).status, 403);
			for (const method of ['POST', 'PUT', 'DELETE']) {
				assert.equal((await fetch(url, { method })).status, 401, method);
			}
			assert.equal((await fetch(url)).status, 200);
		},
	);

	verifies('inference/endpoints/prose/2', 'an image of nothing is refused', async implementation => {
		const body = JSON.stringify({ model: implementation.imageModel, messages: [{ role: 'user', content: ' ' }] });
		const response = await implementation.fetch('/chat/completions', { method: 'POST', body });
		assert.equal(response.status, 400);
		assert.match(await response.text(), /description/);
	});
});
