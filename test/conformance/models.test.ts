import assert from 'node:assert/strict';
import { models } from '../support/contractServer/fixtures.ts';
import { prove } from './harness.ts';

describe('models', () => {
	prove('unspecified/inference/1', 'asks once for the list of models', async ({ client, server, lastRequest }) => {
		const found = await client.models.discover();
		assert.deepEqual(
			found?.map(({ id }) => id),
			models.map(({ id }) => id),
		);
		assert.equal(server.received.length, 1);
		assert.equal(`${lastRequest().method} ${lastRequest().path}`, 'GET /v1/models');
	});

	prove('unspecified/inference/1', 'changes nothing where there is no list, silently', async ({ client, server }) => {
		for (const reply of [
			{ status: 404, headers: {}, json: { error: 'Not found' } },
			{ status: 200, headers: {}, json: { models: ['a'] } },
			{ status: 200, headers: { 'content-type': 'text/html' }, text: '<p>Hello</p>' },
		]) {
			server.answer(() => true, reply);
			const before = server.received.length;
			assert.equal(await client.models.discover(), undefined);
			assert.equal(server.received.length, before + 1);
		}
	});
});
