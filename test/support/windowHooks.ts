import type { Context, RootHookObject } from 'mocha';
import { describeWindows } from './openWindows.ts';

/** Prints what the windows show after a failed test whose error does not say it, such as one that timed out. */
export const mochaHooks: RootHookObject = {
	async afterEach(this: Context) {
		const test = this.currentTest;
		if (test?.state === 'failed' && !/^ {2}window \d/m.test(test.err?.message ?? '')) {
			console.log(`  After “${test.title}”:\n${await describeWindows()}`);
		}
	},
};
