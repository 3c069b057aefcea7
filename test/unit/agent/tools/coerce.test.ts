import assert from 'node:assert/strict';
import * as z from 'zod';
import { coerce } from '../../../../src/agent/tools/coerce.ts';

describe('an argument of another type than its schema has', () => {
	const schema = z.toJSONSchema(
		z.object({
			text: z.string(),
			count: z.int().optional(),
			part: z.number().optional(),
			isAll: z.boolean().default(false),
			steps: z.array(z.object({ text: z.string(), done: z.boolean().default(false) })).optional(),
			kind: z.enum(['a', 'b']).optional(),
		}),
		{ io: 'input' },
	) as Parameters<typeof coerce>[1];
	const read = (value: unknown) => coerce(value, schema);

	it('is read where there is but one way to read it', () => {
		for (const [given, expected] of [
			[{ count: '30' }, { count: 30 }],
			[{ part: '0.5' }, { part: 0.5 }],
			[{ isAll: 'true' }, { isAll: true }],
			[{ isAll: 'false' }, { isAll: false }],
			[{ count: null, isAll: null }, {}],
			[{ steps: '[{"text":"one","done":"true"}]' }, { steps: [{ text: 'one', done: true }] }],
			['{"text":"a","count":"2"}', { text: 'a', count: 2 }],
		]) {
			assert.deepEqual(read(given), expected);
		}
	});

	it('stays as it is where there is none, or more than one', () => {
		for (const given of [
			{ count: 'thirty' },
			{ count: '1.5' },
			{ count: '' },
			{ isAll: 'yes' },
			{ isAll: '1' },
			{ isAll: 1 },
			{ text: 5 },
			{ text: null },
			{ text: '30' },
			{ kind: 'true' },
			{ steps: '{}' },
			{ other: '30' },
			'not JSON',
			[1],
		]) {
			assert.deepEqual(read(given), given);
		}
	});
});
