import assert from 'node:assert/strict';
import { eachObject, isFields, objectsOf, only } from '../../../src/base/fields.ts';

describe('JSON from elsewhere', () => {
	it('is an object with fields, or it is not', () => {
		assert.deepEqual(
			[{}, { a: 1 }, [], null, undefined, 'text', 3].map(value => isFields(value)),
			[true, true, false, false, false, false, false],
		);
	});

	it('has its objects converted in a list, and the rest of it left as it is', () => {
		const read = ({ a }: Record<string, unknown>) => ({ b: a });
		assert.deepEqual(eachObject([{ a: 1 }, 'x', null, [2]], read), [{ b: 1 }, 'x', null, [2]]);
		assert.equal(eachObject('x', read), 'x');
	});

	it('has only its objects taken out of a list', () => {
		assert.deepEqual(objectsOf([{ a: 1 }, 'x', null, [2]]), [{ a: 1 }]);
		assert.deepEqual(objectsOf({ a: 1 }), []);
	});

	it('keeps the named fields that have a value', () => {
		assert.deepEqual(only(['a', 'b', 'c', 'd'], { a: 0, b: null, c: undefined, e: 1 }), { a: 0 });
	});
});
