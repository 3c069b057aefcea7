import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useCheckout } from './useCheckout.ts';

/** More than a call can have arguments. */
const MANY = 130_000;

describe('more new files than somebody may have wanted', () => {
	const at = useCheckout();

	it('are committed, by the task and when its work is kept later, and counted', async () => {
		const { tree } = await at.checkOut();
		mkdirSync(path.join(tree, 'web', 'out'), { recursive: true });
		for (let index = 0; index < MANY; index++) {
			writeFileSync(path.join(tree, 'web', 'out', `${index}`), '');
		}
		writeFileSync(path.join(tree, 'new.txt'), 'new\n');
		const checkout = await at.reopen();
		const { commit, newFiles } = await checkout.commit('Work');
		assert.deepEqual(newFiles, { count: MANY + 1, folder: 'web/out/', inFolder: MANY });
		assert.equal((await checkout.statistics(await checkout.start(), commit ?? '')).filesChanged, MANY + 1);
	});
});
