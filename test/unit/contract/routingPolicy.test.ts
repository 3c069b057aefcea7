import assert from 'node:assert/strict';
import { routingPolicySchema } from '../../../src/contract/routingPolicy.ts';

describe('routingPolicySchema', () => {
	it('takes all eleven fields, and gives them back as they are', () => {
		const routingPolicy = {
			sort: 'latency',
			order: ['a', 'b'],
			only: ['a'],
			ignore: ['c'],
			allow_fallbacks: false,
			require_parameters: true,
			data_collection: 'deny',
			quantizations: ['int4', 'int8'],
			preferred_min_throughput: 50,
			preferred_max_latency: 1.5,
			zdr: false,
		};
		assert.deepEqual(routingPolicySchema.parse(routingPolicy), routingPolicy);
	});

	for (const field of ['sort', 'preferred_min_throughput', 'preferred_max_latency']) {
		it(`passes an object as ${field} through unchanged`, () => {
			const routingPolicy = { [field]: { by: 'price', p90: [1, { deep: null }] } };
			assert.deepEqual(routingPolicySchema.parse(routingPolicy), routingPolicy);
		});
	}

	it('adds no field that the policy leaves out', () => {
		assert.deepEqual(routingPolicySchema.parse({}), {});
	});

	for (const routingPolicy of [
		{ sort: 'cheapest' },
		{ sort: null },
		{ sort: ['price'] },
		{ order: 'a' },
		{ only: [''] },
		{ data_collection: 'maybe' },
		{ zdr: 'true' },
		{ zdr: null },
		{ preferred_max_latency: '1' },
		{ max_price: 1 },
	]) {
		it(`refuses ${JSON.stringify(routingPolicy)}`, () => {
			assert.ok(!routingPolicySchema.safeParse(routingPolicy).success);
		});
	}
});
