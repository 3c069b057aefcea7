import assert from 'node:assert/strict';
import { UpstreamKeyStore } from '../../../../src/localService/model/upstreamKeyStore.ts';

describe('UpstreamKeyStore', () => {
	const URL = 'https://example.com/v1';
	let secrets: Map<string, string>;
	let keys: UpstreamKeyStore;

	beforeEach(() => {
		secrets = new Map();
		keys = new UpstreamKeyStore(
			{
				get: async name => secrets.get(name),
				store: async (name, value) => void secrets.set(name, value),
				delete: async name => void secrets.delete(name),
			},
			() => 17,
		);
	});

	it('keeps a key under the name of its upstream, for its origin alone', async () => {
		await keys.save('one', URL, 'a-long-key-1234');
		assert.deepEqual([...secrets.keys()], ['errand.upstream.one']);
		assert.equal(await keys.usable('one', URL), 'a-long-key-1234');
		assert.equal(await keys.usable('one', 'https://example.com/other/v2'), 'a-long-key-1234');
		assert.equal(await keys.usable('two', URL), undefined);
		for (const other of ['https://example.org/v1', 'http://example.com/v1', 'https://example.com:8443/v1']) {
			assert.equal(await keys.usable('one', other), undefined, other);
			assert.deepEqual(await keys.state('one', other), { state: 'unconfirmed', origin: 'https://example.com' });
		}
	});

	it('tells of a key its end and its age and no more, of a short one only that it is there', async () => {
		assert.deepEqual(await keys.state('one', URL), { state: 'missing' });
		await keys.save('one', URL, 'a-long-key-1234');
		assert.deepEqual(await keys.state('one', URL), { state: 'set', ending: '1234', savedAt: 17 });
		await keys.save('one', URL, 'short');
		assert.deepEqual(await keys.state('one', URL), { state: 'set', ending: '', savedAt: 17 });
	});

	it('takes no key for an address to which it would go in clear text', async () => {
		await assert.rejects(keys.save('one', 'http://192.168.1.2:8080/v1', 'key'), RangeError);
		assert.equal(secrets.size, 0);
		await keys.save('one', 'http://127.0.0.1:8080/v1', 'key');
		assert.equal(await keys.usable('one', 'http://127.0.0.1:8080/v1'), 'key');
	});

	it('forgets a key that is removed, and takes a damaged one for none', async () => {
		await keys.save('one', URL, 'key');
		await keys.remove('one');
		assert.equal(secrets.size, 0);
		secrets.set('errand.upstream.one', '{"key":""}');
		assert.deepEqual(await keys.state('one', URL), { state: 'missing' });
	});
});
