import assert from 'node:assert/strict';
import { CHAT_PARAMETERS, rangeOf, readParameter } from '../../../../src/chat/model/parameterRange.ts';

describe('the parameters', () => {
	it('have the ranges of the contract', () => {
		assert.deepEqual(rangeOf('temperature'), { kind: 'number', minimum: 0, maximum: 2 });
		assert.deepEqual(rangeOf('top_p'), { kind: 'number', minimum: 0, maximum: 1, isAbove: true });
		assert.deepEqual(rangeOf('top_k'), { kind: 'integer', minimum: 1 });
		assert.deepEqual(rangeOf('seed'), { kind: 'integer' });
		assert.deepEqual(rangeOf('stop'), { kind: 'texts' });
		assert.deepEqual(rangeOf('user'), { kind: 'text' });
		assert.deepEqual(rangeOf('logit_bias'), { kind: 'object' });
		assert.equal(CHAT_PARAMETERS.length, 15);
	});

	it('are read as they are typed', () => {
		assert.equal(readParameter('temperature', '0.5'), 0.5);
		assert.equal(readParameter('user', '12'), '12');
		assert.deepEqual(readParameter('stop', 'END'), ['END']);
		assert.deepEqual(readParameter('stop', '["a", "b"]'), ['a', 'b']);
		assert.deepEqual(readParameter('logit_bias', '{"12": -1}'), { 12: -1 });
		assert.deepEqual(readParameter('response_format', '{"type": "json_object"}'), { type: 'json_object' });
	});

	it('refuse what is out of range or of another kind', () => {
		for (const [name, text] of [
			['temperature', '2.1'],
			['temperature', 'warm'],
			['top_p', '0'],
			['top_k', '0'],
			['max_tokens', '1.5'],
			['seed', 'null'],
			['response_format', '{}'],
			['logit_bias', '[1]'],
		] as const) {
			assert.equal(readParameter(name, text), undefined, `${name} ${text}`);
		}
	});

	it('keep the longest reply below the context length, where that is known', () => {
		assert.equal(readParameter('max_tokens', '4096', 4096), undefined);
		assert.equal(readParameter('max_tokens', '4095', 4096), 4095);
		assert.equal(readParameter('max_tokens', '4096'), 4096);
	});
});
