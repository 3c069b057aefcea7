import assert from 'node:assert/strict';
import { connectionSchema } from '../../../src/contract/connection.ts';

const parse = (fields: object) =>
	connectionSchema.safeParse({ apiUrl: 'https://api.example', service: 'test', ...fields });

describe('connectionSchema', () => {
	it('fills in what may be absent', () => {
		const connection = parse({}).data;
		assert.equal(connection?.plan, 'public');
		assert.deepEqual([connection?.models, connection?.providers, connection?.agents], [[], [], []]);
	});

	it('takes a slash off the end of an address', () => {
		assert.equal(parse({ cloudUrl: 'https://cloud.example/base//' }).data?.cloudUrl, 'https://cloud.example/base');
	});

	for (const url of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1', 'http://127.0.0.2']) {
		it(`accepts ${url}`, () => {
			assert.ok(parse({ apiUrl: url }).success);
		});
	}

	for (const url of [
		'http://api.example',
		'http://127.0.0.1.example',
		'http://localhost.example',
		'http://a.localhost',
		'http://localhost.',
		'http://0.0.0.0',
		'ftp://api.example',
		'https://user:word@api.example',
		'https://api.example?key=1',
		'https://api.example#x',
		'https://api.example?',
		'https://api.example#',
		' https://api.example',
		'https://api.example/a b',
		'file:///etc/passwd',
		'api.example',
		'',
	]) {
		it(`refuses ${url || 'nothing'}`, () => {
			assert.ok(!parse({ apiUrl: url }).success);
		});
	}
});
