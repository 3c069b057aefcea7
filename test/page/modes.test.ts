import assert from 'node:assert/strict';
import { citationsOf } from '../../src/chat/model/citations.ts';
import { until } from '../support/editorWindow.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { FACTS, IMAGE_ADDRESS, IMAGE_FILE_NAME, imageTurn, SCENES, SEARCHED, SOURCES } from '../ui/scenes.ts';
import type { ThemeName } from '../ui/themes.ts';

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const mark = (number: number) => chat.page.locator(`.citation[data-source="${number}"]`).first();
	const card = () => chat.page.locator('.citation-card');
	/** The words that are shown as cited, without the marks between them. */
	const cited = () =>
		chat.page.evaluate(() =>
			[...(CSS.highlights.get('cited') ?? [])].map(range => {
				const words = (range as Range).cloneContents();
				for (const citation of words.querySelectorAll('.citation')) {
					citation.remove();
				}
				return words.textContent;
			}),
		);
	const content = () => chat.page.locator('chat-markdown .content');
	const marked = () =>
		content().evaluate(element => {
			const copy = element.cloneNode(true) as Element;
			for (const own of copy.querySelectorAll('.code > :not(pre)')) {
				own.remove();
			}
			for (const citation of copy.querySelectorAll('.citation')) {
				citation.replaceWith(`[${citation.textContent}]`);
			}
			return copy.textContent?.replace(/\s+/g, ' ').trim();
		});

	/** What ends a sentence behind a mark and stands on the next line. */
	const leftAlone = () =>
		content().evaluate(element =>
			[...element.querySelectorAll('.citation')].flatMap(mark => {
				const next = mark.nextSibling;
				if (!(next instanceof Text) || !/^[.,;:]/.test(next.data)) {
					return [];
				}
				const range = document.createRange();
				range.setStart(next, 0);
				range.setEnd(next, 1);
				return range.getBoundingClientRect().top >= mark.getBoundingClientRect().bottom ? [next.data] : [];
			}),
		);

	describe('with sources', () => {
		it('has marks behind what they stand for, in whatever pieces the text came', async () => {
			await open();
			await SCENES['sources']?.(chat);
			await mark(1).waitFor();
			const whole = await marked();
			assert.equal(
				whole,
				'Tokens count seconds[1] since 1970. The guard in src/auth.ts[2] compares them with milliseconds 🔎[3] and so on. A list item says more[1]. See https://www.rfc-editor.org/rfc/rfc7519 too. const now = Date.now(); [4]',
			);
			const turn = turnView({ state: 'streaming', text: SEARCHED.slice(0, 7) }, { mode: 'search' });
			await chat.snapshot([turn]);
			for (let at = 7; at < SEARCHED.length; at += 11) {
				await chat.append(turn.id, SEARCHED.slice(at, at + 11));
			}
			assert.equal(await mark(1).count(), 0);
			const citations = citationsOf(SEARCHED, SOURCES);
			await chat.change({ ...turn, reply: { ...turn.reply, state: 'done', text: SEARCHED, citations } });
			await mark(1).waitFor();
			assert.equal(await marked(), whole);
		});

		it('shows what a mark stands for on hover and on focus, until Escape or until it is left', async () => {
			await open({ width: 200 });
			await SCENES['sources']?.(chat);
			await mark(4).waitFor();
			assert.deepEqual(await leftAlone(), []);
			await mark(3).hover();
			await card().getByText('Returns milliseconds.').waitFor();
			assert.deepEqual(await cited(), ['ds since 1970. The guard in src/auth.ts compares them with milliseconds 🔎']);
			const box = await card().boundingBox();
			assert.ok(box && box.x >= 0 && box.x + box.width <= 200, JSON.stringify(box));
			await chat.page.mouse.move(0, 0);
			await card().waitFor({ state: 'hidden' });
			assert.deepEqual(await cited(), []);
			await mark(1).focus();
			await card().getByText('JSON Web Token (JWT)').waitFor();
			assert.deepEqual(await cited(), ['Tokens count seconds']);
			assert.equal(await mark(1).getAttribute('aria-describedby'), await card().getAttribute('id'));
			await chat.page.keyboard.press('Escape');
			await card().waitFor({ state: 'hidden' });
			assert.equal(await mark(1).evaluate(element => element.matches(':focus')), true);
			await chat.page.keyboard.press('Tab');
			await card().getByText('Not what it says').waitFor();
			assert.match(await card().innerText(), /evil\.example/);
		});

		it('opens a source through the host alone, and nothing for an address that may not be opened', async () => {
			await open();
			await SCENES['sources']?.(chat);
			await mark(1).press('Enter');
			assert.equal((await chat.waitForPosted('link-open')).url, 'https://www.rfc-editor.org/rfc/rfc7519');
			await mark(4).press('Enter');
			await chat.page.locator('.sources a', { hasText: 'Not what it says' }).click();
			const opened = (await chat.posted()).flatMap(message => (message.kind === 'link-open' ? [message.url] : []));
			assert.deepEqual(opened, ['https://www.rfc-editor.org/rfc/rfc7519', 'https://apple.example@evil.example/']);
			assert.equal(await chat.page.locator('.sources a').count(), 4);
			assert.equal(await chat.page.locator('.sources li').count(), 5);
		});

		it('is copied with its sources', async () => {
			await open();
			await SCENES['sources']?.(chat);
			await mark(1).waitFor();
			await chat.page.getByRole('button', { name: 'Copy Reply' }).click();
			const markdown = (await chat.waitForPosted('text-copy')).text;
			assert.ok(markdown.startsWith(SEARCHED));
			assert.match(markdown, /\n1\. \[JSON Web Token \(JWT\)\]\(<https:\/\/www\.rfc-editor\.org\/rfc\/rfc7519>\)\n/);
		});

		it('keeps its marks and its focus when the host says the same again, and loses them with another text', async () => {
			await open();
			const reply = { text: SEARCHED, citations: citationsOf(SEARCHED, SOURCES), ...FACTS };
			const turn = turnView(reply, { mode: 'search' });
			await chat.snapshot([turn]);
			await mark(1).focus();
			await chat.change({ ...turn, reply: { ...turn.reply, canRetry: true } });
			assert.equal(await mark(1).evaluate(element => element.matches(':focus')), true);
			const { citations: _, ...others } = turn.reply;
			await chat.change({ ...turn, reply: { ...others, state: 'streaming', text: `${SEARCHED} More` } });
			await content().getByText('More', { exact: true }).waitFor();
			assert.equal(await mark(1).count(), 0);
		});

		for (const theme of ['dark', 'light', 'highContrast'] as const satisfies ThemeName[]) {
			it(`looks right in ${theme}`, async () => {
				for (const width of [200, 600]) {
					await open({ theme, width });
					await SCENES['sources']?.(chat);
					await mark(1).hover();
					await card().waitFor();
					await chat.screenshot(`source-card-${theme}-${width}`);
				}
			});
		}
	});

	describe('with images', () => {
		const image = () => chat.page.locator('chat-image img');
		const naturalWidth = () => image().evaluate(image => (image as HTMLImageElement).naturalWidth);

		it('keeps the space of an image, asks the host for it, and shows it with its prompt as its text', async () => {
			await open();
			const turn = imageTurn({ image: { file: IMAGE_FILE_NAME, width: 300, height: 200 } });
			await chat.snapshot([turn], { mode: 'image' });
			const asked = await chat.waitForPosted('reply-image-request');
			assert.deepEqual([asked.turn, asked.file], [turn.id, IMAGE_FILE_NAME]);
			const before = await image().boundingBox();
			assert.deepEqual([before?.width, before?.height], [300, 200]);
			await chat.answer('reply-image-request', IMAGE_ADDRESS);
			await until('the image is shown', async () => (await naturalWidth()) === 256);
			assert.deepEqual(await image().boundingBox(), before);
			assert.equal(await image().getAttribute('alt'), turn.question);
			assert.equal(await chat.page.locator('chat-markdown .content').innerText(), '');
		});

		it('offers what can be done with it', async () => {
			await open();
			await SCENES['image']?.(chat);
			for (const name of ['Save Image…', 'Insert as Markdown…', 'Copy Prompt', 'Open in Browser', 'Regenerate']) {
				await chat.page.getByRole('button', { name }).click();
			}
			const kinds = (await chat.posted()).map(({ kind }) => kind).slice(-5);
			assert.deepEqual(kinds, [
				'reply-image-save',
				'reply-image-insert',
				'text-copy',
				'reply-image-open',
				'reply-retry',
			]);
		});

		it('is a sentence and nothing else where there is none, with Load Again where that may help', async () => {
			await open();
			await SCENES['image-refused']?.(chat);
			assert.equal(await image().count(), 0);
			await chat.page.getByText('its address is on this machine or its network').waitFor();
			const button = chat.page.getByRole('button', { name: 'Load Again' });
			assert.equal(await button.count(), 1);
			await button.click();
			await chat.waitForPosted('reply-image-reload');
		});

		it('says that an image is gone, and that one cannot be shown', async () => {
			await open();
			const turn = imageTurn({ image: { file: IMAGE_FILE_NAME, width: 300, height: 200 } });
			await chat.snapshot([turn]);
			await chat.answer('reply-image-request', undefined);
			await chat.page.getByText('image’s file was deleted').waitFor();
			await chat.snapshot([imageTurn({ image: { file: 'b'.repeat(64), width: 300, height: 200 } })]);
			await until('the other one is asked for', async () => {
				const asked = (await chat.posted()).findLast(message => message.kind === 'reply-image-request');
				return asked?.file === 'b'.repeat(64);
			});
			await chat.answer('reply-image-request', 'data:image/png;base64,iVBORw0KGgo=');
			await chat.page.getByText('it isn’t a PNG').waitFor();
		});

		it('says why the host has not given it, and asks again', async () => {
			await open();
			const turn = imageTurn({ image: { file: IMAGE_FILE_NAME, width: 300, height: 200 } });
			await chat.snapshot([turn]);
			await chat.fail('reply-image-request', 'The disk does not answer. Try again.');
			await chat.page.getByText('The disk does not answer. Try again.').waitFor();
			await chat.page.getByRole('button', { name: 'Load Again' }).click();
			await chat.answer('reply-image-request', IMAGE_ADDRESS);
			await until('the image is shown', async () => (await naturalWidth()) === 256);
		});
	});
});
