// The order in which providers are tried (contract: inference.md, Provider object, rules 1 to 3).

import { append } from '../../base/append.ts';
import { isNamed } from '../../contract/eligibility.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { type Candidate, factsOf } from './candidates.ts';
import type { Measured } from './measurements.ts';

export interface Ranked extends Candidate {
	measured: Measured;
}

/**
 * The lowest price to calculate with, in US dollars. A provider that is free shares the load with the cheapest ones,
 * but does not take all of it.
 */
const LEAST_PRICE = 0.01;

/**
 * Returns the candidates in the order in which to try them. Those in `order` come first, in its sequence; then the
 * rest, sorted by `sort`, or else shuffled with weights of the uptime divided by the square of the price. Within both
 * parts, a provider that has just failed comes last. Without fallbacks, only the first one is left, or those in
 * `order`. `random` returns numbers from 0 (inclusive) to 1 (exclusive).
 */
export function rank(candidates: readonly Ranked[], routing: RoutingPolicy, random: () => number): Ranked[] {
	const { order = [], allow_fallbacks } = routing;
	const listed: Ranked[] = [];
	for (const slug of order) {
		const named = candidates.filter(candidate => !listed.includes(candidate) && isNamed(factsOf(candidate), [slug]));
		// One slug, the service's own, can stand for several providers.
		append(listed, bySort(named, routing, random));
	}
	const rest = bySort(
		candidates.filter(candidate => !listed.includes(candidate)),
		routing,
		random,
	);
	const ranked = [...restingLast(listed), ...restingLast(rest)];
	return allow_fallbacks === false && order.length === 0 ? ranked.slice(0, 1) : ranked;
}

/**
 * Preferences take precedence over the sort: a provider that is known to miss one comes after all others, but can still
 * serve the request.
 */
function bySort(candidates: readonly Ranked[], routing: RoutingPolicy, random: () => number): Ranked[] {
	const shuffled = weightedShuffle(candidates, random);
	const sorted = sortBy(shuffled, sortOf(routing));
	const misses = new Map(sorted.map(candidate => [candidate, missesOf(candidate, routing)]));
	return sorted.sort((one, other) => (misses.get(one) ?? 0) - (misses.get(other) ?? 0));
}

type Sort = 'price' | 'throughput' | 'latency' | undefined;

/**
 * contract: not shown. An object names the criterion in `by`, as services of this shape have it; any other object means
 * no sorting.
 */
function sortOf({ sort }: RoutingPolicy): Sort {
	const by = typeof sort === 'object' ? sort['by'] : sort;
	return by === 'price' || by === 'throughput' || by === 'latency' ? by : undefined;
}

/** Sorts by a number, smallest first. Equal candidates stay in their shuffled order. */
function sortBy(candidates: Ranked[], sort: Sort): Ranked[] {
	switch (sort) {
		case undefined:
			return candidates;
		case 'price': {
			const prices = pricesOf(candidates);
			return candidates.sort((one, other) => (prices.get(one) ?? 0) - (prices.get(other) ?? 0));
		}
		case 'latency':
			return candidates.sort((one, other) => unlessUntried(one, 'latency') - unlessUntried(other, 'latency'));
		case 'throughput':
			return candidates.sort((one, other) => unlessUntried(one, 'throughput') - unlessUntried(other, 'throughput'));
	}
}

/**
 * Returns a sort key for which smaller is better. A provider without a recent measurement is tried first once, as it
 * could otherwise never become the best. While that try is in progress, it comes last.
 */
function unlessUntried({ measured }: Ranked, what: 'latency' | 'throughput'): number {
	const value = measured[what];
	if (value === undefined) {
		return measured.isBeingTried ? Number.MAX_VALUE : -Number.MAX_VALUE;
	}
	return what === 'latency' ? value : -value;
}

function missesOf({ measured }: Ranked, routing: RoutingPolicy): number {
	const minimum = boundOf(routing.preferred_min_throughput);
	const maximum = boundOf(routing.preferred_max_latency);
	const { throughput, latency } = measured;
	const isSlow = minimum !== undefined && throughput !== undefined && throughput < minimum;
	const isLate = maximum !== undefined && latency !== undefined && latency > maximum;
	return Number(isSlow) + Number(isLate);
}

/**
 * contract: not shown. If the bound is an object by percentiles, its median is compared with the mean that is measured
 * here.
 */
function boundOf(bound: number | Record<string, unknown> | undefined): number | undefined {
	const value = typeof bound === 'object' ? bound['p50'] : bound;
	return typeof value === 'number' ? value : undefined;
}

function restingLast(candidates: readonly Ranked[]): Ranked[] {
	return [
		...candidates.filter(({ measured }) => !measured.isResting),
		...candidates.filter(({ measured }) => measured.isResting),
	];
}

/**
 * Returns the price of a million tokens each of input and output. A provider on this machine without a price is free;
 * any other one without a price is assumed to be as expensive as the most expensive one, so that omitting the price is
 * no advantage.
 */
function pricesOf(candidates: readonly Ranked[]): Map<Ranked, number> {
	const known = new Map<Ranked, number>();
	for (const candidate of candidates) {
		const { offer, provider } = candidate;
		const price = offer.prices ? offer.prices.input + offer.prices.output : provider.isDedicated ? 0 : undefined;
		if (price !== undefined) {
			known.set(candidate, price);
		}
	}
	const highest = Math.max(LEAST_PRICE, ...known.values());
	return new Map(candidates.map(candidate => [candidate, known.get(candidate) ?? highest]));
}

/** Draws candidates one after another, each with a probability proportional to its weight. */
function weightedShuffle(candidates: readonly Ranked[], random: () => number): Ranked[] {
	const prices = pricesOf(candidates);
	const left = candidates.map(candidate => {
		const price = Math.max(LEAST_PRICE, prices.get(candidate) ?? LEAST_PRICE);
		return { candidate, weight: candidate.measured.uptime / price ** 2 };
	});
	const shuffled: Ranked[] = [];
	while (left.length > 0) {
		const total = left.reduce((sum, { weight }) => sum + weight, 0);
		let rest = random() * total;
		const found = left.findIndex(({ weight }) => {
			rest -= weight;
			return rest < 0;
		});
		// Because of rounding, no candidate may be found; the last one is drawn then.
		const [drawn] = left.splice(found === -1 ? left.length - 1 : found, 1);
		if (drawn !== undefined) {
			shuffled.push(drawn.candidate);
		}
	}
	return shuffled;
}
