import assert from 'node:assert/strict';
import { AGENT_SCENES } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { fits, looksRight, overflowing } from '../ui/pageChecks.ts';
import { SCENES } from '../ui/scenes.ts';
import { type ThemeName, themes } from '../ui/themes.ts';

describe('the chat page', function () {
	this.timeout(180_000);
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	for (const theme of Object.keys(themes) as ThemeName[]) {
		it(`is accessible in each of its states in ${theme}, with nothing wider than the view`, async () => {
			await open({ theme, width: 300 });
			await looksRight(chat, SCENES, { theme, widths: [200, 300, 600] });
		});

		it(`is accessible in each state of an agent's turn in ${theme}, with nothing wider than the view`, async () => {
			await open({ theme, width: 300 });
			await looksRight(chat, AGENT_SCENES, { theme, widths: [200, 300, 800] });
		});
	}

	it('has nothing wider than the view at 200 % zoom, where half the pixels are left', async () => {
		await open({ width: 150, height: 350, scale: 2 });
		for (const [name, show] of Object.entries(SCENES)) {
			await show(chat);
			await chat.screenshot(`${name}-zoomed`);
			assert.deepEqual(await overflowing(chat), [], name);
		}
	});

	it('has nothing wider than the view with forced colours', async () => {
		await open({ forcedColors: true, width: 300 });
		const { rich, error, streaming } = SCENES;
		for (const [name, show] of Object.entries({ rich, error, streaming, ...AGENT_SCENES })) {
			await show?.(chat);
			await fits(chat, `${name}-forced-colours`, [300]);
		}
	});

	it('stands still with reduced motion, and says in a word that it streams', async () => {
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
