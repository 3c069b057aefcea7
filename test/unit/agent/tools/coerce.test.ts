import assert from 'node:assert/strict';
import * as z from 'zod';
import { coerce, readLoosely } from '../../../../src/agent/tools/coerce.ts';
import { processorMs } from '../../../support/processorTime.ts';

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

describe('a text that is not valid JSON', () => {
	it('is read where only one object can be meant', () => {
		for (const [given, expected] of [
			['{"old": "a\n\tb", "new": "say \\"a\n\\""}', { old: 'a\n\tb', new: 'say "a\n"' }],
			['{"path": "a", "lines": [1, 2,],}', { path: 'a', lines: [1, 2] }],
			['{"path": "a,}"', { path: 'a,}' }],
			['{"path": "a"}{"path": "a"}', { path: 'a' }],
			['{"path": "a"}\n{"path": "a"}', { path: 'a' }],
		] as const) {
			assert.deepEqual(readLoosely(given), expected);
		}
	});

	it('is not read where a part is missing, or more than one could be meant', () => {
		for (const given of [
			'',
			'{"path": "a',
			'{"path": ',
			'{"path": "a"}{"path": "b"}',
			"{'path': 'a'}",
			'[1',
			'{"a": "b"c"}',
		]) {
			assert.equal(readLoosely(given), undefined, given);
		}
	});

	it('is looked at in linear time', () => {
		const spent = processorMs(() => {
			for (const unit of ['{', '"', '\\', '\\"', '",', '{"a":[', '\n']) {
				readLoosely(`"${unit.repeat(200_000)}\\`);
				readLoosely(unit.repeat(200_000));
			}
		});
		assert.ok(spent < 10_000);
	});
});
