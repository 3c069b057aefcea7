import assert from 'node:assert/strict';
import { fetchAttestation, readAttestation } from '../../../../src/client/channel/attest.ts';
import type { Caller } from '../../../../src/client/core/caller.ts';
import { FaultServer, sendJson } from '../../../support/faultServer.ts';
import { testCaller } from '../testClient.ts';

const record = {
	public_key: '-----BEGIN PUBLIC KEY-----',
	session_id: 'sess-1',
	nonce_b64: Buffer.alloc(32, 1).toString('base64'),
	signature: Buffer.alloc(96, 2).toString('base64'),
	report_json: '{"arch":"HOPPER"}',
	report: { arch: 'HOPPER' },
	gpu_eat: 'a.b.c',
};

describe('the attestation', () => {
	let server: FaultServer;
	let caller: Caller;

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, record));
		const fields = { orgUrl: server.origin, encryptUrl: server.origin };
		caller = testCaller('https://api.example', { fields, keys: () => assert.fail('no key is needed') });
	});
	afterEach(() => server.stop());

	it('comes as it was sent, without a key', async () => {
		assert.deepEqual(await fetchAttestation(caller, {}, undefined), record);
		await fetchAttestation(caller, { model: 'large', provider: 'fast-host' }, undefined);
		assert.deepEqual(
			server.received.map(({ path }) => path),
			['/attestation', '/enc/fast-host/large/attestation'],
		);
		assert.ok(server.received.every(({ headers }) => headers.authorization === undefined));
	});

	it('names the field that does not fit, and not what it holds', () => {
		assert.throws(() => readAttestation({ ...record, session_id: 'secret\n' }), {
			code: 'bad-response',
			message: 'the reply is no attestation: session_id: must be a text of 1 to 512 printable characters',
		});
		assert.throws(() => readAttestation({ ...record, nonce_b64: 'secret' }), {
			message: 'the reply is no attestation: nonce_b64: must be base64',
		});
		for (const value of [null, [], 'text']) {
			assert.throws(() => readAttestation(value), { code: 'bad-response' });
		}
	});

	it('is refused from where a redirect leads, on the same origin too', async () => {
		server.answer = (response, { path }) =>
			path === '/elsewhere'
				? sendJson(response, 200, record)
				: void response.writeHead(307, { location: '/elsewhere' }).end();
		await assert.rejects(fetchAttestation(caller, {}, undefined), { code: 'bad-response', status: 307 });
		assert.equal(server.received.length, 1);
	});

	it('is refused with more than a megabyte', async () => {
		server.answer = response => sendJson(response, 200, { ...record, report_json: 'x'.repeat(1_000_000) });
		await assert.rejects(fetchAttestation(caller, {}, undefined), { code: 'bad-response', message: /1000000 bytes/ });
		server.answer = response => sendJson(response, 200, { ...record, report_json: 'x'.repeat(990_000) });
		assert.ok(await fetchAttestation(caller, {}, undefined));
	});

	for (const field of ['report', 'gpu_eat', 'another']) {
		it(`is refused where ${field} is nested so deeply that it could not be compared or written`, async () => {
			for (const levels of [40, 5000, 200_000]) {
				const nested = `${'['.repeat(levels)}${']'.repeat(levels)}`;
				const body = JSON.stringify({ ...record, [field]: 0 }).replace(`"${field}":0`, `"${field}":${nested}`);
				server.answer = response => void response.writeHead(200).end(body);
				await assert.rejects(fetchAttestation(caller, {}, undefined), { code: 'bad-response', message: /too deeply/ });
			}
		});
	}

	it('ends with the reader’s own abort', async () => {
		server.answer = () => {};
		const controller = new AbortController();
		const attestation = fetchAttestation(caller, {}, controller.signal);
		controller.abort();
		await assert.rejects(attestation, { code: 'aborted' });
	});
});
