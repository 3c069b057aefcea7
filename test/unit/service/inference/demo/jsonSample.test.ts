import assert from 'node:assert/strict';
import { textOfPieces } from '../../../../../src/service/inference/demo/demoPiece.ts';
import { SchemaTooRich, sampleOf } from '../../../../../src/service/inference/demo/jsonSample.ts';
import { processorMs } from '../../../../support/processorTime.ts';

const sample = (schema: unknown): unknown => JSON.parse(textOfPieces(sampleOf(schema, 'demo', 'key')));

describe('sampleOf', () => {
	for (const [what, schema, expected] of [
		['anything', true, 'demo'],
		['an empty schema', {}, 'demo'],
		['a constant', { const: { a: [1] } }, { a: [1] }],
		['a single listed value', { enum: [null] }, null],
		['a text', { type: 'string' }, 'demo'],
		['a longer text', { type: 'string', minLength: 6 }, 'demo..'],
		['a shorter text', { type: 'string', maxLength: 2 }, 'de'],
		['an address', { type: 'string', format: 'uri' }, 'https://example.com/'],
		['a number', { type: 'number' }, 1],
		['a number above a bound', { type: 'number', exclusiveMinimum: 1 }, 1.5],
		['a number between bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 }, 0.25],
		['a share', { type: 'number', minimum: 0, maximum: 0.5 }, 0.5],
		['a whole number', { type: 'integer', minimum: 6, multipleOf: 4 }, 8],
		['a negative number', { type: 'integer', maximum: -3 }, -3],
		['nothing', { type: 'null' }, null],
		['a list', { type: 'array', items: { type: 'integer' } }, [1]],
		['a list of three', { type: 'array', minItems: 3, items: { const: 0 } }, [0, 0, 0]],
		['a list of none', { type: 'array', maxItems: 0 }, []],
		['one of several types', { type: ['null', 'integer'] }, 1],
		['one of several schemas', { anyOf: [{ const: 'first' }, { const: 'second' }] }, 'first'],
		['an object without a type', { properties: { a: { type: 'integer' } } }, { a: 1 }],
		['an object with a required property of any kind', { type: 'object', required: ['a'] }, { a: 'demo' }],
		['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { const: 1 } } }, 1],
		['a schema in allOf', { allOf: [{ type: 'integer' }], minimum: 4 }, 4],
	] as const) {
		it(`fits ${what}`, () => {
			assert.deepEqual(sample(schema), expected);
		});
	}

	it('writes properties whose names have a meaning of their own', () => {
		const schema: unknown = JSON.parse(
			'{"type":"object","properties":{"__proto__":{"const":1},"constructor":{"const":2}}}',
		);
		assert.equal(textOfPieces(sampleOf(schema, 'demo', 'key')), '{"__proto__":1,"constructor":2}');
	});

	it('chooses among very many values, with a very long key, at once', () => {
		const values = Array.from({ length: 300_000 }, (_, index) => `value ${index}`);
		const spent = processorMs(() => {
			const [, chosen] = sampleOf({ enum: values }, 'demo', 'x'.repeat(1_000_000));
			assert.ok(values.includes(chosen?.text ?? ''));
		});
		assert.ok(spent < 5_000, `${spent} ms`);
	});

	it('comes to an end with a schema that may hold itself', () => {
		const text = textOfPieces(sampleOf({ type: 'object', properties: { next: { $ref: '#' } } }, 'demo', 'key'));
		assert.ok(text.length < 200, text);
	});

	for (const [what, schema] of [
		['a pattern', { type: 'string', pattern: '^x' }],
		['an unknown format', { type: 'string', format: 'iban' }],
		['nothing that fits', false],
		['an empty list of values', { enum: [] }],
		['bounds without a number between them', { type: 'integer', minimum: 3, maximum: 2 }],
		['bounds without a whole number between them', { type: 'integer', minimum: 1.2, maximum: 1.8 }],
		['bounds without a text between them', { minLength: 3, maxLength: 2 }],
		['several schemas at once', { allOf: [{}, {}] }],
		['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }],
		['a reference to nowhere', { $ref: '#/$defs/none' }],
		['a reference to itself', { $ref: '#' }],
		['a list that needs itself', { type: 'array', minItems: 2, items: { $ref: '#' } }],
		['a very long list', { type: 'array', minItems: 1_000_000_000 }],
		['a very long text', { type: 'string', minLength: 1_000_000_000 }],
		['distinct entries', { type: 'array', minItems: 2, uniqueItems: true }],
		['properties without names', { type: 'object', minProperties: 2 }],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.throws(() => sampleOf(schema, 'demo', 'key'), SchemaTooRich);
		});
	}
});
