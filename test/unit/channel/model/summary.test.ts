import assert from 'node:assert/strict';
import { summarise } from '../../../../src/channel/model/summary.ts';
import type { CheckName, Verdict } from '../../../../src/client/types.ts';

const verdicts = (changes: Partial<Record<CheckName, Verdict['verdict']>>): Verdict[] =>
	Object.entries({ transport: 'pass', signature: 'pass', memory: 'unknown', ...changes } as const).map(
		([check, verdict]) => ({ check: check as CheckName, verdict: verdict as Verdict['verdict'], code: 'way-https' }),
	);

describe('what may be said about a channel', () => {
	it('is nothing of the hardware while its checks are unknown', () => {
		const { hasGenuineGpu, isKeyBound, isFresh, broken } = summarise(
			{ verdicts: verdicts({ 'gpu-evidence': 'unknown', 'key-binding': 'unknown', freshness: 'unknown' }) },
			false,
		);
		assert.deepEqual([hasGenuineGpu, isKeyBound, isFresh, broken], [false, false, false, undefined]);
	});

	it('is of the GPU alone where the evidence is genuine', () => {
		const summary = summarise({ verdicts: verdicts({ 'gpu-evidence': 'pass', 'key-binding': 'unknown' }) }, false);
		assert.ok(summary.hasGenuineGpu);
		assert.ok(!summary.isKeyBound);
	});

	it('is that it is broken where a check fails, and that it is less than before where only that one does', () => {
		assert.equal(summarise({ verdicts: verdicts({ signature: 'fail' }) }, false).broken, 'signature');
		const { broken, isDowngrade } = summarise({ verdicts: verdicts({ memory: 'fail' }) }, true);
		assert.deepEqual([broken, isDowngrade], [undefined, true]);
	});
});
