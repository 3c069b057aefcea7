import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/contract/connection.ts';
import { localConnection } from '../../../../src/contract/localConnection.ts';
import { isSavedFor, keyEnding, keyOrigins, keyProblem } from '../../../../src/models/model/keyFormat.ts';

const connection: Connection = {
	...localConnection,
	name: 'remote',
	apiUrl: 'https://api.example/base',
	enterpriseUrl: 'https://enterprise.example',
	orgUrl: 'https://org.example',
	encryptUrl: 'https://encrypt.example/shared',
	cloudUrl: 'https://cloud.example:8443/v2',
};

const PREFIX = 'cloud_';

describe('the form of a key', () => {
	it('begins with sk- for inference and for the agent API', () => {
		for (const kind of ['inference', 'agent'] as const) {
			assert.equal(keyProblem(kind, 'sk-abc', PREFIX), undefined);
			assert.equal(keyProblem(kind, 'sk-', PREFIX), 'inference-form');
			assert.equal(keyProblem(kind, 'cloud_abc', PREFIX), 'inference-form');
		}
	});

	it('begins with the prefix of the connection for the cloud, where that is known', () => {
		assert.equal(keyProblem('cloud', 'cloud_abc', PREFIX), undefined);
		assert.equal(keyProblem('cloud', 'sk-abc', PREFIX), 'prefix');
		assert.equal(keyProblem('cloud', 'anything', undefined), undefined);
	});

	it('is any for a model server', () => {
		assert.equal(keyProblem('server', 'anything', undefined), undefined);
	});

	it('has no spaces, line breaks or characters that cannot stand in a header', () => {
		assert.equal(keyProblem('cloud', '', PREFIX), 'empty');
		for (const key of ['sk-a b', 'sk-a\nb', 'sk-é', 'sk-\u0000']) {
			assert.equal(keyProblem('inference', key, PREFIX), 'characters');
			assert.equal(keyProblem('server', key, undefined), 'characters');
		}
	});

	it('shows four characters of a long key and none of a short one', () => {
		assert.equal(keyEnding('sk-1234567890wxyz'), 'wxyz');
		assert.equal(keyEnding('sk-short'), '');
	});
});

describe('the origins of a key', () => {
	it('are those of the hosts that its kind is sent to, without their paths', () => {
		assert.deepEqual(keyOrigins('inference', connection), [
			'https://api.example',
			'https://encrypt.example',
			'https://enterprise.example',
			'https://org.example',
		]);
		assert.deepEqual(keyOrigins('cloud', connection), ['https://cloud.example:8443']);
		assert.deepEqual(keyOrigins('agent', connection), []);
	});

	it('must all have been there when the key was saved', () => {
		assert.ok(isSavedFor(['https://a.example', 'https://b.example'], ['https://a.example']));
		assert.equal(isSavedFor(['https://a.example'], ['https://a.example', 'https://b.example']), false);
		assert.equal(isSavedFor(['https://a.example'], ['http://a.example']), false);
	});
});
