import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { isAbsent, lenient, lenientArray, lenientText, manyFields, rowsOf } from '../../../src/contract/lenient.ts';

describe('reading leniently', () => {
	const schema = z.looseObject({
		name: lenient(z.string()),
		count: lenient(z.number()),
		inner: lenient(z.looseObject({ flag: lenient(z.boolean()) })),
		list: lenientArray(z.object({ id: z.string() })),
		text: lenientText,
	});

	it('takes an object without any of its fields', () => {
		assert.deepEqual(schema.parse({}), { list: [] });
	});

	for (const absent of [undefined, null, 'None']) {
		it(`takes ${absent} for absent`, () => {
			assert.ok(isAbsent(absent));
			const read = schema.parse({ name: absent, count: absent, inner: absent, list: absent });
			assert.deepEqual({ ...read }, { name: undefined, count: undefined, inner: undefined, list: [] });
		});
	}

	it('takes a value of another kind for absent', () => {
		const read = schema.parse({ name: 1, count: '1', inner: [], list: {}, text: 5 });
		assert.deepEqual([read.name, read.count, read.list, read.text], [undefined, undefined, [], undefined]);
	});

	it('keeps unknown fields, in inner objects too', () => {
		const read = schema.parse({ more: 1, inner: { flag: true, extra: 'x' } });
		assert.deepEqual(read, { more: 1, inner: { flag: true, extra: 'x' }, list: [] });
	});

	it('leaves out entries of a list that do not fit', () => {
		assert.deepEqual(schema.parse({ list: [{ id: 'a' }, { id: 1 }, null, 'None', { id: 'b' }] }).list, [
			{ id: 'a' },
			{ id: 'b' },
		]);
	});

	it('keeps the word None where it is text', () => {
		assert.equal(schema.parse({ text: 'None' }).text, 'None');
		assert.equal(schema.parse({ text: null }).text, undefined);
	});

	it('keeps the place of an entry that does not fit in a list that a reply is about', () => {
		const rows = rowsOf(z.string());
		assert.deepEqual(rows.parse(['a', 7, 'b', null]), ['a', undefined, 'b', undefined]);
		assert.deepEqual(rows.parse(null), []);
		assert.deepEqual(rows.parse('None'), []);
		for (const value of [undefined, {}, 'a', 7]) {
			assert.ok(!rows.safeParse(value).success);
		}
	});
});

describe('reading an object of many fields', () => {
	const schema = z.looseObject({
		id: z.string().min(1),
		name: lenient(z.string()),
		short: lenient(z.string().max(3)),
		count: lenient(z.number()),
		whole: lenient(z.int()),
		flag: lenient(z.boolean()),
		text: lenientText,
		inner: lenient(z.looseObject({ count: lenient(z.number()) })),
		list: lenient(z.array(z.unknown())),
	});
	const fast = manyFields(schema);
	const present = (value: object | undefined) =>
		value && Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));

	it('reads whatever comes as the schema itself does', () => {
		const field = fc.oneof(
			fc.constantFrom(undefined, null, 'None', '', 'text', true, 0, -1.5, Number.POSITIVE_INFINITY, Number.NaN, [], {}),
			fc.record({ count: fc.constantFrom(1, 'None', null, '1') }),
			fc.array(fc.constantFrom(1, null)),
		);
		const names = [...Object.keys(schema.shape), 'more'];
		const object = fc
			.tuple(fc.constantFrom('a', '', 1, undefined), fc.dictionary(fc.constantFrom(...names), field))
			.map(([id, fields]) => ({ ...fields, id }));
		fc.assert(
			fc.property(fc.oneof({ weight: 9, arbitrary: object }, field), value => {
				assert.deepEqual(present(fast.safeParse(value).data), present(schema.safeParse(value).data));
			}),
			{ numRuns: 2000 },
		);
	});

	it('leaves what it was given as it was', () => {
		const given = { id: 'a', name: 'None', inner: { count: '1' } };
		const before = structuredClone(given);
		fast.parse(given);
		assert.deepEqual(given, before);
	});
});
