import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import { imageDigest, imageModel, imageUrl } from '../support/contractServer/fixtures.ts';
import { prove } from './harness.ts';

const IMAGES = ['inference/endpoints/prose/2', 'inference/endpoints/prose/3'];
const prompt = 'A lighthouse at dusk, oil on canvas, low sun from the left, calm';

describe('the image client', () => {
	prove([...IMAGES, 'inference/endpoints/1'], 'generates an image with one message of a user', async context => {
		const { connect, lastRequest } = context;
		for (const plan of ['public', 'enterprise']) {
			const image = await connect({ plan }).images.generate({ model: imageModel.id, prompt });
			const { provider, id, usage, ...rest } = image;
			assert.deepEqual(rest, { url: imageUrl, model: imageModel.id, digest: imageDigest });
			assert.ok(provider && id, 'who served it is told');
			assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [0, 0, 0]);
			assert.deepEqual([lastRequest().host, lastRequest().path], [plan, '/chat/completions']);
			assert.deepEqual(lastRequest().json, { model: imageModel.id, messages: [{ role: 'user', content: prompt }] });
		}
	});

	prove('inference/endpoints/prose/2', 'refuses an empty prompt', async ({ client, server }) => {
		for (const nothing of ['', ' \n']) {
			const asked = client.images.generate({ model: imageModel.id, prompt: nothing });
			await assert.rejects(asked, { code: 'invalid-request', message: /^prompt is / });
		}
		assert.deepEqual(server.received, []);
	});

	prove('inference/endpoints/prose/3', 'accepts nothing but an address as an image', async ({ client, server }) => {
		for (const content of ['I would rather not.', 'data:image/png;base64,AA', 'javascript:alert(1)', '']) {
			server.answer(() => true, { status: 200, headers: {}, json: { choices: [{ index: 0, message: { content } }] } });
			await assert.rejects(client.images.generate({ model: imageModel.id, prompt }), (error: unknown) => {
				assert.ok(ClientError.is(error, 'bad-response'));
				assert.equal(error.serviceMessage, content || undefined);
				return true;
			});
		}
	});
});
