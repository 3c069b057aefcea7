import assert from 'node:assert/strict';
import type { RoutingPolicy } from '../../../../src/contract/routingPolicy.ts';
import type { Measured } from '../../../../src/service/inference/measurements.ts';
import type { ModelOffer, Provider } from '../../../../src/service/inference/provider.ts';
import { type Ranked, rank } from '../../../../src/service/inference/ranking.ts';
import { seededRandom } from '../../../support/upstreamServer.ts';

const FRESH: Measured = {
	latency: undefined,
	throughput: undefined,
	uptime: 1,
	isResting: false,
	isBeingTried: false,
};

function candidate(
	slug: string,
	price: number | undefined,
	measured: Partial<Measured> = {},
	provider: Partial<Provider> = {},
): Ranked {
	const offer: ModelOffer = {
		id: 'm',
		kinds: ['chat'],
		prices: price === undefined ? undefined : { input: price / 2, output: price / 2 },
	};
	return {
		provider: {
			slug,
			isDedicated: false,
			prefixes: [slug],
			offers: () => [offer],
			chat: () => assert.fail('nobody is asked'),
			...provider,
		},
		offer,
		measured: { ...FRESH, ...measured },
	};
}

const ROUNDS = 1000;

/** Returns how often each is the first of 1,000 rankings. */
function shares(candidates: Ranked[], preferences: RoutingPolicy = {}): Record<string, number> {
	const random = seededRandom(7);
	const counts: Record<string, number> = {};
	for (let round = 0; round < ROUNDS; round++) {
		const slug = rank(candidates, preferences, random)[0]?.provider.slug ?? '';
		counts[slug] = (counts[slug] ?? 0) + 1;
	}
	return Object.fromEntries(Object.entries(counts).map(([slug, count]) => [slug, count / ROUNDS]));
}

const order = (candidates: Ranked[], preferences: RoutingPolicy = {}) =>
	rank(candidates, preferences, seededRandom(3)).map(({ provider }) => provider.slug);

function near(share: number | undefined, expected: number): void {
	assert.ok(Math.abs((share ?? 0) - expected) < 0.04, `${share} is not about ${expected}`);
}

