import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import {
	findModel,
	impliedRoutingPolicy,
	parseModelIdentifier,
	withoutPrefix,
} from '../../../src/contract/modelIdentifier.ts';

const connectionOf = (fields: object = {}): Connection => ({
	name: 'test',
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		models: [{ id: 'large' }, { id: 'acmeai/vega/small' }, { id: 'quick/listed' }],
		providerPrefixes: [
			{ prefix: 'quick', provider: 'quick-host' },
			{ prefix: 'cloud', provider: 'cloud-host' },
			{ prefix: 'cloudai', provider: 'cloud-host' },
		],
		aliases: [
			{ name: 'ours', model: 'large', provider: 'quick-host' },
			{ name: 'theirs', model: 'acmeai/vega/small' },
			{ name: 'a', model: 'b' },
			{ name: 'b', model: 'a' },
		],
		...fields,
	}),
});
const connection = connectionOf();
const parse = (text: string) => parseModelIdentifier(connection, text);
const quick = { prefix: 'quick', provider: 'quick-host' };
const own = { prefix: 'acme', provider: 'acme' };

describe('a model identifier', () => {
	for (const [text, identifier] of [
		['large', { form: 'plain', model: 'large' }],
		['vendor/large', { form: 'plain', model: 'vendor/large' }],
		['quick/large', { form: 'plain', model: 'large', via: quick }],
		['quick/vendor/large:tag', { form: 'plain', model: 'vendor/large:tag', via: quick }],
		['acmeai/vega/small', { form: 'path', vendor: 'vega', model: 'small' }],
		['acmeai/vega/small/v2', { form: 'path', vendor: 'vega', model: 'small/v2' }],
		['quick/acmeai/vega/small', { form: 'path', vendor: 'vega', model: 'small', via: quick }],
		['acme/large', { form: 'plain', model: 'large', via: own }],
		['acme/acmeai/vega/small', { form: 'path', vendor: 'vega', model: 'small', via: own }],
		['ours', { form: 'alias', alias: { name: 'ours', model: 'large', provider: 'quick-host' } }],
		['quick/quick/large', { form: 'plain', model: 'quick/large', via: quick }],
		['Quick/large', { form: 'plain', model: 'Quick/large' }],
		['quick/', { form: 'plain', model: 'quick/' }],
		['quickly/large', { form: 'plain', model: 'quickly/large' }],
		['acmeai/vega', { form: 'plain', model: 'acmeai/vega' }],
		['acmeai//small', { form: 'plain', model: 'acmeai//small' }],
		['quick/ours', { form: 'plain', model: 'ours', via: quick }],
	] as const) {
		it(`is read: ${text}`, () => {
			assert.deepEqual(parse(text), identifier);
		});
	}

	it('is what the connection lists, though it look like a prefix and a name', () => {
		assert.deepEqual(parse('quick/listed'), { form: 'plain', model: 'quick/listed' });
	});

	it('means one provider by either of two prefixes', () => {
		for (const text of ['cloud/large', 'cloudai/large']) {
			assert.deepEqual(impliedRoutingPolicy(parse(text)), { order: ['cloud-host'], allow_fallbacks: true });
		}
	});

	it('loses nothing but its prefix, whatever it is', () => {
		const part = fc.oneof(
			fc.constantFrom('acme', 'acmeai', 'quick', 'cloud', 'large', 'ours', 'vega', ''),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => {
				const text = parts.join('/');
				const identifier = parse(text);
				const prefix = identifier.form !== 'alias' && identifier.via ? `${identifier.via.prefix}/` : '';
				assert.equal(prefix + withoutPrefix(connection, text), text);
			}),
		);
	});

	it('loses its prefix alone, and equals an order with fallbacks', () => {
		assert.equal(withoutPrefix(connection, 'quick/acmeai/vega/small'), 'acmeai/vega/small');
		assert.equal(withoutPrefix(connection, 'large'), 'large');
		assert.equal(withoutPrefix(connection, 'ours'), 'ours');
		assert.deepEqual(impliedRoutingPolicy(parse('quick/large')), { order: ['quick-host'], allow_fallbacks: true });
		assert.deepEqual(impliedRoutingPolicy(parse('large')), {});
	});
});

describe('findModel', () => {
	for (const [text, id] of [
		['large', 'large'],
		['quick/large', 'large'],
		['acmeai/vega/large', 'large'],
		['quick/acmeai/vega/large', 'large'],
		['ours', 'large'],
		['theirs', 'acmeai/vega/small'],
		['small', 'acmeai/vega/small'],
		['cloud/small', 'acmeai/vega/small'],
		['quick/listed', 'quick/listed'],
		['acmeai/other/small', undefined],
		['unknown', undefined],
		['a', undefined],
	] as const) {
		it(`finds ${id ?? 'nothing'} for ${text}`, () => {
			assert.equal(findModel(connection, text)?.id, id);
		});
	}

	it('does not choose between two vendors', () => {
		const two = connectionOf({ models: [{ id: 'acmeai/vega/small' }, { id: 'acmeai/rigel/small' }] });
		assert.equal(findModel(two, 'small'), undefined);
		assert.equal(findModel(two, 'acmeai/rigel/small')?.id, 'acmeai/rigel/small');
	});
});
