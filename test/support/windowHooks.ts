import type { Context, RootHookObject } from 'mocha';
import { describeWindows } from './openWindows.ts';

/** Says what the windows show when a test failed that did not say it itself, such as one whose time was over. */
export const mochaHooks: RootHookObject = {
	async afterEach(this: Context) {
		const test = this.currentTest;
		if (test?.state === 'failed' && !/^ {2}window \d/m.test(test.err?.message ?? '')) {
			console.log(`  After “${test.title}”:\n${await describeWindows()}`);
		}
	},
};
