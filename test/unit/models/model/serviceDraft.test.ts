import assert from 'node:assert/strict';
import { MODEL_SERVICES } from '../../../../src/models/model/modelServices.ts';
import { withAddress } from '../../../../src/models/model/serviceDraft.ts';

describe('a service that is moved to another address', () => {
	const [service] = MODEL_SERVICES;
	assert.ok(service);
	const { label, url } = service;
	const draft = { label, url, service, key: 'sk-one' };

	it('stays what it is at its origin, with its key', () => {
		const moved = `${new URL(url).origin}/v9`;
		assert.deepEqual(withAddress(moved, undefined, draft), { ...draft, url: moved });
		assert.equal(withAddress(moved, 'sk-two', draft).key, 'sk-two');
	});

	it('is no well-known service any more elsewhere, and its key is not known there', () => {
		assert.deepEqual(withAddress('https://foreign.example/v1', undefined, draft), {
			label: 'foreign.example',
			url: 'https://foreign.example/v1',
		});
		assert.equal(withAddress('https://foreign.example/v1', 'sk-two', draft).key, 'sk-two');
	});

	it('keeps the name that the user gave to it', () => {
		const own = { slug: 'mine', label: 'Mine', url: 'http://127.0.0.1:1/v1', form: 'messages' as const };
		assert.deepEqual(withAddress('https://b.example/v1', undefined, own), { ...own, url: 'https://b.example/v1' });
	});
});
