import assert from 'node:assert/strict';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import { resizeChat, screenshot, type Theme, until, useTheme } from '../support/editorWindow.ts';
import { ask, logText, openChat, replyEnds, startTask, taskShows, turns } from '../support/errandWindow.ts';

describe('how the window looks', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let window: EditorWindow;

	before(async () => {
		server = await startEditor();
		window = await openWindow(server);
		const frame = await openChat(window.page);
		await ask(frame, 'How do prices work here?');
		await replyEnds(frame);
		await ask(frame, '/demo code');
		await replyEnds(frame);
		await turns(frame).last().locator('.hljs-keyword').first().waitFor();
		await startTask(window.page, 'Round prices to whole cents');
		await taskShows(window.page, 'Round prices to whole cents', 'in 1 file');
		await until('the log is whole', async () => /completed/.test(logText(server, 'Round prices to whole cents')));
	});

	after(() => server?.stop());

	for (const theme of ['light', 'dark', 'high-contrast'] satisfies Theme[]) {
		it(`is at home in ${theme}`, async () => {
			await useTheme(window.page, theme);
			const frame = await openChat(window.page);
			assert.equal(await turns(frame).count(), 2);
			await taskShows(window.page, 'Round prices to whole cents', 'in 1 file');
			await screenshot(window.page, `window-${theme}`);
		});
	}

	it('has no sideways scrolling in a side bar of 200 pixels', async () => {
		const { page } = window;
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
