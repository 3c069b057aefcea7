import assert from 'node:assert/strict';
import { candidateAddresses } from '../../../../src/localService/model/serverAddress.ts';

describe('where a server may list its models', () => {
	it('is where the address says, and below its version where it names none', () => {
		assert.deepEqual(candidateAddresses('https://a.example/v1'), ['https://a.example/v1']);
		assert.deepEqual(candidateAddresses('https://a.example/x/v1beta'), ['https://a.example/x/v1beta']);
		assert.deepEqual(candidateAddresses('https://a.example'), ['https://a.example/v1', 'https://a.example/api/v1']);
		assert.deepEqual(candidateAddresses('https://a.example/openai'), [
			'https://a.example/openai',
			'https://a.example/openai/v1',
		]);
	});
});
