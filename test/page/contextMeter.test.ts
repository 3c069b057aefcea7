import assert from 'node:assert/strict';
import type { UseView } from '../../src/chat/protocol/settingsProtocol.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { fits } from '../ui/pageChecks.ts';
import { USE } from '../ui/scenes.ts';
import { themeNames } from '../ui/themes.ts';

describe('the meter of the context', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const show = async (use: Partial<UseView> = {}) => {
		await chat.snapshot([turnView()]);
		await chat.send({ kind: 'context-set', context: { chips: [], use: { ...USE, ...use } } });
	};
	const { limit: _, reply: __, ...unlimited } = USE;
	const showUnlimited = async (use: Partial<UseView> = {}) => {
		await chat.snapshot([turnView()]);
		await chat.send({ kind: 'context-set', context: { chips: [], use: { ...unlimited, ...use } } });
	};
	const textarea = () => chat.page.locator('chat-composer textarea');
	const button = () => chat.page.locator('context-meter button');
	const panel = () => chat.page.locator('context-meter .panel');
	const words = async () => (await panel().innerText()).split(/\s*\n\s*/);
	const label = () => button().getAttribute('title');
	const activeElement = () =>
		chat.page.evaluate(() => {
			let element = document.activeElement;
			while (element?.shadowRoot?.activeElement) {
				element = element.shadowRoot.activeElement;
			}
			return element?.getAttribute('title');
		});

	it('says how much is used, follows what is typed without asking the host, and moves nothing', async () => {
		await open();
		await chat.snapshot([turnView()]);
		const send = chat.page.getByRole('button', { name: 'Send', exact: true });
		const place = await send.boundingBox();
		await show();
		assert.deepEqual(await send.boundingBox(), place, 'its place is kept before anything is known');
		assert.equal(await label(), 'Context: about 10% used');
		const posted = (await chat.posted()).length;
		await textarea().fill('word '.repeat(20_000));
		assert.equal(await label(), 'Context: about 33% used');
		assert.equal((await chat.posted()).length, posted);
		await textarea().fill('word '.repeat(100_000));
		assert.equal(await label(), 'Context: about 125% of what fits');
		assert.equal(await chat.page.locator('context-meter .codicon').count(), 1, 'it says so by more than a colour');
		await textarea().fill('');
		assert.equal(await label(), 'Context: about 10% used');
		assert.deepEqual(await send.boundingBox(), place);
	});

	it('opens its parts by keyboard, and Escape closes them with the focus on it', async () => {
		await open();
		await show();
		await textarea().fill('Why?');
		await button().focus();
		await chat.page.keyboard.press('Enter');
		await panel().waitFor();
		assert.deepEqual(await words(), [
			'About 12,272 of 123,904 tokens (10%)',
			'Instructions',
			'about 120',
			'Earlier messages',
			'about 8,240',
			'Attached',
			'about 3,910',
			'Draft',
			'about 2',
			'large-model accepts 128,000 tokens, 4,096 of which are reserved for the reply.',
			'Tokens so far',
			'1,624 in · 428 out',
			'Cost so far',
			'at least $0.0025',
		]);
		await chat.page.keyboard.press('Escape');
		await panel().waitFor({ state: 'hidden' });
		assert.equal(await activeElement(), await label());
		await button().click();
		await panel().waitFor();
		await chat.page.mouse.click(2, 2);
		await panel().waitFor({ state: 'hidden' });
	});

	it('shows tokens alone where it is not known how much fits, and says so', async () => {
		await open();
		await showUnlimited({ instructions: 0, attached: 0 });
		assert.equal(await label(), 'Context: about 8,240 tokens. The limit isn’t known.');
		await button().click();
		const [sum, ...others] = await words();
		assert.equal(sum, 'About 8,240 tokens');
		assert.deepEqual(others.slice(0, 2), ['Instructions', '0']);
		assert.ok(others.includes('The limit of large-model isn’t known.'));
		await showUnlimited({ model: '' });
		await panel().getByText('The model’s limit isn’t known.').waitFor();
	});

	it('shows what an agent says of its context, and never a share where it says nothing', async () => {
		await open();
		const agent = { instructions: 0, history: 0, attached: 0 };
		await showUnlimited({ ...agent, agent: { used: 50_000 }, limit: 200_000 });
		assert.equal(await label(), 'Context: about 25% used');
		await button().click();
		assert.deepEqual((await words()).slice(1, 3), ['In the agent’s context', '50,000']);
		await showUnlimited({ ...agent, attached: 700, agent: {} });
		assert.equal(await label(), 'Context: about 700 tokens, plus an unknown amount that the agent has');
		assert.deepEqual((await words()).slice(0, 3), ['About 700 tokens', 'In the agent’s context', 'not known']);
	});

	it('makes up no totals: at least what was counted, and nothing where nothing was', async () => {
		await open();
		await show({ total: { replies: 3, prompt: 10, completion: 20, isPartial: true } });
		await button().click();
		assert.deepEqual((await words()).slice(-4), [
			'Tokens so far',
			'at least 10 in · 20 out',
			'Cost so far',
			'not known',
		]);
		await show({ total: { replies: 3, prompt: 0, completion: 0, isPartial: true } });
		assert.deepEqual((await words()).slice(-4), ['Tokens so far', 'not known', 'Cost so far', 'not known']);
		await show({ total: { replies: 0, prompt: 0, completion: 0, isPartial: false } });
		assert.equal(await panel().getByText('so far').count(), 0);
	});

	it('is there in an encrypted conversation', async () => {
		await open();
		const encryption = { label: 'Encrypted', details: [], isConnecting: false, isRefused: false, isKept: true };
		await chat.snapshot([turnView()], { encryption: { ...encryption, emptyText: 'Encrypted.' } });
		await chat.send({ kind: 'context-set', context: { chips: [], use: USE } });
		await button().click();
		assert.ok((await words()).includes('at least $0.0025'));
	});

	for (const theme of themeNames) {
		it(`looks right in ${theme}`, async () => {
			await open({ theme });
			await show();
			await fits(chat, `context-meter-closed-${theme}`, [200, 280, 400]);
			await button().click();
			await fits(chat, `context-meter-open-${theme}`, [280, 400]);
		});
	}
});
