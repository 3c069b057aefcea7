import type { Context, RootHookObject } from 'mocha';
import { isAboutWindow } from '../../scripts/stages/totals.ts';
import { describeWindows } from './openWindows.ts';

/**
 * Adds what the windows show to the error of a failed test that does not say it, such as one that timed out, because
 * nobody can look at the windows of a run that has ended.
 */
export const mochaHooks: RootHookObject = {
	async afterEach(this: Context) {
		const error = this.currentTest?.state === 'failed' ? this.currentTest.err : undefined;
		if (error && !(error.stack ?? error.message).split('\n').some(isAboutWindow)) {
			error.stack = `${error.stack ?? error.message}\n${await describeWindows()}`;
		}
	},
};
