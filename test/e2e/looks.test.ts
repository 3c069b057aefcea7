import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	resizeChat,
	runCommand,
	screenshot,
	type Theme,
	until,
	useTheme,
	webviewFrame,
} from '../support/editorWindow.ts';
import { ask, logText, openChat, replyEnds, startTask, taskShows, turns } from '../support/errandWindow.ts';

describe('a new window', function () {
	this.timeout(180_000);
	let server: EditorServer;
	let page: Page;

	before(async () => {
		server = await startEditor();
		// The editor leaves the pictures of a walkthrough out of a narrower window.
		({ page } = await openWindow(server, { viewport: { width: 1600, height: 900 } }));
	});

	after(() => server?.stop());

	describe('has a way to get started that', () => {
		const walkthrough = () => page.locator('.gettingStartedContainer .gettingStartedSlideDetails');

		it('opens when it is asked for, and not before', async () => {
			await page.locator('.activitybar').getByRole('tab', { name: 'Errand' }).first().waitFor();
			assert.equal(await walkthrough().count(), 0);
			await runCommand(page, 'Errand: Get Started');
			await walkthrough().getByText('Get Started with Errand').first().waitFor();
			for (const step of ['Add a model', 'Ask about your code', 'Start a task', 'Review and apply']) {
				await walkthrough().getByText(step, { exact: true }).waitFor();
			}
		});

		for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
			it(`has a picture for each step in the colours of ${theme}`, async () => {
				await useTheme(page, theme);
				for (const [index, step] of [
					'Add a model',
					'Ask about your code',
					'Start a task',
					'Review and apply',
				].entries()) {
					await walkthrough().getByText(step, { exact: true }).click();
					await webviewFrame(page, 'svg rect');
					await screenshot(page, `get-started-${theme}-${index + 1}`);
				}
			});
		}

		it('leads to the chat and to the tasks', async () => {
			await walkthrough().getByText('Ask about your code', { exact: true }).click();
			await walkthrough().getByRole('button', { name: 'Open Chat' }).click();
			await page.locator('.part.auxiliarybar').getByText('Errand Chat').first().waitFor();
			await walkthrough().getByText('Review and apply', { exact: true }).click();
			await walkthrough().getByRole('button', { name: 'Show Tasks' }).click();
			await page.locator('.part.sidebar .composite.title h2').filter({ hasText: 'Tasks' }).first().waitFor();
		});
	});

	describe('with a conversation and a task', () => {
		before(async () => {
			const frame = await openChat(page);
			await ask(frame, 'How do prices work here?');
			await replyEnds(frame);
			await ask(frame, '/demo code');
			await replyEnds(frame);
			await turns(frame).last().locator('.hljs-keyword').first().waitFor();
			await startTask(page, 'Round prices to whole cents');
			await taskShows(page, 'Round prices to whole cents', 'in 1 file');
			await until('the log is whole', async () => /completed/.test(logText(server, 'Round prices to whole cents')));
		});

		for (const theme of ['light', 'dark', 'high-contrast'] satisfies Theme[]) {
			it(`is at home in ${theme}`, async () => {
				await useTheme(page, theme);
				const frame = await openChat(page);
				assert.equal(await turns(frame).count(), 2);
				await taskShows(page, 'Round prices to whole cents', 'in 1 file');
				await screenshot(page, `window-${theme}`);
			});
		}

		it('has no sideways scrolling in a side bar of 200 pixels', async () => {
			const frame = await openChat(page);
			await resizeChat(page, frame, 200);
			const { shown, needed } = await frame.evaluate(() => ({
				shown: document.documentElement.clientWidth,
				needed: document.documentElement.scrollWidth,
			}));
			await screenshot(page, 'window-narrow');
			assert.ok(shown < 260, `the view is ${shown} pixels wide`);
			assert.ok(needed <= shown, `it needs ${needed} of ${shown} pixels`);
		});
	});
});
