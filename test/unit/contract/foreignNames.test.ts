import assert from 'node:assert/strict';
import { roleOf, withDocumentedNames } from '../../../src/contract/foreignNames.ts';

describe('the names of public practice', () => {
	it('become those of the contract', () => {
		assert.deepEqual(withDocumentedNames({ max_completion_tokens: 5, stop: 'END', seed: 1 }), {
			max_tokens: 5,
			stop: ['END'],
			seed: 1,
		});
		assert.equal(roleOf('developer'), 'system');
	});

	it('give way to those of the contract, which stay as they are', () => {
		assert.deepEqual(withDocumentedNames({ max_completion_tokens: 5, max_tokens: 6, stop: ['a', 'b'] }), {
			max_tokens: 6,
			stop: ['a', 'b'],
		});
		assert.deepEqual(withDocumentedNames({ seed: 1 }), { seed: 1 });
		assert.equal(roleOf('user'), 'user');
	});
});
