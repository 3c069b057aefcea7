import assert from 'node:assert/strict';
import { AGENT_SCENES } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { coloured, inaccessible, overflowing } from '../ui/pageChecks.ts';
import { type ThemeName, themes } from '../ui/themes.ts';

describe('the turn of an agent in the chat', function () {
	this.timeout(120_000);
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	for (const theme of ['dark', 'light', 'highContrast'] as const satisfies ThemeName[]) {
		for (const width of [200, 300, 800]) {
			it(`looks right in ${theme} at ${width} pixels: nothing wider than the view`, async () => {
				await open({ theme, width });
				for (const [name, show] of Object.entries(AGENT_SCENES)) {
					await show(chat);
					await chat.screenshot(`${name}-${theme}-${width}`);
					assert.deepEqual(await overflowing(chat), [], name);
				}
			});
		}
	}

	it('looks right with forced colours', async () => {
		await open({ forcedColors: true, width: 300 });
		for (const [name, show] of Object.entries(AGENT_SCENES)) {
			await show(chat);
			await chat.screenshot(`${name}-forced-colours`);
		}
	});

	for (const theme of Object.keys(themes) as ThemeName[]) {
		it(`has no accessibility violation in any state, in ${theme}`, async () => {
			await open({ theme, width: 300 });
			for (const [name, show] of Object.entries(AGENT_SCENES)) {
				await show(chat);
				await coloured(chat);
				assert.deepEqual(await inaccessible(chat), [], name);
			}
		});
	}
});
