import assert from 'node:assert/strict';
import type { Connection } from '../../../src/contract/connection.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { KeyStore } from '../../../src/keys/keyStore.ts';
import type { KeyCheck } from '../../../src/keys/model/keyCheck.ts';
import { secretName } from '../../../src/keys/model/keyFormat.ts';

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
		await store.save(connection, 'inference', 'sk-one');
		await store.save({ ...connection, name: 'other' }, 'inference', 'sk-two');
		assert.deepEqual([...secrets.values.keys()], ['errand.key.remote.inference', 'errand.key.other.inference']);
		assert.deepEqual(await store.usable(connection, 'inference'), { key: 'sk-one', mustBeConfirmed: false });
	});

	it('gives no key when the connection has come to other hosts, until it is saved for them', async () => {
		await store.save(connection, 'inference', 'sk-one');
		const moved = { ...connection, apiUrl: 'https://elsewhere.example' };
		assert.deepEqual(await store.usable(moved, 'inference'), { mustBeConfirmed: true });
		await store.save(moved, 'inference', 'sk-one');
		assert.equal((await store.usable(moved, 'inference')).key, 'sk-one');
	});

	it('takes a damaged value for none, and a damaged check for none of its own', async () => {
		for (const damaged of ['sk-plain', '{}', '{"key":"","origins":[],"savedAt":1}', 'null']) {
			secrets.values.set(secretName('remote', 'cloud'), damaged);
			assert.equal(await store.read(connection, 'cloud'), undefined);
		}
		secrets.values.set(secretName('remote', 'cloud'), '{"key":"k","origins":[],"savedAt":1,"check":{"answer":"?"}}');
		const read = await store.read(connection, 'cloud');
		assert.equal(read?.key, 'k');
		assert.equal(read.check, undefined);
	});

	it('removes a key', async () => {
		await store.save(connection, 'agent', 'sk-one');
		await store.remove(connection, 'agent');
		assert.equal(secrets.values.size, 0);
		assert.deepEqual(await store.usable(connection, 'agent'), { mustBeConfirmed: false });
	});

	it('keeps the answer of a check with the key that was checked, and with no other', async () => {
		await store.save(connection, 'agent', 'sk-one');
		assert.equal(await store.keepCheck(connection, 'agent', 'sk-one', check), true);
		assert.deepEqual((await store.read(connection, 'agent'))?.check, check);
		await store.save(connection, 'agent', 'sk-two');
		assert.equal(await store.keepCheck(connection, 'agent', 'sk-one', check), false);
		assert.equal((await store.read(connection, 'agent'))?.check, undefined);
		await store.remove(connection, 'agent');
		await store.keepCheck(connection, 'agent', 'sk-two', check);
		assert.equal(secrets.values.size, 0);
	});

	it('does not bring a key back by a check that ends while it is replaced', async () => {
		await store.save(connection, 'agent', 'sk-one');
		await Promise.all([
			store.keepCheck(connection, 'agent', 'sk-one', check),
			store.save(connection, 'agent', 'sk-two'),
		]);
		assert.equal((await store.read(connection, 'agent'))?.key, 'sk-two');
	});

	it('tells of a key that changed, here or elsewhere, once, and not of a check', async () => {
		const name = secretName('remote', 'agent');
		await store.read(connection, 'agent');
		await store.save(connection, 'agent', 'sk-one');
		await store.secretChanged(name);
		assert.equal(changes, 1);
		await store.keepCheck(connection, 'agent', 'sk-one', check);
		await store.secretChanged(name);
		assert.equal(changes, 1);
		await new KeyStore(secrets, () => {}).save(connection, 'agent', 'sk-two');
		await store.secretChanged(name);
		assert.equal(changes, 2);
		await store.remove(connection, 'agent');
		await store.secretChanged(name);
		assert.equal(changes, 3);
	});

	it('tells of the same key for other hosts: it can be sent again', async () => {
		await store.save(connection, 'inference', 'sk-one');
		await store.save({ ...connection, apiUrl: 'https://elsewhere.example' }, 'inference', 'sk-one');
		assert.equal(changes, 2);
	});
});
