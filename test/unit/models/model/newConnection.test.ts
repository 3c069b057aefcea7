import assert from 'node:assert/strict';
import { modelListSchema } from '../../../../src/contract/modelList.ts';
import {
	domainOf,
	freeName,
	inferenceAddresses,
	isConnectionAddress,
	nameProblem,
	proposedService,
	readConnectionAddress,
	serviceName,
	speaksContract,
	toSetting,
} from '../../../../src/models/model/newConnection.ts';
import { readConnection } from '../../../../src/models/model/readConnection.ts';

const listOf = (...data: object[]) => modelListSchema.parse({ data: data.map(model => ({ ...model })) }).data;

describe('a new connection', () => {
	it('needs a name that is free and can stand in the settings', () => {
		for (const name of ['acme', 'Acme 2', 'acme.eu-1', 'Ünïcode', '2']) {
			assert.equal(nameProblem(name, ['other']), undefined, name);
		}
		assert.equal(nameProblem('', []), 'empty');
		for (const name of ['__proto__', ' acme', 'a/b', 'a\nb', '-a', '.', 'a'.repeat(61), '$(x)', '"']) {
			assert.equal(nameProblem(name, []), 'form', name);
		}
		for (const name of ['sk-proj-0123456789abcdef', 'hf_0123456789abcdefghij', '8d03b6e5a1c4f9e28d03b6e5a1c4f9e2']) {
			assert.equal(nameProblem(name, []), 'key', name);
		}
		for (const name of ['acme-production-eu-west-1-staging', 'acme-production01', 'sk-slovakia']) {
			assert.equal(nameProblem(name, []), undefined, name);
		}
		assert.equal(nameProblem('local', []), 'taken');
		assert.equal(nameProblem('acme', ['acme']), 'taken');
	});

	it('gets a number where its name is taken, however long that is', () => {
		assert.equal(freeName('acme', ['other']), 'acme');
		assert.equal(freeName('acme', ['acme', 'acme 2']), 'acme 3');
		assert.equal(freeName('local', []), 'local 2');
		const long = 'a'.repeat(60);
		assert.equal(nameProblem(freeName(long, [long]), [long]), undefined);
	});

	it('has an https address everywhere but on this machine', () => {
		const urlOf = (text: string) => readConnectionAddress(text).url;
		assert.equal(urlOf('api.example.com'), 'https://api.example.com');
		assert.equal(urlOf('192.168.1.20:8443'), 'https://192.168.1.20:8443');
		assert.equal(urlOf('gpu-box.local:8443/'), 'https://gpu-box.local:8443');
		assert.equal(urlOf('127.0.0.1:8080'), 'http://127.0.0.1:8080');
		assert.equal(urlOf('localhost:8080'), 'http://localhost:8080');
		assert.equal(urlOf('https://api.example.com/v1/chat/completions'), 'https://api.example.com/v1');
		assert.equal(urlOf('http://api.example.com'), 'http://api.example.com');
		assert.equal(isConnectionAddress('http://api.example.com'), false);
		assert.equal(isConnectionAddress('http://127.0.0.1:8080'), true);
	});

	it('takes a key out of its address', () => {
		const read = readConnectionAddress('https://api.example.com?api_key=sk-proj-Ab3dEf6hIj9kLm2n');
		assert.deepEqual([read.url, read.key], ['https://api.example.com', 'sk-proj-Ab3dEf6hIj9kLm2n']);
	});

	it('is looked for without the version that the contract’s paths begin with, and with it after that', () => {
		assert.deepEqual(inferenceAddresses('https://a.example/v1'), ['https://a.example', 'https://a.example/v1']);
		assert.deepEqual(inferenceAddresses('https://a.example/llm'), ['https://a.example/llm']);
	});

	it('proposes names by its host, and none by a number', () => {
		assert.equal(proposedService('https://api.acme.com/v1'), 'acme');
		assert.equal(domainOf('https://api.eu.acme.com/v1'), 'acme.com');
		for (const address of ['http://127.0.0.1:80', 'http://localhost', '']) {
			assert.equal(proposedService(address), '', address);
			assert.equal(domainOf(address), undefined, address);
		}
	});

	it('finds the service’s own name in its search model, in a model path, in its host, or in its own name', () => {
		assert.equal(serviceName('https://api.acme.com', 'x', listOf({ id: 'acme-search' })), 'acme');
		const owned = listOf({ id: 'one', owned_by: 'quillon' }, { id: 'quillon-search', owned_by: 'quillon' });
		assert.equal(serviceName('http://127.0.0.1:80', 'x', owned), 'quillon');
		assert.equal(serviceName('https://gate.example', 'x', listOf({ id: 'acmeai/openlab/harvest' })), 'acme');
		assert.equal(serviceName('https://api.acme.com', 'x', listOf({ id: 'gpt-9-search' })), 'acme');
		assert.equal(serviceName('http://127.0.0.1:80', 'My Box 2', []), 'my-box-2');
	});

	it('is made of a service that has parts beyond a chat, or a search model of its own, and of no plain model server', () => {
		const lists = (address: string, ...data: object[]) => speaksContract(address, listOf(...data), {});
		assert.equal(speaksContract('https://api.acme.com', [], { cloudUrl: 'https://api.acme.com' }), true);
		assert.equal(lists('https://api.acme.com/v1', { id: 'large' }, { id: 'acme-search' }), true);
		assert.equal(lists('http://127.0.0.1:80', { id: 'quillon-search', owned_by: 'quillon' }), true);
		assert.equal(lists('https://api.acme.com/v1', { id: 'gpt-9-search' }, { id: 'large', owned_by: 'acme' }), false);
		assert.equal(lists('http://127.0.0.1:80/v1'), false);
	});

	it('is written with what was found out alone, and can be read', () => {
		const bare = toSetting({ name: 'acme', apiUrl: 'https://api.acme.com', found: {}, listed: [], models: [] });
		assert.deepEqual(bare, { apiUrl: 'https://api.acme.com', service: 'acme' });
		const whole = toSetting({
			name: 'acme',
			apiUrl: 'https://api.acme.com',
			found: { cloudUrl: 'https://api.acme.com' },
			listed: listOf({ id: 'large', name: 'Large', context_length: 8000 }, { id: 'acme-search' }, { id: 'unused' }),
			models: ['large', 'acme-search', 'by-name'],
		});
		assert.deepEqual(whole, {
			apiUrl: 'https://api.acme.com',
			cloudUrl: 'https://api.acme.com',
			service: 'acme',
			models: [
				{ id: 'large', label: 'Large', contextLength: 8000 },
				{ id: 'acme-search', kinds: ['search'] },
				{ id: 'by-name' },
			],
		});
		assert.ok('connection' in readConnection('acme', { acme: whole }));
	});
});
