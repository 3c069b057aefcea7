import type { Context, RootHookObject } from 'mocha';
import { WINDOW_LINE } from '../../scripts/stages/totals.ts';
import { describeWindows } from './openWindows.ts';

/**
 * Adds what the windows show to the error of a failed test that does not say it, such as one that timed out, because
 * nobody can look at the windows of a run that has ended.
 */
export const mochaHooks: RootHookObject = {
	async afterEach(this: Context) {
		const error = this.currentTest?.state === 'failed' ? this.currentTest.err : undefined;
		if (error && !WINDOW_LINE.test(error.stack ?? error.message)) {
			error.stack = `${error.stack ?? error.message}\n${await describeWindows()}`;
		}
	},
};
