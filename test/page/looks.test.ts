import assert from 'node:assert/strict';
import { AGENT_SCENES } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { looksRight, overflowing } from '../ui/pageChecks.ts';
import { SCENES } from '../ui/scenes.ts';

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	it('is accessible in each of its states in every theme, with nothing wider than the view', async () => {
		await open({ width: 300 });
		await looksRight(chat, SCENES, [200, 600, 300]);
	});

	it("is accessible in each state of an agent's turn in every theme, with nothing wider than the view", async () => {
		await open({ width: 300 });
		await looksRight(chat, AGENT_SCENES, [200, 800, 300]);
	});

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
			await chat.screenshot(`${name}-forced-colours-300`);
			assert.deepEqual(await overflowing(chat), [], name);
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
		await open({ width: 300 });
		await SCENES['streaming']?.(chat);
		assert.equal(await chat.page.getByText('Streaming', { exact: true }).isVisible(), false);
		assert.equal(await animation(), 'slide');
	});
});
