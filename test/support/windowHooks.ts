import type { Context, RootHookObject } from 'mocha';
import { WINDOW_LINE } from '../../scripts/stages/totals.ts';
import { closeSharedBrowser } from './browser.ts';
import { describeWindows, keepImages } from './openWindows.ts';
import { closeSharedWindow } from './useWindow.ts';

/** The maximum length of an image's name in characters; systems allow 255 bytes. */
const LONGEST_NAME = 120;

export const mochaHooks: RootHookObject = {
	/**
	 * Keeps an image of each window at the end of a test. If the error of a failed test does not describe the windows, as
	 * after a timeout, the description is added, because nobody can look at the windows of a run that has ended.
	 */
	async afterEach(this: Context) {
		const title = this.currentTest?.fullTitle() ?? '';
		await keepImages(title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, LONGEST_NAME));
		const error = this.currentTest?.state === 'failed' ? this.currentTest.err : undefined;
		if (error && !WINDOW_LINE.test(error.stack ?? error.message)) {
			error.stack = `${error.stack ?? error.message}\n${await describeWindows()}`;
		}
	},

	async afterAll() {
		await closeSharedWindow();
		await closeSharedBrowser();
	},
};
