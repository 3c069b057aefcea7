import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { runCommand, screenshot, type Theme, useTheme, webviewFrame } from '../support/editorWindow.ts';

describe('the way to get started', function () {
	this.timeout(180_000);
	let server: EditorServer;
	let page: Page;

	before(async () => {
		server = await startEditor();
		// The editor leaves the pictures out of a narrower window.
		({ page } = await openWindow(server, { viewport: { width: 1600, height: 900 } }));
	});
	after(() => server?.stop());

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
