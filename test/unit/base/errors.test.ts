import assert from 'node:assert/strict';
import { describeError, isAbortError, systemErrorCode } from '../../../src/base/errors.ts';

describe('errors', () => {
	it('finds the system code in a chain of causes, also in one that is a circle', () => {
		const inner = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
		assert.equal(systemErrorCode(new TypeError('fetch failed', { cause: inner })), 'ECONNREFUSED');
		const circle = new Error('circle');
		circle.cause = circle;
		assert.equal(systemErrorCode(circle), undefined);
		assert.equal(systemErrorCode('text'), undefined);
	});

	it('describes whatever was thrown', () => {
		assert.equal(describeError(new Error('no space left')), 'no space left');
		assert.equal(describeError(new RangeError('')), 'RangeError');
		assert.equal(describeError('plain'), 'plain');
		assert.equal(describeError(undefined), 'no further information');
	});

	it('knows the error of an aborted signal', () => {
		assert.ok(isAbortError(AbortSignal.abort().reason));
		assert.equal(isAbortError(new Error('other')), false);
	});
});
