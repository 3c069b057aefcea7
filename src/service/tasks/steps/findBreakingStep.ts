import type { TestOutcome } from '../../../contract/agents.ts';
import type { StepSearchEvent } from '../../../contract/stepSearch.ts';

export type SearchRun = Omit<Extract<StepSearchEvent, { type: 'run' }>, 'type'>;
export type SearchEnd = Extract<StepSearchEvent, { type: 'found' | 'none' }>;

export interface StateRuns {
	run(run: SearchRun): Promise<TestOutcome>;
	onUnstable(index: number): void;
}

/** Returns the most runs for a number of steps: ⌈log₂ n⌉ + 1, and for a single step the state on either side. */
export function mostRuns(count: number): number {
	return Math.max(2, Math.ceil(Math.log2(count)) + 1);
}

/**
 * Finds the step, of `count` with the indexes from 0, before which a command passes and after which it does not. Both
 * were seen. The state before the first step has the index -1.
 *
 * The last state runs first wherever the search still ends within its limit, which is for all numbers of steps but the
 * powers of two: mostly something is broken there, and else there is nothing to search for. Runs that the search does
 * not need repeat the two states beside its result, and a state with different results runs a third time.
 */
export async function findBreakingStep(count: number, { run, onUnstable }: StateRuns): Promise<SearchEnd> {
	const most = mostRuns(count);
	const outcomes = new Map<number, TestOutcome>();
	let runs = 0;
	const outcomeAt = (index: number, repeats?: SearchRun['repeats']) =>
		run({ run: ++runs, of: Math.max(most, runs), index, ...(repeats && { repeats }) });
	// The last state that is known to pass, and the first that is known not to; beyond the states if there is none yet.
	let [low, high] = [-2, count];
	while (high - low > 1) {
		const isLastFirst = runs === 0 && count + 1 <= 2 ** (most - 1);
		const index = isLastFirst ? count - 1 : low + Math.ceil((high - low) / 2);
		const outcome = await outcomeAt(index);
		outcomes.set(index, outcome);
		[low, high] = outcome === 'passed' ? [index, high] : [low, index];
	}
	for (const index of [high, low].filter(at => outcomes.has(at))) {
		const passes = outcomes.get(index) === 'passed';
		if (runs < most && ((await outcomeAt(index, 'check')) === 'passed') !== passes) {
			onUnstable(index);
			if (((await outcomeAt(index, 'unstable')) === 'passed') !== passes) {
				return { type: 'none', reason: 'unstable', index, runs };
			}
		}
	}
	const outcome = outcomes.get(high) ?? 'passed';
	if (high === count) {
		return { type: 'none', reason: 'passes', index: low, runs };
	}
	return high === -1
		? { type: 'none', reason: outcome === 'failed' ? 'fails-before' : 'not-run', index: high, runs }
		: { type: 'found', index: high, before: low, outcome, runs };
}
