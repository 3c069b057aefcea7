import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/contract/connection.ts';
import { localConnection } from '../../../../src/contract/localConnection.ts';
import { isSavedFor, keyEnding, keyOrigins } from '../../../../src/models/model/keyFormat.ts';

const connection: Connection = {
	...localConnection,
	name: 'remote',
	apiUrl: 'https://api.example/base',
	enterpriseUrl: 'https://enterprise.example',
	orgUrl: 'https://org.example',
	encryptUrl: 'https://encrypt.example/shared',
	cloudUrl: 'https://cloud.example:8443/v2',
};

describe('what is shown of a key', () => {
	it('is four characters of a long one and none of a short one', () => {
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
