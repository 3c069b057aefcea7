import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TestOutcome } from '../../../../src/contract/agents.ts';
import { findBreakingStep, mostRuns, type SearchRun } from '../../../../src/service/tasks/steps/findBreakingStep.ts';

/** Searches among `count` steps, and returns what was found with all that was run. */
async function search(count: number, outcomeOf: (index: number, run: number) => TestOutcome) {
	const runs: (SearchRun & { outcome: TestOutcome })[] = [];
	const unstable: number[] = [];
	const end = await findBreakingStep(count, {
		run: async run => {
			const outcome = outcomeOf(run.index, run.run);
			runs.push({ ...run, outcome });
			return outcome;
		},
		onUnstable: index => unstable.push(index),
	});
	const seen = (index: number) => runs.filter(run => run.index === index).map(({ outcome }) => outcome === 'passed');
	assert.deepEqual(
		runs.map(({ run }) => run),
		runs.map((_, at) => at + 1),
	);
	assert.equal(end.runs, runs.length);
	assert.ok(runs.every(({ index, run, of }) => index >= -1 && index < count && run <= of));
	return { end, runs, unstable, seen };
}

const counts = fc.integer({ min: 1, max: 200 });
/** A number of steps, and the first state that fails: -1 for all states, as many as there are steps for none. */
const broken = counts.chain(count => fc.tuple(fc.constant(count), fc.integer({ min: -1, max: count })));

describe('the search for the step that broke something', () => {
	it('finds every one, or that there is none, within ⌈log₂ n⌉ + 1 runs', () =>
		fc.assert(
			fc.asyncProperty(broken, async ([count, first]) => {
				const { end, runs, unstable } = await search(count, index => (index >= first ? 'failed' : 'passed'));
				assert.ok(runs.length <= (count === 1 ? 2 : Math.ceil(Math.log2(count)) + 1), `${runs.length} runs`);
				assert.deepEqual(unstable, []);
				if (first === -1) {
					assert.deepEqual([end.type, 'reason' in end && end.reason], ['none', 'fails-before']);
				} else if (first === count) {
					assert.deepEqual([end.type, 'reason' in end && end.reason, end.index], ['none', 'passes', count - 1]);
				} else {
					assert.deepEqual([end.type, end.index], ['found', first]);
				}
			}),
			{ numRuns: 2_000 },
		));

	it('finds the twelfth of twenty in six runs, the first of them on the last state', async () => {
		const { end, runs } = await search(20, index => (index >= 11 ? 'failed' : 'passed'));
		assert.deepEqual(end, { type: 'found', index: 11, before: 10, outcome: 'failed', runs: 6 });
		assert.deepEqual(
			runs.map(({ index }) => index),
			[19, 9, 14, 12, 11, 10],
		);
		assert.ok(runs.every(({ of, repeats }) => of === 6 && repeats === undefined));
	});

	it('has seen the states on both sides of its result, whatever the others do', () =>
		fc.assert(
			fc.asyncProperty(
				counts,
				fc.infiniteStream(fc.constantFrom<TestOutcome>('passed', 'failed', 'not-run')),
				async (count, outcomes) => {
					const fixed = new Map<number, TestOutcome>();
					const { end, runs, unstable, seen } = await search(count, index => {
						const outcome = fixed.get(index) ?? outcomes.next().value;
						fixed.set(index, outcome);
						return outcome;
					});
					assert.ok(runs.length <= mostRuns(count));
					assert.deepEqual(unstable, []);
					if (end.type === 'found') {
						assert.ok(seen(end.index).length > 0 && seen(end.index - 1).length > 0);
						assert.deepEqual([fixed.get(end.index), fixed.get(end.index - 1)], [end.outcome, 'passed']);
						assert.notEqual(end.outcome, 'passed');
					} else {
						assert.equal(end.index, end.reason === 'passes' ? count - 1 : -1);
						const expected = { passes: 'passed', 'fails-before': 'failed', 'not-run': 'not-run', unstable: '' };
						assert.equal(fixed.get(end.index), expected[end.reason]);
					}
				},
			),
			{ numRuns: 1_000 },
		));

	it('runs a state again whose results differ, says so, and goes by most of them', () =>
		fc.assert(
			fc.asyncProperty(counts, fc.infiniteStream(fc.boolean()), async (count, results) => {
				const { end, runs, unstable, seen } = await search(count, () => (results.next().value ? 'passed' : 'failed'));
				assert.ok(runs.length <= mostRuns(count) + 1);
				const differing = [...new Set(runs.map(({ index }) => index))].filter(index => new Set(seen(index)).size > 1);
				assert.deepEqual(unstable, differing);
				for (const index of unstable) {
					assert.equal(seen(index).length, 3);
				}
				const most = (index: number) => seen(index).filter(Boolean).length * 2 > seen(index).length;
				if (end.type === 'found') {
					assert.deepEqual([most(end.index - 1), most(end.index)], [true, false]);
				} else if (end.reason === 'unstable') {
					assert.ok(unstable.includes(end.index));
				} else {
					assert.equal(most(end.index), end.reason === 'passes');
				}
			}),
			{ numRuns: 2_000 },
		));
});
