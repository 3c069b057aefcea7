import assert from 'node:assert/strict';
import { until } from '../support/editorWindow.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { ENCRYPTED } from '../ui/composerScenes.ts';

const OTHER = 'c0000000-0000-4000-8000-0000000000aa';

const { confirmed: view, connecting, local, ended } = ENCRYPTED;

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const heading = () => chat.page.locator('button.encryption');
	const composer = () => chat.page.locator('chat-composer textarea');

	describe('of an encrypted conversation', () => {
		it('says above it what holds, all of it to a screen reader, and opens the attestation by keyboard', async () => {
			await open({ width: 200 });
			await chat.snapshot([turnView({ text: 'So it is.' })], { encryption: view });
			await heading().focus();
			assert.match(
				(await heading().getAttribute('title')) ?? '',
				/^Encrypted, key confirmed\. GPU evidence genuine\. Not proven: .+which software\. .+order and completeness of a streamed reply aren’t proven\. Show Encryption Evidence$/,
			);
			await chat.page.keyboard.press('Enter');
			await chat.waitForPosted('attestation-show');
			const overflow = await chat.page.evaluate(() => {
				const { scrollWidth, clientWidth } = document.documentElement;
				return scrollWidth - clientWidth;
			});
			assert.ok(overflow <= 0, `${overflow} pixels too wide`);
		});

		it('says all of it also to the eye where there is little room', async () => {
			await open({ width: 200 });
			await chat.snapshot([], { encryption: view });
			const words = heading().locator('.details');
			await words.waitFor();
			assert.equal(await words.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), 0);
			await chat.page.locator('.empty', { hasText: view.details.at(-1) ?? '' }).waitFor();
			await chat.screenshot('encrypted-empty-200');
		});

		it('announces a change of it, and has another colour once it has ended', async () => {
			await open();
			await chat.snapshot([], { encryption: connecting });
			await chat.send({ kind: 'encryption-set', encryption: view });
			await chat.page.locator('.announcements', { hasText: 'Encrypted, key confirmed' }).waitFor({ state: 'attached' });
			const refused = chat.page.locator('.encryption.refused');
			assert.equal(await refused.count(), 0);
			await chat.send({ kind: 'encryption-set', encryption: ended });
			await refused.waitFor();
		});

		it('offers neither mode nor model nor policy', async () => {
			await open();
			await chat.snapshot([], { encryption: view });
			await heading().waitFor();
			assert.equal(await chat.page.locator('.choice').count(), 0);
			assert.equal(await composer().getAttribute('placeholder'), 'Ask, encrypted…');
		});

		it('writes down nothing of what is typed where it is not kept', async () => {
			await open();
			await chat.snapshot([], { encryption: local });
			await composer().fill('secret');
			const held = await chat.waitForPosted('draft-hold');
			assert.equal(held.text, 'secret');
			const { posted, savedState } = await chat.page.evaluate(() => ({
				posted: window.posted,
				savedState: window.savedState,
			}));
			assert.doesNotMatch(JSON.stringify([posted.filter(({ kind }) => kind === 'state-keep'), savedState]), /secret/);
		});

		it('keeps a draft to its conversation, and shows it there again', async () => {
			await open();
			await chat.snapshot([], { encryption: view });
			await composer().fill('secret');
			await chat.snapshot([], { conversation: OTHER });
			await until('the composer is empty', async () => (await composer().inputValue()) === '');
			await chat.snapshot([], { encryption: { ...view, draft: 'secret' } });
			await until('the draft is back', async () => (await composer().inputValue()) === 'secret');
		});
	});

	it('offers an encrypted conversation where there is none yet, or says why not', async () => {
		await open();
		await chat.snapshot([]);
		const button = chat.page.getByRole('button', { name: 'New Encrypted Conversation' });
		await button.click();
		await chat.waitForPosted('encryption-begin');
		const noEncryption = 'Acme has no encrypted channel.';
		await chat.send({ kind: 'connection-set', connection: { label: 'Acme', model: 'large', noEncryption } });
		await chat.page.getByText(noEncryption).waitFor();
		assert.equal(await button.isDisabled(), true);
		await chat.screenshot('encrypted-refused');
	});
});
