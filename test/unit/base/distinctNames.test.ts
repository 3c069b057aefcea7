import assert from 'node:assert/strict';
import { distinctNames } from '../../../src/base/distinctNames.ts';

describe('names that tell things apart', () => {
	it('stay as they are where they are unlike each other', () => {
		assert.deepEqual(
			distinctNames([
				['errand', 'small'],
				['opencode', 'small'],
			]),
			['errand', 'opencode'],
		);
		assert.deepEqual(distinctNames([]), []);
	});

	it('have the first thing that differs, where they are the same', () => {
		assert.deepEqual(
			distinctNames([
				['errand', 'small', 'one'],
				['errand', 'large', 'two'],
				['pi', 'large', 'three'],
			]),
			['errand (small)', 'errand (large)', 'pi'],
		);
		assert.deepEqual(
			distinctNames([
				['errand', 'small', 'one'],
				['errand', 'small', 'two'],
			]),
			['errand (one)', 'errand (two)'],
		);
	});

	it('have as much of it as is needed, and at last a number', () => {
		assert.deepEqual(
			distinctNames([
				['errand', 'small', 'one'],
				['errand', 'small', 'two'],
				['errand', 'large', 'three'],
			]),
			['errand (small) (one)', 'errand (small) (two)', 'errand (large)'],
		);
		assert.deepEqual(distinctNames([['errand'], ['errand'], ['pi']]), ['errand (1)', 'errand (2)', 'pi']);
		assert.deepEqual(
			distinctNames([
				['errand', ''],
				['errand', 'large'],
			]),
			['errand', 'errand (large)'],
		);
		assert.deepEqual(distinctNames([[''], ['', 'large']]), ['', 'large']);
	});
});
