import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StepChain } from '../../../../src/agents/steps/stepChain.ts';
import { changesBetween } from '../../../../src/agents/steps/stepContent.ts';
import { useCheckout } from './useCheckout.ts';

/** More than a call can have arguments. */
const MANY = 130_000;

describe('more new files than somebody may have wanted', () => {
	const at = useCheckout();

	it('are named at the step, and committed, by the task and when its work is kept later, and counted', async () => {
		const made = await at.checkOut();
		const { tree } = made;
		const chain = await StepChain.begin(made, at.folder, { prefix: 'refs/errand/steps/task', name: '0-1' });
		mkdirSync(path.join(tree, 'web', 'out'), { recursive: true });
		for (let index = 0; index < MANY; index++) {
			writeFileSync(path.join(tree, 'web', 'out', `${index}`), '');
		}
		writeFileSync(path.join(tree, 'new.txt'), 'new\n');
		const { notKept } = await chain.look(chain.mark());
		assert.deepEqual(notKept, [{ reason: 'too-large', names: ['web/out/'] }]);
		const state = await chain.keep('Many');
		assert.deepEqual((await changesBetween(at.folder, state ?? assert.fail())).files, [
			{ path: 'new.txt', status: 'added' },
		]);
		const checkout = await at.reopen();
		const { commit, newFiles } = await checkout.commit('Work');
		assert.deepEqual(newFiles, { count: MANY + 1, folder: 'web/out/', inFolder: MANY });
		assert.equal((await checkout.statistics(await checkout.start(), commit ?? '')).filesChanged, MANY + 1);
	});
});
