import assert from 'node:assert/strict';
import { channelPlaces } from '../../../../src/channel/model/places.ts';
import { testConnection } from '../../client/testClient.ts';

const orgUrl = 'https://acme.example';
const encryptUrl = 'https://enc.example';
const placesOf = (fields: Record<string, unknown>) =>
	channelPlaces(testConnection('https://api.example', fields)).map(({ address, url }) => [address, url]);

describe('the place of a connection’s encrypted channel', () => {
	it('is nowhere without a host for it', () => {
		assert.deepEqual(placesOf({}), []);
		assert.deepEqual(placesOf({ models: [{ id: 'large', kinds: ['encrypted'], channelProvider: 'fast' }] }), []);
	});

	it('is the shared host', () => {
		assert.deepEqual(placesOf({ encryptUrl }), [[{}, `${encryptUrl}/attestation`]]);
	});

	it('is each encrypted model of the organisation with its provider, or with each that may have it', () => {
		const models = [
			{ id: 'large', kinds: ['chat', 'encrypted'], channelProvider: 'fast' },
			{ id: 'small', kinds: ['encrypted'] },
			{ id: 'plain', kinds: ['chat'] },
		];
		const providers = [{ slug: 'fast' }, { slug: 'slow', models: ['small'] }, { slug: 'other', models: ['plain'] }];
		assert.deepEqual(placesOf({ orgUrl, encryptUrl, models, providers }), [
			[{ model: 'large', provider: 'fast' }, `${orgUrl}/enc/fast/large/attestation`],
			[{ model: 'small', provider: 'fast' }, `${orgUrl}/enc/fast/small/attestation`],
			[{ model: 'small', provider: 'slow' }, `${orgUrl}/enc/slow/small/attestation`],
			[{}, `${encryptUrl}/attestation`],
		]);
	});

	it('is nowhere that no address can name', () => {
		assert.deepEqual(placesOf({ orgUrl, models: [{ id: '..', kinds: ['encrypted'], channelProvider: 'fast' }] }), []);
	});
});