describe('the ranking of providers', () => {
	describe('without sort', () => {
		it('shares the load by the inverse square of the price', () => {
			const { cheap, middle, dear } = shares([candidate('dear', 4), candidate('cheap', 1), candidate('middle', 2)]);
			// 1 : 1/4 : 1/16
			near(cheap, 16 / 21);
			near(middle, 4 / 21);
			near(dear, 1 / 21);
		});

		it('gives less to a provider that fails more often', () => {
			const { good, bad } = shares([candidate('good', 1), candidate('bad', 1, { uptime: 0.25 })]);
			near(good, 0.8);
			near(bad, 0.2);
		});

		it('counts a missing price as the highest, and as zero if nothing is paid', () => {
			const remote = shares([candidate('silent', undefined), candidate('cheap', 1), candidate('dear', 4)]);
			near(remote['silent'], 1 / 18);
			const local = shares([candidate('own', undefined, {}, { isDedicated: true }), candidate('cheap', 1)]);
			assert.ok((local['own'] ?? 0) > 0.98);
		});

		it('shares evenly among providers that cost nothing', () => {
			const { one, other } = shares([candidate('one', 0), candidate('other', 0)]);
			near(one, 0.5);
			near(other, 0.5);
		});
	});

	it('sorts by price, throughput or latency, the best first', () => {
		const candidates = [
			candidate('a', 3, { throughput: 10, latency: 0.3 }),
			candidate('b', 1, { throughput: 20, latency: 0.2 }),
			candidate('c', 2, { throughput: 30, latency: 0.1 }),
		];
		for (const sort of ['price', { by: 'price' }]) {
			assert.deepEqual(order(candidates, { sort: sort as RoutingPolicy['sort'] }), ['b', 'c', 'a']);
		}
		assert.deepEqual(order(candidates, { sort: 'throughput' }), ['c', 'b', 'a']);
		assert.deepEqual(order(candidates, { sort: 'latency' }), ['c', 'b', 'a']);
	});

	it('ignores an object that it does not understand', () => {
		const candidates = [candidate('cheap', 1), candidate('dear', 2)];
		near(shares(candidates, { sort: { partition: 'none' } })['cheap'], 0.8);
		near(shares(candidates, { preferred_max_latency: { unheard: 1 } })['cheap'], 0.8);
	});

	it('tries a provider once that was never measured, and waits for the result', () => {
		const known = candidate('known', 1, { throughput: 500, latency: 0.01 });
		for (const sort of ['throughput', 'latency'] as const) {
			assert.deepEqual(order([known, candidate('new', 1)], { sort }), ['new', 'known']);
			assert.deepEqual(order([known, candidate('new', 1, { isBeingTried: true })], { sort }), ['known', 'new']);
		}
	});

	describe('order', () => {
		const candidates = [candidate('a', 1), candidate('b', 5), candidate('c', 9)];

		it('comes first and in its sequence, whatever the rest is sorted by', () => {
			assert.deepEqual(order(candidates, { order: ['c', 'b'] }), ['c', 'b', 'a']);
			assert.deepEqual(order(candidates, { order: ['c'], sort: 'price' }), ['c', 'a', 'b']);
		});

		it('skips a provider that does not host the model', () => {
			assert.deepEqual(order(candidates, { order: ['nobody', 'b'], sort: 'price' }), ['b', 'a', 'c']);
		});

		it('takes the service’s slug to mean every provider on this machine, but not for a closed model', () => {
			const own = candidate('own', 3, {}, { isDedicated: true });
			assert.equal(order([...candidates, own], { order: ['errand'] })[0], 'own');
			const closed = { ...own, offer: { ...own.offer, openWeights: false } };
			assert.deepEqual(order([closed, ...candidates], { order: ['errand'], sort: 'price' }), ['a', 'own', 'b', 'c']);
		});
	});

	it('leaves one without fallbacks, and all of an order', () => {
		const candidates = [candidate('a', 1), candidate('b', 5)];
		assert.deepEqual(order(candidates, { sort: 'price', allow_fallbacks: false }), ['a']);
		assert.deepEqual(order(candidates, { order: ['b', 'a'], allow_fallbacks: false }), ['b', 'a']);
	});

	it('puts a provider that misses a preferred speed behind the others, and keeps it', () => {
		const slow = candidate('slow', 1, { throughput: 5, latency: 4 });
		const fast = candidate('fast', 9, { throughput: 50, latency: 0.5 });
		for (const preferences of [
			{ preferred_min_throughput: 20 },
			{ preferred_min_throughput: { p50: 20 } },
			{ preferred_max_latency: 1 },
			{ preferred_max_latency: { p50: 1, p90: 3 } },
		]) {
			assert.deepEqual(order([slow, fast], { sort: 'price', ...preferences }), ['fast', 'slow']);
		}
		assert.deepEqual(order([slow, fast], { sort: 'price', preferred_min_throughput: 60 }), ['slow', 'fast']);
		assert.deepEqual(order([candidate('new', 1), fast], { sort: 'price', preferred_max_latency: 1 }), ['new', 'fast']);
	});

	it('puts a provider that has just failed behind the others of its part', () => {
		const candidates = [candidate('a', 1, { isResting: true }), candidate('b', 2), candidate('c', 3)];
		assert.deepEqual(order(candidates, { sort: 'price' }), ['b', 'c', 'a']);
		assert.deepEqual(order(candidates, { order: ['a', 'b'], sort: 'price' }), ['b', 'a', 'c']);
		assert.deepEqual(order(candidates, { order: ['a'] })[0], 'a');
	});
});
