import assert from 'node:assert/strict';
import { isDeeperThan, parseBeginningOfJson, parseJson, parseJsonWithComments } from '../../../src/base/json.ts';

describe('the nesting of a value', () => {
	it('counts lists and objects alike, each branch for itself', () => {
		for (const value of [1, 'text', null, undefined]) {
			assert.ok(!isDeeperThan(value, 0));
		}
		const value = { a: [{ b: 1 }], c: 2 };
		assert.deepEqual(
			[0, 1, 2, 3].map(levels => isDeeperThan(value, levels)),
			[true, true, true, false],
		);
	});

	it('does not run out of room', () => {
		const levels = 300_000;
		assert.ok(isDeeperThan(JSON.parse('['.repeat(levels) + ']'.repeat(levels)), levels - 2));
	});
});

describe('parseJson', () => {
	it('returns the value of JSON, and undefined for any other text', () => {
		assert.deepEqual(parseJson('{"a": [null]}'), { a: [null] });
		assert.equal(parseJson('null'), null);
		for (const text of ['', '{', 'undefined', '<html>']) {
			assert.equal(parseJson(text), undefined, text);
		}
	});

	it('returns undefined for what is nested so deeply that nobody could walk through it or write it', () => {
		const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
		assert.equal(JSON.stringify(parseJson(nested(500))), nested(500));
		for (const levels of [502, 20_000, 1_000_000]) {
			assert.equal(parseJson(nested(levels)), undefined, String(levels));
		}
		const flat = JSON.stringify(Array(2_000).fill(['[{\\', '"[[', ']"\\\\"[']));
		assert.equal(JSON.stringify(parseJson(flat)), flat);
	});
});

describe('parseBeginningOfJson', () => {
	it('returns whole entries and the string that was cut, wherever that was', () => {
		for (const [text, value] of [
			['{"a": {"b": "whole", "c": "cut', { a: { b: 'whole', c: 'cut' } }],
			['{"a": [1, "b"], "key', { a: [1, 'b'] }],
			['{"a": [1, 2', { a: [1] }],
			['{"a": 1, "b": tr', { a: 1 }],
			['[{"a": "}]"}, {"b": "\\"', [{ a: '}]' }, { b: '"' }]],
			['["\\\\', ['\\']],
			['["\\', ['']],
			['["a\\u00e', ['a']],
			['{"a"', {}],
			['[', []],
		] as const) {
			assert.deepEqual(parseBeginningOfJson(text), value, text);
		}
	});

	it('returns undefined for what begins no value', () => {
		for (const text of ['', 'plain, [text]', '}', "{'a': 1}]", '[1}, 2']) {
			assert.equal(parseBeginningOfJson(text), undefined, text);
		}
	});

	it('says nothing that the whole text does not say, wherever it ends', () => {
		const whole = { a: 'é "quoted" \\ back', list: [1, { b: 'text', none: null }], last: true };
		const text = JSON.stringify(whole).replace('é', '\\u00e9');
		for (let end = 1; end <= text.length; end++) {
			const { a, list, last } = parseBeginningOfJson(text.slice(0, end)) as Partial<typeof whole>;
			assert.ok(a === undefined || whole.a.startsWith(a), text.slice(0, end));
			assert.ok(list === undefined || list.length <= whole.list.length);
			assert.ok(last === undefined || last);
		}
	});

	it('does not run out of room or time', () => {
		const deep = '['.repeat(300_000);
		assert.equal(parseBeginningOfJson(deep), undefined);
		assert.deepEqual(parseBeginningOfJson(`[${'[],'.repeat(100_000)}`), Array(100_000).fill([]));
	});
});

describe('JSON with comments', () => {
	it('is read without them, and without commas before closing brackets', () => {
		const text = '// head\n{ "a": [1, 2, ], /* in\nbetween */ "b": "// no, /* comment */,}", "c\\"//": 1,\n}';
		assert.deepEqual(parseJsonWithComments(text), { a: [1, 2], b: '// no, /* comment */,}', 'c"//': 1 });
		assert.deepEqual(parseJsonWithComments('{"a": 1}'), { a: 1 });
		assert.deepEqual(parseJsonWithComments('[1, // one,\n /* ] */ ]'), [1]);
		assert.equal(parseJsonWithComments('[1,,]'), undefined);
		assert.equal(parseJsonWithComments('["a\\'), undefined);
	});

	it('takes no longer for what never ends', () => {
		for (const piece of ['/* ', String.raw`"\"`, '"', ',]', ', ', '//']) {
			// A minute and more, where each piece is looked through to the end of the text.
			assert.equal(parseJsonWithComments(piece.repeat(1024 * 256)), undefined, piece);
		}
	});

	it('is undefined where it is no JSON otherwise', () => {
		for (const text of ['', '{', '{"a": 1 /* open', "{'a': 1}", '{"a" 1}']) {
			assert.equal(parseJsonWithComments(text), undefined, text);
		}
	});
});
