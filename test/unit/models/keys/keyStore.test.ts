import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/contract/connection.ts';
import { localConnection } from '../../../../src/contract/localConnection.ts';
import { KeyStore } from '../../../../src/models/keys/keyStore.ts';
import type { KeyCheck } from '../../../../src/models/model/keyCheck.ts';
import { connectionKey, serverKey } from '../../../../src/models/model/keyFormat.ts';

const connection: Connection = { ...localConnection, name: 'remote', apiUrl: 'https://api.example' };

const check: KeyCheck = { at: 1_700_000_000_000, answer: 'refused', said: 'No such key.' };

/** SecretStorage as the editor defines it, in memory: the real one is covered in the window. */
function memorySecrets() {
	const values = new Map<string, string>();
	return {
		values,
		get: async (key: string) => values.get(key),
		store: async (key: string, value: string) => void values.set(key, value),
		delete: async (key: string) => void values.delete(key),
	};
}

describe('KeyStore', () => {
	let secrets: ReturnType<typeof memorySecrets>;
	let changes: number;
	let store: KeyStore;

	beforeEach(() => {
		secrets = memorySecrets();
		changes = 0;
		store = new KeyStore(secrets, () => changes++);
	});

	it('keeps each key under the name of its connection and kind', async () => {
		await store.save(connectionKey(connection, 'inference'), 'sk-one');
		await store.save(connectionKey({ ...connection, name: 'other' }, 'inference'), 'sk-two');
		assert.deepEqual([...secrets.values.keys()], ['errand.key.remote.inference', 'errand.key.other.inference']);
		assert.deepEqual(await store.usable(connectionKey(connection, 'inference')), {
			key: 'sk-one',
			mustBeConfirmed: false,
		});
	});

	it('gives no key when the connection has come to other hosts, until it is saved for them', async () => {
		await store.save(connectionKey(connection, 'inference'), 'sk-one');
		const moved = { ...connection, apiUrl: 'https://elsewhere.example' };
		assert.deepEqual(await store.usable(connectionKey(moved, 'inference')), { mustBeConfirmed: true });
		await store.save(connectionKey(moved, 'inference'), 'sk-one');
		assert.equal((await store.usable(connectionKey(moved, 'inference'))).key, 'sk-one');
	});

	it('has the key of before again, or none, where what needs the new one could not be written', async () => {
		const slot = serverKey('mine', 'https://api.example/v1');
		const fail = () => Promise.reject(new Error('not writable'));
		await assert.rejects(store.saveWith(slot, 'new', fail), /not writable/);
		assert.equal(secrets.values.size, 0);
		await store.save(slot, 'old');
		const before = secrets.values.get(slot.secret);
		await assert.rejects(store.saveWith(serverKey('mine', 'https://moved.example'), 'new', fail), /not writable/);
		assert.equal(secrets.values.get(slot.secret), before);
		await store.saveWith(slot, 'new', async () => assert.equal((await store.usable(slot)).key, 'new'));
		assert.equal((await store.usable(slot)).key, 'new');
	});

	it('takes a damaged value for none, and a damaged check for none of its own', async () => {
		for (const damaged of ['sk-plain', '{}', '{"key":"","origins":[],"savedAt":1}', 'null']) {
			secrets.values.set(connectionKey(connection, 'cloud').secret, damaged);
			assert.equal(await store.read(connectionKey(connection, 'cloud')), undefined);
		}
		secrets.values.set(
			connectionKey(connection, 'cloud').secret,
			'{"key":"k","origins":[],"savedAt":1,"check":{"answer":"?"}}',
		);
		const read = await store.read(connectionKey(connection, 'cloud'));
		assert.equal(read?.key, 'k');
		assert.equal(read.check, undefined);
	});

	it('removes a key', async () => {
		await store.save(connectionKey(connection, 'agent'), 'sk-one');
		await store.remove(connectionKey(connection, 'agent'));
		assert.equal(secrets.values.size, 0);
		assert.deepEqual(await store.usable(connectionKey(connection, 'agent')), { mustBeConfirmed: false });
	});

	it('keeps the answer of a check with the key that was checked, and with no other', async () => {
		await store.save(connectionKey(connection, 'agent'), 'sk-one');
		assert.equal(await store.keepCheck(connectionKey(connection, 'agent'), 'sk-one', check), true);
		assert.deepEqual((await store.read(connectionKey(connection, 'agent')))?.check, check);
		await store.save(connectionKey(connection, 'agent'), 'sk-two');
		assert.equal(await store.keepCheck(connectionKey(connection, 'agent'), 'sk-one', check), false);
		assert.equal((await store.read(connectionKey(connection, 'agent')))?.check, undefined);
		await store.remove(connectionKey(connection, 'agent'));
		await store.keepCheck(connectionKey(connection, 'agent'), 'sk-two', check);
		assert.equal(secrets.values.size, 0);
	});

	it('does not bring a key back by a check that ends while it is replaced', async () => {
		await store.save(connectionKey(connection, 'agent'), 'sk-one');
		await Promise.all([
			store.keepCheck(connectionKey(connection, 'agent'), 'sk-one', check),
			store.save(connectionKey(connection, 'agent'), 'sk-two'),
		]);
		assert.equal((await store.read(connectionKey(connection, 'agent')))?.key, 'sk-two');
	});

	it('tells of a key that changed, here or elsewhere, once, and not of a check', async () => {
		const { secret: name } = connectionKey(connection, 'agent');
		await store.read(connectionKey(connection, 'agent'));
		await store.save(connectionKey(connection, 'agent'), 'sk-one');
		await store.secretChanged(name);
		assert.equal(changes, 1);
		await store.keepCheck(connectionKey(connection, 'agent'), 'sk-one', check);
		await store.secretChanged(name);
		assert.equal(changes, 1);
		await new KeyStore(secrets, () => {}).save(connectionKey(connection, 'agent'), 'sk-two');
		await store.secretChanged(name);
		assert.equal(changes, 2);
		await store.remove(connectionKey(connection, 'agent'));
		await store.secretChanged(name);
		assert.equal(changes, 3);
	});

	it('tells of the same key for other hosts: it can be sent again', async () => {
		await store.save(connectionKey(connection, 'inference'), 'sk-one');
		await store.save(connectionKey({ ...connection, apiUrl: 'https://elsewhere.example' }, 'inference'), 'sk-one');
		assert.equal(changes, 2);
	});

	describe('with keys of model servers', () => {
		const ADDRESS = 'https://example.com/v1';
		const usable = async (slug: string, url: string) => (await store.usable(serverKey(slug, url))).key;

		it('keeps a key under the name of its server, for its origin alone, as every version reads it', async () => {
			await store.save(serverKey('one', ADDRESS), 'a-long-key-1234');
			const { savedAt, ...kept } = JSON.parse(secrets.values.get('errand.upstream.one') ?? '');
			assert.deepEqual(kept, { key: 'a-long-key-1234', origin: 'https://example.com' });
			assert.equal(typeof savedAt, 'number');
			assert.equal(await usable('one', ADDRESS), 'a-long-key-1234');
			assert.equal(await usable('one', 'https://example.com/other/v2'), 'a-long-key-1234');
			assert.equal(await usable('two', ADDRESS), undefined);
			for (const other of ['https://example.org/v1', 'http://example.com/v1', 'https://example.com:8443/v1']) {
				assert.deepEqual(await store.usable(serverKey('one', other)), { mustBeConfirmed: true }, other);
			}
		});

		it('takes no key for an address to which it would go in clear text, and sends none there', async () => {
			await assert.rejects(store.save(serverKey('one', 'http://192.168.1.2:8080/v1'), 'key'), RangeError);
			assert.equal(secrets.values.size, 0);
			await store.save(serverKey('one', 'http://127.0.0.1:8080/v1'), 'key');
			assert.equal(await usable('one', 'http://127.0.0.1:8080/v1'), 'key');
			secrets.values.set('errand.upstream.one', '{"key":"k","origin":"http://192.168.1.2","savedAt":1}');
			assert.equal(await usable('one', 'http://192.168.1.2/v1'), undefined);
		});

		it('forgets a key that is removed, and takes a damaged one for none', async () => {
			await store.save(serverKey('one', ADDRESS), 'key');
			await store.remove(serverKey('one', ADDRESS));
			assert.equal(secrets.values.size, 0);
			for (const damaged of ['{"key":""}', '{"key":"k","savedAt":1}']) {
				secrets.values.set('errand.upstream.one', damaged);
				assert.equal(await store.read(serverKey('one', ADDRESS)), undefined);
			}
		});
	});
});
