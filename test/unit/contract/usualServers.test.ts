import assert from 'node:assert/strict';
import { ollamaServer, usualServers } from '../../../src/contract/usualServers.ts';

describe('ollamaServer', () => {
	const urlFor = (OLLAMA_HOST?: string) => ollamaServer({ OLLAMA_HOST }).url;

	it('knows an Ollama at its own address, or at the port of this machine that its variable names', () => {
		assert.equal(urlFor(), 'http://127.0.0.1:11434/v1');
		for (const host of [
			'127.0.0.1:5000',
			'0.0.0.0:5000',
			'localhost:5000',
			':5000',
			'http://127.0.0.1:5000/',
			'[::]:5000',
		]) {
			assert.equal(urlFor(host), 'http://127.0.0.1:5000/v1', host);
		}
	});

	it('looks at no other machine, and takes what is no address for none', () => {
		for (const host of [
			'',
			'10.0.0.1:5000',
			'models.example:5000',
			'https://models.example',
			'127.0.0.1:x',
			'0.0.0.0',
			'::',
		]) {
			assert.equal(urlFor(host), 'http://127.0.0.1:11434/v1', host);
		}
	});
});

describe('usualServers', () => {
	const ports = (environment: Record<string, string>) => usualServers(environment).map(({ url }) => new URL(url).port);

	it('knows the four programs at their usual ports, and llama.cpp at the port of its variable', () => {
		assert.deepEqual(ports({}), ['11434', '1234', '8080', '8000']);
		assert.deepEqual(ports({ OLLAMA_HOST: ':5000', LLAMA_ARG_PORT: '5001' }), ['5000', '1234', '5001', '8000']);
	});

	it('takes what is no port for none', () => {
		for (const LLAMA_ARG_PORT of ['', '99999', '80a', '-1', '1@evil.example']) {
			assert.deepEqual(ports({ LLAMA_ARG_PORT })[2], '8080', LLAMA_ARG_PORT);
		}
	});
});
