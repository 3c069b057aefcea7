import assert from 'node:assert/strict';
import { channelTarget } from '../../../../src/client/channel/address.ts';
import { testConnection } from '../testClient.ts';

describe('channelTarget', () => {
	const ORG = 'https://acme.channel.example';
	const SHARED = 'https://channel.example';
	const models = [{ id: 'large', channelProvider: 'fast-host' }, { id: 'small' }];
	const target = (fields: Record<string, unknown>, address: Parameters<typeof channelTarget>[2]) =>
		channelTarget(testConnection('https://api.example', { ...fields, models }), 'attestation', address);

	it('is scoped to model and provider on the organisation’s host', () => {
		const { route, values } = target({ orgUrl: ORG, encryptUrl: SHARED }, { model: 'small', provider: 'slow-host' });
		assert.equal(route.host, 'org');
		assert.equal(route.path, '/enc/{provider}/{model}/attestation');
		assert.deepEqual(values, { model: 'small', provider: 'slow-host' });
	});

	it('takes the provider that the connection names for the model', () => {
		assert.deepEqual(target({ orgUrl: ORG }, { model: 'large' }).values, { model: 'large', provider: 'fast-host' });
		assert.deepEqual(target({ orgUrl: ORG }, { model: 'large', provider: 'own' }).values, {
			model: 'large',
			provider: 'own',
		});
	});

	for (const [what, fields, address] of [
		['without a model', { orgUrl: ORG, encryptUrl: SHARED }, { provider: 'slow-host' }],
		['without a provider', { orgUrl: ORG, encryptUrl: SHARED }, { model: 'small' }],
		['without an organisation’s host', { encryptUrl: SHARED }, { model: 'large', provider: 'fast-host' }],
	] as const) {
		it(`is on the shared host ${what}`, () => {
			const { route, values } = target(fields, address);
			assert.equal(route.host, 'encrypt');
			assert.equal(route.path, '/attestation');
			assert.equal(values, undefined);
		});
	}

	it('is not supported without a host for it, and says what is missing', () => {
		assert.throws(() => target({}, { model: 'large' }), {
			code: 'not-supported',
			message: 'the connection "test" has no encryptUrl',
		});
		assert.throws(() => target({ orgUrl: ORG }, { model: 'small' }), {
			code: 'not-supported',
			message: 'the connection "test" has no encryptUrl; its orgUrl takes a model and a provider',
		});
	});

	it('is on https, or on this machine', () => {
		for (const field of ['orgUrl', 'encryptUrl']) {
			const plain = { ...testConnection('https://api.example'), [field]: 'http://channel.example' };
			assert.throws(() => channelTarget(plain, 'health', { model: 'a', provider: 'b' }), { code: 'not-supported' });
			const own = { ...testConnection('https://api.example'), [field]: 'http://127.0.0.1:4000' };
			assert.ok(channelTarget(own, 'health', { model: 'a', provider: 'b' }));
		}
	});

	it('sends no key but with messages', () => {
		const connection = testConnection('https://api.example', { encryptUrl: SHARED });
		assert.equal(channelTarget(connection, 'health', {}).route.key, undefined);
		assert.equal(channelTarget(connection, 'attestation', {}).route.key, undefined);
		assert.equal(channelTarget(connection, 'message', {}).route.key, 'inference');
		assert.equal(channelTarget(connection, 'messageStream', {}).route.key, 'inference');
	});
});
