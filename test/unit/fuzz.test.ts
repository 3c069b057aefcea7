import { fuzz } from '../fuzz/fuzzer.ts';
import { targets } from '../fuzz/targets.ts';

/** The inputs are the same in every run; `npm run fuzz` has others. */
const SEED = 1;

describe('hostile input', () => {
	for (const target of targets) {
		describe(`for ${target.name}`, () => {
			after(() => target.stop?.());

			it('breaks nothing that has to hold', async () => {
				await fuzz(target, { seed: SEED, goesOn: count => count < target.iterations });
			});
		});
	}
});
