// In which order providers are tried (contract: inference.md, Provider object, rules 1 to 3).
import type { ProviderPreferences } from '../../contract/provider.ts';
import { type Candidate, isNamed } from './candidates.ts';
import type { Measured } from './measurements.ts';

export interface Ranked extends Candidate {
	measured: Measured;
}

/** Somebody who asks nothing shares the load with the cheapest, but does not take all of it. US dollars. */
const LEAST_PRICE = 0.01;

/**
 * The candidates in the order in which to try them, `random` giving numbers from 0 to below 1.
 * Those of `order` come first, in its sequence; then the rest, by `sort` or else shuffled with weights of the inverse
 * square of the price times the uptime. A provider that has just failed comes behind the others of its part.
 * Without fallbacks one is left, or those of `order`.
 */
export function rank(candidates: readonly Ranked[], preferences: ProviderPreferences, random: () => number): Ranked[] {
	const { order = [], allow_fallbacks } = preferences;
	const listed: Ranked[] = [];
	for (const slug of order) {
		const named = candidates.filter(candidate => !listed.includes(candidate) && isNamed(candidate, [slug]));
		// One slug can mean several: the service's own.
		listed.push(...bySort(named, preferences, random));
	}
	const rest = bySort(
		candidates.filter(candidate => !listed.includes(candidate)),
		preferences,
		random,
	);
	const ranked = [...restingLast(listed), ...restingLast(rest)];
	return allow_fallbacks === false && order.length === 0 ? ranked.slice(0, 1) : ranked;
}

/** Wishes come before the sort: who is known to miss one stands behind all others, and still serves if need be. */
function bySort(candidates: readonly Ranked[], preferences: ProviderPreferences, random: () => number): Ranked[] {
	const shuffled = weightedShuffle(candidates, random);
	const sorted = sortBy(shuffled, sortOf(preferences));
	const misses = new Map(sorted.map(candidate => [candidate, missesOf(candidate, preferences)]));
	return sorted.sort((one, other) => (misses.get(one) ?? 0) - (misses.get(other) ?? 0));
}

type Sort = 'price' | 'throughput' | 'latency' | undefined;

/** contract: not shown. An object names it in `by`, as services of this shape have it; another object asks for nothing. */
function sortOf({ sort }: ProviderPreferences): Sort {
	const by = typeof sort === 'object' ? sort['by'] : sort;
	return by === 'price' || by === 'throughput' || by === 'latency' ? by : undefined;
}

/** Sorts by one number each, smallest first. Of equal ones the shuffle decides. */
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
 * Smaller is better. Who was never measured, or not of late, goes first once: only so can he become the best. While that
 * try is under way he goes last.
 */
function unlessUntried({ measured }: Ranked, what: 'latency' | 'throughput'): number {
	const value = measured[what];
	if (value === undefined) {
		return measured.isBeingTried ? Number.MAX_VALUE : -Number.MAX_VALUE;
	}
	return what === 'latency' ? value : -value;
}

function missesOf({ measured }: Ranked, preferences: ProviderPreferences): number {
	const minimum = boundOf(preferences.preferred_min_throughput);
	const maximum = boundOf(preferences.preferred_max_latency);
	const { throughput, latency } = measured;
	const isSlow = minimum !== undefined && throughput !== undefined && throughput < minimum;
	const isLate = maximum !== undefined && latency !== undefined && latency > maximum;
	return Number(isSlow) + Number(isLate);
}

/** contract: not shown. Of an object by percentiles the median stands for what is measured here, a mean. */
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
 * A million tokens in and as many out. Who runs on this machine and names no price costs nothing; of anybody else who
 * names none the worst is assumed, so that a missing price is no advantage.
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

/** Draws one after the other, each with a chance that is its share of the weights that are left. */
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
		// Rounding can leave a remainder past the last one.
		const [drawn] = left.splice(found === -1 ? left.length - 1 : found, 1);
		if (drawn !== undefined) {
			shuffled.push(drawn.candidate);
		}
	}
	return shuffled;
}
