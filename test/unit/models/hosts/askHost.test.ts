import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { networkFaultOf } from '../../../../src/base/networkFault.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { askHost, findParts, type HostField } from '../../../../src/models/hosts/askHost.ts';
import { makeCertificate } from '../../../support/certificates.ts';
import { ContractServer } from '../../../support/contractServer/contractServer.ts';
import { encryptedModel, keys, models } from '../../../support/contractServer/fixtures.ts';
import { type Answer, FaultServer, sendJson } from '../../../support/faultServer.ts';

const KEY = keys.inference;
const transport = createFetchTransport((address, init) => fetch(address, init));
const context = () => ({
	transport,
	logger: nullLogger,
	clock: systemClock,
	signal: new AbortController().signal,
});

describe('asking a host of a connection', () => {
	let service: ContractServer;
	let fault: FaultServer;
	const answer = (next: Answer) => {
		fault.answer = next;
	};

	before(async () => {
		service = await ContractServer.start();
	});
	after(() => service.stop());
	beforeEach(async () => {
		service.received.length = 0;
		fault = await FaultServer.start(response => void response.writeHead(404).end());
	});
	afterEach(() => fault.stop());

	const ask = (field: HostField, url: string, key?: string) => askHost({ kind: field, url, key }, context());

	it('tells of every host of the contract that it is there, without a key', async () => {
		const { hosts } = service;
		for (const [field, url, state] of [
			['apiUrl', hosts.public, 'wants-key'],
			['enterpriseUrl', hosts.enterprise, 'wants-key'],
			['cloudUrl', hosts.cloud, 'wants-key'],
			['agentUrl', hosts.agent, 'wants-key'],
			['orgUrl', hosts.org, 'answers'],
			['encryptUrl', hosts.encrypt, 'fits'],
			['dashboardUrl', hosts.public, 'answers'],
		] as const) {
			assert.equal((await ask(field, url)).state, state, field);
		}
		assert.ok(service.received.every(({ headers }) => headers.authorization === undefined));
		assert.ok(service.received.every(({ method }) => method === 'GET'));
	});

	it('asks the organisation’s host for a model of the channel', async () => {
		const channelModel = { model: encryptedModel.id, provider: 'vaultrun' };
		const asked = await askHost({ kind: 'orgUrl', url: service.hosts.org, channelModel }, context());
		assert.equal(service.received[0]?.path, `/enc/vaultrun/${encryptedModel.id}/health`);
		assert.equal(asked.state, 'fits');
	});

	it('lists the models with a key, and takes the version out of an address that has one', async () => {
		const asked = await ask('apiUrl', `${service.hosts.public}/v1`, KEY);
		assert.ok(asked.state === 'fits');
		assert.equal(asked.url, service.hosts.public);
		assert.deepEqual(
			asked.models?.map(({ id }) => id),
			models.map(({ id }) => id),
		);
	});

	it('tells a wrong key from everything else, and repeats none', async () => {
		answer((response, { headers }) =>
			sendJson(response, 401, { error: { message: `Incorrect key ${headers.authorization}` } }),
		);
		const asked = await ask('apiUrl', fault.origin, 'sk-wrong-0123456789');
		assert.ok(asked.state === 'failed');
		assert.equal(asked.error.code, 'unauthorised');
		assert.doesNotMatch(String(asked.error.serviceMessage), /sk-wrong/);
	});

	it('takes a service without a list by its chat endpoint, which gets no question and tells whether the key is refused', async () => {
		answer((response, { path, headers }) =>
			path !== '/v1/chat/completions'
				? void response.writeHead(404).end()
				: headers.authorization === `Bearer ${KEY}`
					? sendJson(response, 400, { error: 'model is required' })
					: sendJson(response, 401, { error: 'Unauthorized' }),
		);
		const { origin } = fault;
		assert.deepEqual(await ask('apiUrl', origin), { url: origin, state: 'wants-key', noList: true });
		assert.deepEqual(await ask('apiUrl', origin, KEY), { url: origin, state: 'fits', noList: true });
		const wrong = await askHost({ kind: 'service', url: origin, key: `${KEY}x` }, context());
		assert.ok(wrong.state === 'failed');
		assert.equal(wrong.error.code, 'unauthorised');
		const chats = fault.received.filter(({ method }) => method === 'POST');
		assert.deepEqual(
			chats.map(({ body, headers }) => [body, headers.authorization]),
			[
				['{}', undefined],
				['{}', `Bearer ${KEY}`],
				['{}', `Bearer ${KEY}x`],
			],
		);
		answer((response, { method }) => sendJson(response, method === 'POST' ? 400 : 404, { error: 'model is required' }));
		assert.deepEqual(await ask('apiUrl', origin), { url: origin, state: 'fits', noList: true });
	});

	it('does not mistake a web server, a login page or another service for one', async () => {
		answer((response, { method }) => void response.writeHead(method === 'POST' ? 405 : 404).end('<h1>nginx</h1>'));
		for (const field of ['apiUrl', 'cloudUrl', 'agentUrl', 'encryptUrl'] as const) {
			const asked = await ask(field, fault.origin);
			assert.ok(asked.state === 'failed' && asked.error.code === 'not-found', field);
		}
		answer(response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Log in</title>'));
		for (const field of ['apiUrl', 'cloudUrl', 'agentUrl', 'encryptUrl'] as const) {
			const asked = await ask(field, fault.origin);
			assert.ok(asked.state === 'failed' && asked.error.code === 'bad-response', field);
		}
		answer(response => sendJson(response, 200, { hello: 'world' }));
		for (const field of ['apiUrl', 'cloudUrl', 'encryptUrl'] as const) {
			assert.equal((await ask(field, fault.origin)).state, 'failed', field);
		}
	});

	it('recognises that nothing listens, and that a certificate is not trusted', async () => {
		const { origin } = fault;
		await fault.stop();
		const gone = await ask('apiUrl', origin);
		assert.ok(gone.state === 'failed' && gone.error.code === 'offline');
		const secure = createServer(makeCertificate({ hosts: ['127.0.0.1'] }), (_, response) => response.end());
		secure.listen(0, '127.0.0.1');
		await once(secure, 'listening');
		const asked = await ask('cloudUrl', `https://127.0.0.1:${(secure.address() as AddressInfo).port}`);
		secure.close();
		secure.closeAllConnections();
		assert.ok(asked.state === 'failed');
		assert.equal(networkFaultOf(asked.error)?.kind, 'certificate');
	});

	it('follows no redirect to another origin, so that no key gets there', async () => {
		answer(response => void response.writeHead(302, { location: `${service.hosts.public}/v1/models` }).end());
		const asked = await ask('apiUrl', fault.origin, KEY);
		assert.ok(asked.state === 'failed' && asked.error.code === 'bad-response');
		assert.deepEqual(service.received, []);
	});

	it('ends at once if it is given up', async () => {
		answer(() => {});
		const leaving = new AbortController();
		const asking = askHost({ kind: 'apiUrl', url: fault.origin }, { ...context(), signal: leaving.signal });
		leaving.abort();
		await assert.rejects(asking, { name: 'AbortError' });
	});

	it('asks an address of which nothing is known for a list, and without one for a chat of the contract', async () => {
		const unknown = (url: string) => askHost({ kind: 'service', url }, context());
		answer((response, { path }) =>
			path === '/v1/models' ? sendJson(response, 200, { data: [{ id: 'one' }] }) : void response.writeHead(404).end(),
		);
		const listed = await unknown(fault.origin);
		assert.deepEqual([listed.url, listed.state], [`${fault.origin}/v1`, 'fits']);
		answer((response, { path }) =>
			path === '/v1/chat/completions'
				? sendJson(response, 401, { error: 'Unauthorized' })
				: void response.writeHead(404).end(),
		);
		assert.deepEqual(await unknown(fault.origin), { url: fault.origin, state: 'wants-key', noList: true });
		answer(response => void response.writeHead(404).end());
		const nothing = await unknown(`${fault.origin}/v1`);
		assert.deepEqual([nothing.url, nothing.state], [`${fault.origin}/v1`, 'failed']);
	});

	describe('for other parts of its service', () => {
		it('finds those that answer at the same address', async () => {
			answer((response, { path }) => {
				if (path === '/api/tasks' || path === '/api/v1/tasks') {
					sendJson(response, 401, { error: 'Unauthorized' });
				} else if (path === '/health') {
					sendJson(response, 200, { status: 'healthy', crypto_status: 'ready' });
				} else {
					response.writeHead(404).end();
				}
			});
			const { origin } = fault;
			assert.deepEqual(await findParts(origin, context()), { cloudUrl: origin, agentUrl: origin, encryptUrl: origin });
			assert.ok(fault.received.every(({ headers }) => headers.authorization === undefined));
		});

		it('does not take the health of a plain model server for that of the encrypted channel', async () => {
			answer((response, { path }) =>
				path === '/health' ? sendJson(response, 200, { status: 'ok' }) : void response.writeHead(404).end(),
			);
			assert.deepEqual(await findParts(fault.origin, context()), {});
		});

		it('finds none behind a gateway that wants a key for everything, and none at a service without them', async () => {
			assert.deepEqual(await findParts(fault.origin, context()), {});
			answer(response => sendJson(response, 401, { error: 'Unauthorized' }));
			assert.deepEqual(await findParts(fault.origin, context()), {});
			assert.deepEqual(await findParts(service.hosts.public, context()), {});
		});
	});
});
