import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nearestPlace, pathKey, placesOf } from '../../../../src/decisions/model/jsonPlaces.ts';

/** Lists the paths of all parts of a value. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
	return typeof value === 'object' && value !== null
		? [path, ...Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...path, key]))]
		: [path];
}

describe('the places of the parts of a JSON text', () => {
	it('are those of keys, and of the values in lists', () => {
		const text = '{ "a": [1, {"b c": "x, y: {"}], "\\u0064": null }';
		const words = [...placesOf(text)].map(([key, { start, end }]) => [key, text.slice(start, end)]);
		assert.deepEqual(words, [
			['[]', '{'],
			['["a"]', '"a"'],
			['["a","0"]', '1'],
			['["a","1"]', '{'],
			['["a","1","b c"]', '"b c"'],
			['["d"]', '"\\u0064"'],
		]);
	});

	it('are known of every part of any JSON', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, '\t'), (value, space) => {
				const text = JSON.stringify(value, undefined, space);
				const found = placesOf(text);
				assert.deepEqual(new Set(found.keys()), new Set(pathsOf(JSON.parse(text)).map(pathKey)));
			}),
		);
	});

	it('cost no more than the text is long, however deep its state is', () => {
		const text = `{"state":${'['.repeat(100_000)}${']'.repeat(100_000)},"questions":{"a":{}}}`;
		const places = placesOf(text);
		assert.ok(places.size < 20, String(places.size));
		const { start, end } = nearestPlace(places, ['questions', 'a']);
		assert.equal(text.slice(start, end), '"a"');
	});

	it('are those of the part around, for a part that is not there', () => {
		const places = placesOf('{"a": {"b": 1}}');
		assert.deepEqual(nearestPlace(places, ['a', 'missing', 'more']), { start: 1, end: 4 });
		assert.deepEqual(nearestPlace(places, ['missing']), { start: 0, end: 1 });
		assert.deepEqual(nearestPlace(placesOf(''), []), { start: 0, end: 0 });
	});
});
