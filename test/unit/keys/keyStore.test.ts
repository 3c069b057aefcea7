import assert from 'node:assert/strict';
import type { Connection } from '../../../src/contract/connection.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { KeyStore, secretName } from '../../../src/keys/keyStore.ts';

const connection: Connection = { ...localConnection, name: 'remote', apiUrl: 'https://api.example' };

/** SecretStorage as the editor defines it, in memory: the real one is covered in the editor tests. */
function memorySecrets() {
	const values = new Map<string, string>();
	return {
		values,
		get: async (key: string) => values.get(key),
		store: async (key: string, value: string) => void values.set(key, value),
		delete: async (key: string) => void values.delete(key),
		keys: async () => [...values.keys()],
		onDidChange: () => ({ dispose() {} }),
	};
}

describe('KeyStore', () => {
	it('keeps each key under the name of its connection and kind', async () => {
		const secrets = memorySecrets();
		const store = new KeyStore(secrets);
		await store.save(connection, 'inference', 'sk-one');
		await store.save({ ...connection, name: 'other' }, 'inference', 'sk-two');
		assert.deepEqual([...secrets.values.keys()], ['errand.key.remote.inference', 'errand.key.other.inference']);
		assert.deepEqual(await store.usable(connection, 'inference'), { key: 'sk-one', mustBeConfirmed: false });
	});

	it('gives no key when the connection has come to other hosts, until it is saved for them', async () => {
		const store = new KeyStore(memorySecrets());
		await store.save(connection, 'inference', 'sk-one');
		const moved = { ...connection, apiUrl: 'https://elsewhere.example' };
		assert.deepEqual(await store.usable(moved, 'inference'), { mustBeConfirmed: true });
		await store.save(moved, 'inference', 'sk-one');
		assert.equal((await store.usable(moved, 'inference')).key, 'sk-one');
	});

	it('takes a damaged value for none', async () => {
		const secrets = memorySecrets();
		for (const damaged of ['sk-plain', '{}', '{"key":"","origins":[],"savedAt":1}', 'null']) {
			secrets.values.set(secretName('remote', 'cloud'), damaged);
			assert.equal(await new KeyStore(secrets).read(connection, 'cloud'), undefined);
		}
	});

	it('removes a key', async () => {
		const secrets = memorySecrets();
		const store = new KeyStore(secrets);
		await store.save(connection, 'agent', 'sk-one');
		await store.remove(connection, 'agent');
		assert.equal(secrets.values.size, 0);
		assert.deepEqual(await store.usable(connection, 'agent'), { mustBeConfirmed: false });
	});
});
