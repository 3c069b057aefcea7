import assert from 'node:assert/strict';
import type { Answer } from '../../src/base/rpc.ts';
import type { ChipView, ContextView, FromPage } from '../../src/chat/protocol/protocol.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { waitFor } from '../support/waitFor.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { CHIPS, chip, INSTRUCTIONS } from '../ui/scenes.ts';
import type { PageOptions } from '../ui/testPage.ts';
import { themeNames } from '../ui/themes.ts';

describe('the context in the chat page', () => {
	let chat: ChatPage;
	const openPage = useChatPage(page => {
		chat = page;
	});

	const open = async (context: ContextView, options?: PageOptions) => {
		await openPage(options);
		await chat.snapshot([]);
		await chat.send({ kind: 'context-set', context });
	};
	const textarea = () => chat.page.locator('chat-composer textarea');
	const focused = () =>
		chat.page.evaluate(() => {
			let element = document.activeElement;
			while (element?.shadowRoot?.activeElement) {
				element = element.shadowRoot.activeElement;
			}
			return element?.getAttribute('aria-label');
		});

	it('is reached, moved through and removed by keyboard, and the focus comes back', async () => {
		await open({ chips: [chip(1), chip(2)] });
		await textarea().focus();
		await chat.page.keyboard.press('Shift+Tab');
		assert.match((await focused()) ?? '', /^file1\.ts\. 1,234 characters, about 353 tokens \(estimate\)/);
		await chat.page.keyboard.press('ArrowRight');
		assert.match((await focused()) ?? '', /^file2\.ts/);
		await chat.page.keyboard.press('Delete');
		assert.equal((await chat.waitForPosted('chip-remove')).chip, chip(2).id);
		await chat.send({ kind: 'context-set', context: { chips: [chip(1)] } });
		assert.match((await focused()) ?? '', /^file1\.ts/);
		await chat.page.keyboard.press('Delete');
		await chat.send({ kind: 'context-set', context: { chips: [] } });
		assert.equal(await focused(), 'Ask a question');
		assert.match(await chat.page.locator('.announcements').innerText(), /file1\.ts was removed from the context\./);
	});

	it('shows an image small and with its size, before it is sent and after, and takes one that is pasted', async () => {
		const bytes = Buffer.from(demoImage('fox'));
		const address = `data:image/png;base64,${bytes.toString('base64')}`;
		const file = 'a'.repeat(64);
		const image = { file, width: 512, height: 512, bytes: 48_200 };
		const shown = { kind: 'image' as const, label: 'fox.png', length: 0, tokens: 350, image };
		await open({ chips: [{ ...chip(1), ...shown }, chip(2)] });
		await chat.snapshot([turnView({}, { attachments: [shown] })]);
		const previews = () => chat.posted().then(posted => posted.filter(message => message.kind === 'preview-request'));
		await chat.page.waitForFunction(() => window.posted.filter(({ kind }) => kind === 'preview-request').length === 2);
		for (const { request } of await previews()) {
			await chat.send({ kind: 'answer', request, answer: { value: address } });
		}
		assert.equal((await previews()).filter(({ turn }) => turn === undefined).length, 1);
		await chat.page.locator('chat-composer chat-chips img.preview').waitFor();
		await chat.page.locator('chat-turn chat-chips img.preview').waitFor();
		await textarea().focus();
		await chat.page.keyboard.press('Shift+Tab');
		assert.match((await focused()) ?? '', /^fox\.png\. 512 × 512 pixels, 49 KB, about 350 tokens \(estimate\)/);
		await chat.screenshot('context-image');
		const paste = (size: number) =>
			textarea().evaluate(
				(field, { data, length }) => {
					const content = Uint8Array.from(atob(data), character => character.charCodeAt(0));
					const clipboardData = new DataTransfer();
					clipboardData.items.add(new File([content, new Uint8Array(length)], 'shot.png', { type: 'image/png' }));
					field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
				},
				{ data: bytes.toString('base64'), length: size },
			);
		await paste(0);
		const posted = await chat.waitForPosted('context-image');
		assert.deepEqual([posted.name, posted.data], ['shot.png', bytes.toString('base64')]);
		await paste(5_000_000);
		await chat.page.getByText('shot.png is larger than 5 MB.').waitFor();
		// What went with a message is not held for the next one.
		await chat.send({ kind: 'context-set', context: { chips: [chip(2)] } });
		await chat.page.locator('chat-composer chat-chips img.preview').waitFor({ state: 'detached' });
		await chat.send({ kind: 'context-set', context: { chips: [{ ...chip(1), ...shown }] } });
		await chat.page.waitForFunction(() => window.posted.filter(({ kind }) => kind === 'preview-request').length === 3);
	});

	it('goes with a message that is sent before the file is read, which else is not sent', async () => {
		for (const [size, kinds] of [
			[10, ['context-image', 'message-send']],
			[5_000_001, []],
		] as const) {
			await open({ chips: [] });
			await textarea().fill('What is it?');
			await textarea().evaluate((field, length) => {
				const clipboardData = new DataTransfer();
				clipboardData.items.add(new File([new Uint8Array(length)], 'shot.png', { type: 'image/png' }));
				field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
				field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
			}, size);
			await (kinds.length > 0
				? chat.waitForPosted('message-send')
				: chat.page.getByText('shot.png is larger than 5 MB.').waitFor());
			const posted = (await chat.posted()).map(({ kind }) => kind);
			assert.deepEqual(
				posted.filter(kind => kind === 'context-image' || kind === 'message-send'),
				kinds,
			);
		}
	});

	it('is completed after #, by keyboard, and the word goes where the chip comes', async () => {
		await open({ chips: [] });
		await textarea().pressSequentially('Why #pro');
		await chat.page.waitForFunction(() =>
			(window.posted as FromPage[]).some(m => m.kind === 'completion-request' && m.query === 'pro'),
		);
		const items = [
			{ id: chip(1).id, kind: 'problems' as const, label: 'All Problems' },
			{ id: chip(2).id, kind: 'file' as const, label: 'profile.ts', description: 'src' },
		];
		await chat.answer('completion-request', items);
		assert.equal(await textarea().getAttribute('aria-activedescendant'), 'completion-0');
		await chat.screenshot('context-completion');
		await textarea().press('ArrowDown');
		await textarea().press('Enter');
		assert.equal((await chat.waitForPosted('completion-take')).item, chip(2).id);
		assert.equal(await textarea().inputValue(), 'Why ');
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send'));
	});

	it('is completed after @ as after #, also an address, and neither within a word nor with pasted code', async () => {
		await open({ chips: [] });
		const queries = async () =>
			(await chat.posted()).flatMap(message => (message.kind === 'completion-request' ? [message.query] : []));
		await textarea().pressSequentially('Ask me@host, a@b #x@2');
		assert.deepEqual(await queries(), ['', 'x', 'x@', 'x@2']);
		await textarea().fill('');
		await textarea().pressSequentially('See @pay');
		await waitFor('the word', async () => (await queries()).at(-1) === 'pay');
		await chat.answer('completion-request', [
			{ id: chip(1).id, kind: 'selection', icon: 'symbol-method', label: 'pay()', description: 'src/pay.ts' },
		]);
		await textarea().press('Enter');
		assert.equal((await chat.waitForPosted('completion-take')).item, chip(1).id);
		assert.equal(await textarea().inputValue(), 'See ');
		const paste = (text: string) =>
			textarea().evaluate((field, pasted) => {
				(field as HTMLTextAreaElement).focus();
				document.execCommand('insertText', false, pasted);
			}, text);
		const before = (await queries()).length;
		await paste('\n@Injectable');
		await textarea().pressSequentially('()');
		await paste('\n#include');
		await textarea().press('Shift+Enter');
		assert.equal((await queries()).length, before, 'what came with pasted text opens no list');
		// An address has the marks in it, and may be pasted behind one.
		const address = 'https://docs.example/@me/page?a=b#part';
		await textarea().pressSequentially(' @');
		await paste(address);
		await waitFor('the address', async () => (await queries()).at(-1) === address);
		await chat.answer('completion-request', [{ id: chip(2).id, kind: 'web', label: `Fetch ${address}` }]);
		await chat.page.getByRole('option', { name: `Fetch ${address}` }).waitFor();
	});

	it('begins with the instructions, which say what goes and are left out like a chip', async () => {
		await open({ chips: [INSTRUCTIONS, chip(1)] });
		await chat.snapshot([turnView({ details: { instructions: ['AGENTS.md', 'web/AGENTS.md'] } })]);
		const button = chat.page.locator('chat-composer chat-chips .open').first();
		assert.equal(
			await button.locator('.label').getAttribute('title'),
			'AGENTS.md\npackages/prices/AGENTS.md\n1,234 characters, about 353 tokens (estimate)\nThey’re sent with every message, before the conversation. The last file takes precedence.',
		);
		await button.click();
		assert.equal((await chat.waitForPosted('chip-open')).chip, INSTRUCTIONS.id);
		await chat.page.getByRole('button', { name: `Remove ${INSTRUCTIONS.label}` }).click();
		assert.equal((await chat.waitForPosted('chip-remove')).chip, INSTRUCTIONS.id);
		await chat.page.getByRole('button', { name: /^Details of the reply/ }).click();
		await chat.page.locator('dl.details').getByText('AGENTS.md, web/AGENTS.md').waitFor();
	});

	it('keeps Enter for a list that has not come: takes its first, or sends where nothing matches', async () => {
		const ask = async (text: string) => {
			await open({ chips: [] });
			await textarea().pressSequentially(text);
			await textarea().press('Enter');
			assert.equal(await isSent(), false);
		};
		const isSent = async () => (await chat.posted()).some(({ kind }) => kind === 'message-send');
		const items = [{ id: chip(1).id, kind: 'file' as const, label: 'profile.ts' }];
		await ask('Why #pro');
		await chat.answer('completion-request', items);
		assert.equal((await chat.waitForPosted('completion-take')).item, chip(1).id);
		assert.equal(await textarea().inputValue(), 'Why ');
		assert.equal(await isSent(), false);
		await ask('Mend #123');
		await chat.answer('completion-request', []);
		assert.equal((await chat.waitForPosted('message-send')).text, 'Mend #123');
		// The user does not want to wait.
		for (const go of [() => textarea().press('Enter'), () => chat.page.getByRole('button', { name: 'Send' }).click()]) {
			await ask('Mend #123');
			await go();
			assert.equal((await chat.waitForPosted('message-send')).text, 'Mend #123');
			await chat.answer('completion-request', items);
			assert.equal(await textarea().inputValue(), 'Mend #123');
		}
		// A key that is held down is no second Enter.
		await ask('Why #pro');
		await textarea().evaluate(field =>
			field.dispatchEvent(
				new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true }),
			),
		);
		assert.equal(await isSent(), false);
		// A user who goes elsewhere stays there, and still gets what Enter was for.
		await textarea().blur();
		assert.equal(await isSent(), false);
		await chat.answer('completion-request', items);
		await chat.waitForPosted('completion-take');
		assert.equal(await textarea().inputValue(), 'Why ');
		assert.equal(await isSent(), false);
		assert.notEqual(await focused(), 'Ask a question');
		await ask('Mend #123');
		await textarea().blur();
		await chat.answer('completion-request', []);
		assert.equal((await chat.waitForPosted('message-send')).text, 'Mend #123');
		// The user takes Enter back.
		await ask('Why #pro');
		await textarea().press('Escape');
		await chat.answer('completion-request', items);
		assert.equal(await textarea().inputValue(), 'Why #pro');
		assert.deepEqual(
			(await chat.posted()).filter(({ kind }) => kind === 'completion-take' || kind === 'message-send'),
			[],
		);
		// The user corrects a word that nothing matched.
		await open({ chips: [] });
		await textarea().pressSequentially('Why #prox');
		await chat.answer('completion-request', []);
		await chat.page.getByText('No matching results').waitFor();
		await textarea().press('Backspace');
		await textarea().press('Enter');
		assert.equal(await isSent(), false);
		await chat.answer('completion-request', items);
		await chat.waitForPosted('completion-take');
		assert.equal(await textarea().inputValue(), 'Why ');
		// The user keeps typing while a list is shown, so its first item may not match the whole word.
		await open({ chips: [] });
		await textarea().pressSequentially('Why #pro');
		await chat.answer('completion-request', items);
		await chat.page.getByRole('option').first().waitFor();
		await textarea().pressSequentially('mpt');
		await textarea().press('Enter');
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'completion-take'));
		await chat.answer('completion-request', [{ id: chip(2).id, kind: 'file', label: 'prompt.ts' }]);
		assert.equal((await chat.waitForPosted('completion-take')).item, chip(2).id);
		assert.equal(await textarea().inputValue(), 'Why ');
		// If the user presses Enter and keeps typing before the list comes, the result is as if the list had been there.
		for (const [typed, id] of [
			['What is it?', chip(1).id],
			['What is it?\n', chip(1).id],
			['s', undefined],
		] as const) {
			await ask('Why #pro');
			await textarea().pressSequentially(typed);
			await chat.answer('completion-request', id === undefined ? [] : items);
			const left = id === undefined ? `Why #pro${typed}` : `Why ${typed.trim()}`;
			assert.equal(await textarea().inputValue(), left);
			const posted = (await chat.posted()).filter(({ kind }) => kind === 'completion-take' || kind === 'message-send');
			assert.deepEqual(
				posted.map(({ kind }) => kind),
				[...(id === undefined ? [] : ['completion-take']), ...(typed.endsWith('\n') ? ['message-send'] : [])],
			);
		}
	});

	it('says why there is no list, and sends nothing without what Enter was meant for', async () => {
		await open({ chips: [] });
		await textarea().pressSequentially('Why #pro');
		await textarea().press('Enter');
		await chat.fail('completion-request', 'The files cannot be listed. Try again.');
		await chat.page.locator('.completions').getByText('The files cannot be listed. Try again.').waitFor();
		assert.equal(await textarea().inputValue(), 'Why #pro');
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send' && kind !== 'completion-take'));
		await textarea().pressSequentially('m');
		await chat.answer('completion-request', [{ id: chip(1).id, kind: 'file', label: 'prompt.ts' }]);
		await textarea().press('Enter');
		assert.equal((await chat.waitForPosted('completion-take')).item, chip(1).id);
	});

	for (const theme of themeNames) {
		it(`says of a selection that its file has changed since, and what goes, in ${theme} at 280 pixels`, async () => {
			const selection = (number: number, label: string): ChipView =>
				chip(number, { kind: 'selection', label, path: `src/server/${label.replace(/:.*/, '')}`, isChanged: true });
			const chips = [selection(1, 'auth.ts:40-72'), selection(2, 'authenticationMiddleware.ts:140-172'), chip(3)];
			await open({ chips }, { theme, width: 280 });
			const first = chat.page.locator('chat-composer chat-chips .open').first();
			await first.getByText('file changed').waitFor();
			const long = chat.page.locator('chat-composer chat-chips .label').nth(1);
			const cut = () => long.locator('.name').evaluate(name => name.scrollWidth - name.clientWidth);
			assert.ok((await cut()) > 0, 'the name of the file gives way');
			assert.equal(await long.evaluate(label => label.scrollWidth - label.clientWidth), 0, 'and its lines do not');
			assert.match(
				(await first.getAttribute('aria-label')) ?? '',
				/^auth\.ts:40-72 file changed\. .* The original selection is sent\./,
			);
			await chat.screenshot(`context-changed-${theme}-280`);
		});
	}

	it('says at an image of a message why it is not shown', async () => {
		await open({ chips: [] });
		const image = { file: 'a'.repeat(64), width: 512, height: 512, bytes: 48_200 };
		const shown = { kind: 'image' as const, label: 'fox.png', length: 0, tokens: 350, image };
		await chat.snapshot([turnView({}, { attachments: [shown] })]);
		await chat.fail('preview-request', 'The disk does not answer. Try again.');
		const button = chat.page.locator('chat-turn chat-chips .open');
		await waitFor('the reason', async () =>
			/The disk does not answer/.test((await button.locator('.label').getAttribute('title')) ?? ''),
		);
		assert.match((await button.getAttribute('aria-label')) ?? '', /The disk does not answer\. Try again\./);
	});

	it('closes the list with Escape and offers it again for another word', async () => {
		await open({ chips: [] });
		await textarea().pressSequentially('#a');
		await chat.answer('completion-request', []);
		await chat.page.getByText('No matching results').waitFor();
		await textarea().press('Escape');
		assert.equal(await chat.page.getByText('No matching results').count(), 0);
	});

	it('takes what is dropped, and what is pasted either as a chip or as text, never as both', async () => {
		await open({ chips: [] });
		await chat.page.evaluate(() => {
			const data = new DataTransfer();
			data.setData('text/uri-list', 'file:///home/me/a.ts\r\nfile:///home/me/b.ts');
			window.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, cancelable: true }));
		});
		await chat.page.getByText('Drop to add to the chat').waitFor();
		await chat.screenshot('context-drop');
		await chat.page.evaluate(() => {
			const data = new DataTransfer();
			data.setData('text/uri-list', 'file:///home/me/a.ts\r\nfile:///home/me/b.ts');
			window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
		});
		assert.deepEqual((await chat.waitForPosted('context-drop')).uris, ['file:///home/me/a.ts', 'file:///home/me/b.ts']);
		/** Pastes, with the answer of a host that knows at once. */
		const paste = (answer?: Answer) =>
			textarea().evaluate((element, given) => {
				const data = new DataTransfer();
				data.setData('text/plain', 'two\nlines');
				element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true, bubbles: true }));
				const asked = (window.posted as FromPage[]).findLast(message => message.kind === 'paste-check');
				if (given && asked) {
					window.postMessage({ kind: 'answer', request: asked.request, answer: given }, '*');
				}
			}, answer);
		await paste();
		const look = await chat.waitForPosted('paste-check');
		assert.equal(look.text, 'two\nlines');
		// The host is slow: the text does not wait for ever, and a chip that came on top of it would be the same again.
		await waitFor('it to be text', async () => (await textarea().inputValue()) === 'two\nlines');
		await chat.answer('paste-check', chip(1).id);
		await paste({ value: chip(2).id });
		assert.deepEqual(await chat.waitForPosted('paste-take'), { kind: 'paste-take', paste: chip(2).id });
		assert.equal(await textarea().inputValue(), 'two\nlines');
		const answers: Answer[] = [{}, { problem: 'The place of it cannot be looked up. Try again.' }];
		for (const answer of answers) {
			await textarea().fill('');
			await paste(answer);
			await waitFor('it to be text', async () => (await textarea().inputValue()) === 'two\nlines');
		}
		assert.equal((await chat.posted()).filter(({ kind }) => kind === 'paste-take').length, 1);
	});

	it('is shown under the question it went with, and opens its place', async () => {
		await open({ chips: [] });
		const turn = turnView({}, { attachments: CHIPS.map(({ id: _, ...attachment }) => attachment) });
		await chat.snapshot([turn]);
		await chat.page.locator('chat-turn chat-chips .open').nth(2).click();
		const { turn: opened, index } = await chat.waitForPosted('attachment-open');
		assert.deepEqual([opened, index], [turn.id, 2]);
		assert.equal(await chat.page.locator('chat-turn chat-chips .remove').count(), 0);
	});
});
