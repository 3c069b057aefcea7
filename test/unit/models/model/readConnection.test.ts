import assert from 'node:assert/strict';
import { localConnection } from '../../../../src/contract/localConnection.ts';
import { connectionNames, readConnection } from '../../../../src/models/model/readConnection.ts';

const valid = { apiUrl: 'https://api.example/', service: 'acme' };

describe('readConnection', () => {
	it('fills in what the settings leave out', () => {
		const read = readConnection('acme', { acme: valid });
		assert.ok('connection' in read);
		const { connection } = read;
		assert.equal(connection.name, 'acme');
		assert.equal(connection.apiUrl, 'https://api.example');
		assert.equal(connection.plan, 'public');
		for (const list of ['models', 'providers', 'providerPrefixes', 'aliases', 'agents'] as const) {
			assert.deepEqual(connection[list], []);
		}
	});

	it('always has the local connection, which the settings cannot replace', () => {
		assert.deepEqual(readConnection('local', undefined), { connection: localConnection });
		assert.deepEqual(readConnection('local', { local: valid }), { connection: localConnection });
	});

	it('names the field that is wrong', () => {
		for (const [field, settings] of Object.entries({
			apiUrl: { service: 'acme' },
			service: { apiUrl: valid.apiUrl },
			cloudUrl: { ...valid, cloudUrl: 'ftp://cloud.example' },
			'models.0.id': { ...valid, models: [{}] },
		})) {
			const read = readConnection('acme', { acme: settings });
			assert.ok('problem' in read && read.problem === 'invalid', field);
			assert.equal(read.issue.path.join('.'), field);
		}
	});

	it('accepts http on loopback only, and no credentials, query or fragment', () => {
		const accepts = (apiUrl: string) => 'connection' in readConnection('acme', { acme: { ...valid, apiUrl } });
		for (const apiUrl of ['http://127.0.0.1:8080', 'http://localhost:1', 'http://[::1]:2', 'https://api.example/v2']) {
			assert.ok(accepts(apiUrl), apiUrl);
		}
		for (const apiUrl of [
			'http://api.example',
			'http://127.0.0.1.example',
			'http://localhost.example',
			'https://user:password@api.example',
			'https://api.example?key=1',
			'https://api.example#part',
			'file:///etc/passwd',
			'javascript:alert(1)',
			'api.example',
			'',
		]) {
			assert.equal(accepts(apiUrl), false, apiUrl);
		}
	});

	it('does not take an inherited property for a connection', () => {
		for (const name of ['constructor', '__proto__', 'toString', '']) {
			assert.deepEqual(readConnection(name, { acme: valid }), { problem: 'unknown' });
		}
	});

	it('survives settings of any shape', () => {
		for (const settings of [undefined, null, 'text', 7, []]) {
			assert.deepEqual(readConnection('acme', settings), { problem: 'unknown' });
			assert.deepEqual(connectionNames(settings), ['local']);
		}
		assert.ok('problem' in readConnection('acme', { acme: null }));
	});
});

describe('connectionNames', () => {
	it('lists local first and once', () => {
		assert.deepEqual(connectionNames({ b: valid, local: valid, a: valid }), ['local', 'b', 'a']);
	});
});
