import assert from 'node:assert/strict';
import type { Frame, Locator, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { dismissInput, screenshot, until, useTheme } from '../support/editorWindow.ts';
import { narrowSideBar, openChat } from '../support/errandWindow.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

describe('model servers that do not list their models, in the window', function () {
	this.timeout(180_000);
	let locked: UpstreamServer;
	let gone: UpstreamServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		locked = await UpstreamServer.start({ listStatus: 401 });
		gone = await UpstreamServer.start();
		const { url } = gone;
		await gone.stop();
		server = await startEditor({
			settings: {
				'errand.local.upstreams': { ollama: false, locked: { url: locked.url }, gone: { url, label: 'The old one' } },
			},
		});
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});
	after(async () => {
		await server?.stop();
		await locked?.stop();
	});

	const list = () => page.locator('.quick-input-widget:visible');
	const row = (text: string): Locator => list().locator('.monaco-list-row').filter({ hasText: text });

	async function openModels(text: string): Promise<void> {
		await until(`the list of models holds ${text}`, async () => {
			await frame.getByRole('button', { name: /^Select Model/ }).focus();
			await page.keyboard.press('Enter');
			await row('Through a Provider').first().waitFor();
			const isThere = (await row(text).count()) > 0;
			if (!isThere) {
				await dismissInput(page);
			}
			return isThere;
		});
	}

	it('stand in the list of models with what is wrong with each', async () => {
		await openModels('The old one…');
		assert.match(
			await row('The old one…').innerText(),
			/Nothing answers at 127\.0\.0\.1:\d+: the connection was refused\./,
		);
		assert.match(await row('locked…').innerText(), /127\.0\.0\.1:\d+ wants a key\. Enter one to see its models\./);
		await row('The old one…').scrollIntoViewIfNeeded();
		await screenshot(page, 'failing-servers');
		await dismissInput(page);
	});

	it('lead to the list of servers, which says the same', async () => {
		await openModels('locked…');
		await page.keyboard.type('wants a key');
		await page.keyboard.press('Enter');
		await until('the list of servers is there', async () => /Add Model Server/.test(await list().innerText()));
		await row('locked').first().waitFor();
		assert.match(await list().innerText(), /wants a key/);
		await screenshot(page, 'failing-servers-list');
		await dismissInput(page);
	});

	for (const theme of ['dark', 'high-contrast'] as const) {
		it(`are legible in ${theme} beside a narrow side bar`, async () => {
			await useTheme(page, theme);
			await narrowSideBar(page, 200);
			await openModels('The old one…');
			await row('The old one…').scrollIntoViewIfNeeded();
			await screenshot(page, `failing-servers-${theme}`);
			await dismissInput(page);
		});
	}
});
