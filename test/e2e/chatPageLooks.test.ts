import assert from 'node:assert/strict';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { coloured, inaccessible, overflowing } from '../ui/pageChecks.ts';
import { SCENES } from '../ui/scenes.ts';
import { type ThemeName, themes } from '../ui/themes.ts';

describe('the chat page', function () {
	this.timeout(120_000);
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	describe('looks', () => {
		for (const theme of ['dark', 'light', 'highContrast'] as const satisfies ThemeName[]) {
			for (const width of [200, 300, 600]) {
				it(`right in ${theme} at ${width} pixels: nothing wider than the view`, async () => {
					await open({ theme, width });
					for (const [name, show] of Object.entries(SCENES)) {
						await show(chat);
						await chat.screenshot(`${name}-${theme}-${width}`);
						assert.deepEqual(await overflowing(chat), [], name);
					}
				});
			}
		}

		it('right at 200 % zoom, where half the pixels are left', async () => {
			await open({ width: 150, height: 350, scale: 2 });
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				await chat.screenshot(`${name}-zoomed`);
				assert.deepEqual(await overflowing(chat), [], name);
			}
		});

		it('right with forced colours', async () => {
			await open({ forcedColors: true, width: 300 });
			for (const name of ['rich', 'error', 'streaming'] as const) {
				await SCENES[name]?.(chat);
				await chat.screenshot(`${name}-forced-colours`);
			}
		});

		it('still with reduced motion, and says in a word that it streams', async () => {
			await open({ reducedMotion: true, width: 300 });
			await SCENES['streaming']?.(chat);
			await chat.screenshot('streaming-reduced-motion');
			assert.equal(await chat.page.getByText('Streaming', { exact: true }).isVisible(), true);
			const animation = () =>
				chat.page.locator('.progress.active').evaluate(element => getComputedStyle(element, '::before').animationName);
			assert.equal(await animation(), 'none');
			await chat.close();
			await open({ width: 300 });
			await SCENES['streaming']?.(chat);
			assert.equal(await chat.page.getByText('Streaming', { exact: true }).isVisible(), false);
			assert.equal(await animation(), 'slide');
		});
	});

	for (const theme of Object.keys(themes) as ThemeName[]) {
		it(`has no accessibility violation in any state, in ${theme}`, async () => {
			await open({ theme, width: 300 });
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				await coloured(chat);
				assert.deepEqual(await inaccessible(chat), [], name);
			}
		});
	}
});
