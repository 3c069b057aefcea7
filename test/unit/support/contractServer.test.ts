import assert from 'node:assert/strict';
import type { Tampering } from '../../support/contractServer/contractServer.ts';
import { connectionFields, models } from '../../support/contractServer/fixtures.ts';
import { Asker, type Json, refused } from './askContractServer.ts';

describe('contract server: every host', () => {
	const at = new Asker();

	it('refuses what is no endpoint, another method, no key, another kind of key and another content type', async () => {
		await refused(at.ask('public', '/v2/chat', { body: {} }), 404, '/v2/chat');
		await refused(at.ask('cloud', '/chat/completions', { body: {} }), 404, '/chat');
		await refused(at.ask('public', '/chat/completions'), 405, 'GET');
		await refused(at.ask('public', '/v1/models', { key: null }), 401, 'credentials');
		await refused(at.ask('public', '/v1/models', { key: at.server.keys.cloud }), 401, 'credentials');
		await refused(
			at.ask('public', '/chat/completions', { body: '{}', headers: { 'content-type': 'text/plain' } }),
			415,
			'application/json',
		);
		await refused(at.ask('public', '/chat/completions', { body: '{' }), 400, 'not JSON');
	});

	it('records each request as it came', async () => {
		await at.ask('cloud', '/api/tasks/a%2Fb?x=1%202');
		const [request] = at.server.received;
		assert.equal(request?.host, 'cloud');
		assert.equal(request.path, '/api/tasks/a%2Fb');
		assert.deepEqual(request.query, { x: '1 2' });
		assert.equal(request.headers.authorization, `Bearer ${at.server.keys.cloud}`);
	});

	it('gives the newest rule that matches the last word, and leaves other requests alone', async () => {
		at.server.answer(({ host }) => host === 'public', { status: 503, headers: { 'retry-after': '1' }, text: 'busy' });
		at.server.answer(
			({ path }) => path === '/v1/models',
			request => ({ status: 200, headers: {}, json: { host: request.host } }),
		);
		assert.deepEqual((await at.ask('public', '/v1/models', { key: null })).json, { host: 'public' });
		assert.equal((await at.chat()).status, 503);
		assert.equal((await at.chat({}, 'enterprise')).status, 200);
	});

	it('lets a tampering change request and reply, without a trace in later replies', async () => {
		let isOn = true;
		const tampering: Tampering = {
			request: request => {
				(request.json as Json).temperature = 3;
			},
			reply: reply => {
				if (isOn) {
					reply.status = 418;
					(reply.json as Json).error.message = 'changed';
				}
			},
		};
		await at.restart(tampering);
		await refused(at.chat(), 418, 'changed');
		isOn = false;
		await refused(at.chat(), 400, 'temperature');
		const [request] = at.server.received;
		assert.equal((request?.json as Json)?.temperature, 3);
	});

	it('describes itself as a connection', () => {
		const fields = connectionFields(at.server);
		assert.equal(fields.apiUrl, at.server.hosts.public);
		assert.equal(fields.agents.length, 4);
		assert.equal(fields.providerPrefixes.length, 13);
		assert.equal(new Set(fields.providerPrefixes.map(({ provider }) => provider)).size, 11);
	});

	it('lists the models', async () => {
		const { json } = await at.ask('enterprise', '/v1/models');
		assert.deepEqual(
			json.data.map(({ id }: Json) => id),
			models.map(({ id }) => id),
		);
	});
});
