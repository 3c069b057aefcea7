import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../src/contract/chatRequest.ts';
import { completed, eligibilityOf, isNamed, type ProviderFacts } from '../../../src/contract/eligibility.ts';
import type { RoutingPolicy } from '../../../src/contract/routingPolicy.ts';

/** What excludes the provider, and after a question mark what would have to be known. */
function judged(facts: Partial<ProviderFacts>, routingPolicy: RoutingPolicy, request: Partial<ChatRequest> = {}) {
	const { exclusions, unknown } = eligibilityOf({ slug: 'one', ...facts }, routingPolicy, request);
	return [...exclusions.map(({ kind }) => kind), ...unknown.map(fact => `?${fact}`)];
}

describe('the decision whether a provider may serve a request', () => {
	it('excludes no provider if the policy asks for nothing, whatever is unknown', () => {
		assert.deepEqual(judged({}, {}, { temperature: 1 }), []);
		assert.deepEqual(judged({}, { data_collection: 'allow', zdr: false, sort: 'price', allow_fallbacks: false }), []);
	});

	it('excludes by ignore, only, and an order without fallbacks', () => {
		assert.deepEqual(judged({}, { ignore: ['one'] }), ['ignored']);
		assert.deepEqual(judged({}, { only: ['two'] }), ['not-in-only']);
		assert.deepEqual(judged({}, { only: [] }), ['not-in-only']);
		assert.deepEqual(judged({}, { only: ['one'] }), []);
		assert.deepEqual(judged({}, { order: ['two'], allow_fallbacks: false }), ['not-in-order']);
		assert.deepEqual(judged({}, { order: ['two'] }), []);
		assert.deepEqual(judged({}, { order: [], allow_fallbacks: false }), []);
		assert.deepEqual(judged({}, { only: ['one'], ignore: ['one'] }), ['ignored']);
	});

	it('lets the service’s own slug name a provider that it stands for, and no other', () => {
		const own = { ownSlug: 'acme' };
		assert.deepEqual(judged(own, { only: ['acme'] }), []);
		assert.deepEqual(judged(own, { ignore: ['acme'] }), ['ignored']);
		assert.deepEqual(judged({}, { only: ['acme'] }), ['not-in-only']);
		assert.equal(isNamed({ slug: 'one', ...own }, ['one']), true);
		assert.equal(isNamed({ slug: 'one' }, ['acme']), false);
	});

	for (const [what, dataPolicy, deny, zdr, both] of [
		['keeps nothing', { zeroDataRetention: true, storesData: false }, [], [], []],
		['stores nothing', { zeroDataRetention: false, storesData: false }, [], ['retains-data'], ['retains-data']],
		[
			'stores data',
			{ zeroDataRetention: false, storesData: true },
			['stores-data'],
			['retains-data'],
			['stores-and-retains-data'],
		],
		['says nothing', undefined, ['?data-policy'], ['?data-policy'], ['?data-policy']],
		['tells half', { zeroDataRetention: false }, ['?data-policy'], ['retains-data'], ['retains-data', '?data-policy']],
	] as const) {
		it(`judges by the data policy of one that ${what}`, () => {
			assert.deepEqual(judged({ dataPolicy }, { data_collection: 'deny' }), deny);
			assert.deepEqual(judged({ dataPolicy }, { zdr: true }), zdr);
			assert.deepEqual(judged({ dataPolicy }, { data_collection: 'deny', zdr: true }), both);
		});
	}

	it('excludes by quantization, and leaves open what is unknown', () => {
		const { exclusions } = eligibilityOf({ slug: 'one', quantizations: ['int4'] }, { quantizations: ['fp8'] }, {});
		assert.deepEqual(exclusions, [{ kind: 'quantization', offered: ['int4'] }]);
		assert.deepEqual(judged({ quantizations: ['int4', 'fp8'] }, { quantizations: ['fp8'] }), []);
		assert.deepEqual(judged({}, { quantizations: ['fp8'] }), ['?quantizations']);
	});

	it('excludes by unsupported parameters only where they are required, and never by fields of the routing', () => {
		const parameters = new Set(['temperature']);
		const request = { model: 'm', messages: [], stream: true, provider: {}, temperature: 1, seed: 2 };
		const { exclusions } = eligibilityOf({ slug: 'one', parameters }, { require_parameters: true }, request);
		assert.deepEqual(exclusions, [{ kind: 'parameters', missing: ['seed'] }]);
		assert.deepEqual(judged({ parameters }, {}, request), []);
		assert.deepEqual(judged({ parameters: 'all' }, { require_parameters: true }, request), []);
		assert.deepEqual(judged({}, { require_parameters: true }, request), ['?parameters']);
		assert.deepEqual(judged({}, { require_parameters: true }, { temperature: undefined }), []);
	});
});

describe('the assumption of a service that knows all about its providers', () => {
	it('is the worst of a data policy and a quantization that are not known, and support of all parameters', () => {
		const policy = { data_collection: 'deny' as const, zdr: true, quantizations: ['fp8'], require_parameters: true };
		assert.deepEqual(judged(completed({ slug: 'one' }), policy, { seed: 1 }), [
			'stores-and-retains-data',
			'quantization',
		]);
	});

	it('is that zero data retention stores nothing, unless the provider states that it does', () => {
		const deny = { data_collection: 'deny' } as const;
		assert.deepEqual(judged(completed({ slug: 'one', dataPolicy: { zeroDataRetention: true } }), deny), []);
		const both = { zeroDataRetention: true, storesData: true };
		assert.deepEqual(judged(completed({ slug: 'one', dataPolicy: both }), deny), ['stores-data']);
		assert.deepEqual(judged(completed({ slug: 'one', dataPolicy: { storesData: false } }), deny), []);
	});

	it('leaves what is known as it is', () => {
		const facts = { slug: 'one', ownSlug: 'acme', quantizations: ['int4'], parameters: new Set(['seed']) };
		const dataPolicy = { zeroDataRetention: false, storesData: false };
		assert.deepEqual(completed({ ...facts, dataPolicy }), { ...facts, dataPolicy });
	});
});
