import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/async.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { fetchAttestation } from '../../src/client/channel/attest.ts';
import { createCaller } from '../../src/client/core/caller.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { LIMITS } from '../../src/client/core/limits.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import type { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, encryptedModel, health } from '../support/contractServer/fixtures.ts';
import { prove } from './harness.ts';

const HEALTH = 'encrypted-channel/health-record';
const ATTESTATION = 'encrypted-channel/attestation-record';

const { id: model, channelProvider: provider = '' } = encryptedModel;
const scoped = `/enc/${provider}/${model}`;

/** Fetches an attestation on its own, as the client's session does at its start. */
const attest = (server: ContractServer, address: { model?: string; provider?: string } = {}) =>
	fetchAttestation(
		createCaller({
			connection: { name: 'contract', ...connectionSchema.parse(connectionFields(server)) },
			keys: () => assert.fail('a key was asked for'),
			transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
			logger: nullLogger,
			clock: systemClock,
			random: () => 0.5,
			limits: LIMITS,
		}),
		address,
		undefined,
	);

describe('the health of the encrypted channel', () => {
	for (const [index, field] of (['status', 'crypto_status', 'server', 'version'] as const).entries()) {
		prove(`${HEALTH}/${index + 1}`, `gives ${field} on both hosts`, async ({ client }) => {
			assert.equal((await client.channel.health())[field], health[field]);
			assert.equal((await client.channel.health({ model, provider }))[field], health[field]);
		});
	}

	for (const [index, field] of (['timestamp', 'worker_pid'] as const).entries()) {
		prove(`${HEALTH}/${index + 5}`, `gives ${field} on the organisation’s host`, async ({ client }) => {
			assert.equal((await client.channel.health({ model, provider }))[field], health[field]);
			assert.equal((await client.channel.health())[field], undefined);
		});
	}

	prove('encrypted-channel/endpoints/1', 'is asked for in both addressing forms', async context => {
		const { client, connect, server } = context;
		await client.channel.health();
		await client.channel.health({ model, provider });
		await client.channel.health({ model });
		await connect({ orgUrl: undefined }).channel.health({ model, provider });
		const asked = server.received.map(({ method, host, path }) => [method, host, path]);
		assert.deepEqual(asked, [
			['GET', 'encrypt', '/health'],
			['GET', 'org', `${scoped}/health`],
			['GET', 'org', `${scoped}/health`],
			['GET', 'encrypt', '/health'],
		]);
		const without = connect({ orgUrl: undefined, encryptUrl: undefined });
		await assert.rejects(without.channel.health({ model, provider }), { code: 'not-supported' });
	});

	prove('encrypted-channel/authentication/1', 'needs no key and gets none', async ({ client, connect, server }) => {
		await client.channel.health();
		await connect({}, { inference: undefined }).channel.health({ model, provider });
		await attest(server);
		assert.equal(server.received.length, 3);
		assert.ok(server.received.every(({ headers }) => headers.authorization === undefined));
	});
});

describe('the attestation of the encrypted channel', () => {
	const record = {
		public_key: '-----BEGIN PUBLIC KEY-----\nMHYwEAYH\n-----END PUBLIC KEY-----\n',
		session_id: 'session-41',
		nonce_b64: Buffer.alloc(32, 5).toString('base64'),
		signature: Buffer.alloc(103, 6).toString('base64'),
		report_json: '{"arch":\n"HOPPER"}',
		report: { arch: 'HOPPER' },
		gpu_eat: 'head.claims.signature',
	};
	const rows = Object.keys(record).map((_, index) => `${ATTESTATION}/${index + 1}`);

	prove(rows, 'gives every field as it was sent', async ({ server }) => {
		server.answer(({ path }) => path === '/attestation', { status: 200, headers: {}, json: record });
		assert.deepEqual(await attest(server), record);
	});

	prove('encrypted-channel/endpoints/2', 'is asked for in both addressing forms', async ({ server }) => {
		const own = await attest(server, { model, provider });
		const shared = await attest(server);
		assert.notEqual(own.session_id, shared.session_id);
		assert.match(own.public_key, /^-----BEGIN PUBLIC KEY-----/);
		const asked = server.received.map(({ method, host, path }) => [method, host, path]);
		assert.deepEqual(asked, [
			['GET', 'org', `${scoped}/attestation`],
			['GET', 'encrypt', '/attestation'],
		]);
	});
});
