import assert from 'node:assert/strict';
import { AGENT_SCENES } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { COMPOSER_SCENES } from '../ui/composerScenes.ts';
import { looksRight } from '../ui/pageChecks.ts';
import { SCENES } from '../ui/scenes.ts';

/** The second one is what 200 % zoom leaves of the usual width. */
const WIDTHS = [200, 150, 800, 300];

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	it('is accessible in each of its states in every theme, with nothing wider than the view', async () => {
		await open({ width: 300 });
		await looksRight(chat, SCENES, WIDTHS);
	});

	it('is accessible whatever its composer opens and says, in every theme, with nothing wider than the view', async () => {
		await open({ width: 300 });
		await looksRight(chat, COMPOSER_SCENES, WIDTHS);
	});

	it("is accessible in each state of an agent's turn in every theme, with nothing wider than the view", async () => {
		await open({ width: 300 });
		await looksRight(chat, AGENT_SCENES, WIDTHS);
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
