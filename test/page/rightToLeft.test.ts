import assert from 'node:assert/strict';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { RIGHT_TO_LEFT, RIGHT_TO_LEFT_QUESTION } from '../ui/scenes.ts';

describe('text that runs from right to left', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	/** The direction of each element that the selector finds, and whether its text begins at its right edge. */
	const directions = (selector: string) =>
		chat.page.locator(selector).evaluateAll(elements =>
			elements.map(element => {
				const { direction } = getComputedStyle(element);
				return `${element.localName} ${direction}`;
			}),
		);

	/** The edge of the element at which the first word of a text in it is drawn. */
	const edgeOf = (selector: string, words: string) =>
		chat.page
			.locator(selector)
			.first()
			.evaluate((element, sought) => {
				const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
				for (let node = texts.nextNode(); node; node = texts.nextNode()) {
					const start = node.textContent?.indexOf(sought) ?? -1;
					if (start >= 0) {
						const range = document.createRange();
						range.setStart(node, start);
						range.setEnd(node, start + sought.length);
						const [word, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
						return word.left - box.left > box.right - word.right ? 'right' : 'left';
					}
				}
				return 'nowhere';
			}, words);

	it('runs in each block of a reply as its first words do, and code and what is in English from left to right', async () => {
		await open();
		for (const isGrowing of [false, true]) {
			const turn = turnView({ text: '', state: 'streaming' });
			await chat.snapshot([isGrowing ? turn : turnView({ text: RIGHT_TO_LEFT })]);
			for (let start = 0; isGrowing && start < RIGHT_TO_LEFT.length; start += 7) {
				await chat.append(turn.id, RIGHT_TO_LEFT.slice(start, start + 7));
			}
			await chat.page.locator('chat-markdown').getByText('This paragraph is in English.').waitFor();
			assert.deepEqual(await directions('chat-markdown .section > *'), [
				'p rtl',
				'h6 rtl',
				'ul rtl',
				'blockquote rtl',
				'div ltr',
				'div ltr',
				'p ltr',
			]);
			assert.deepEqual(await directions('chat-markdown table'), ['table rtl']);
			assert.deepEqual(new Set(await directions('chat-markdown :is(pre, code)')), new Set(['pre ltr', 'code ltr']));
			assert.equal(await edgeOf('chat-markdown .section > p', 'guard()'), 'right');
			assert.equal(await edgeOf('chat-markdown li:last-child', 'English'), 'left');
			assert.equal(await edgeOf('chat-markdown pre', 'const'), 'left');
		}
	});

	it('still runs so in a block into which hundreds of pieces came at once', async () => {
		await open();
		const turn = turnView({ text: '', state: 'streaming' });
		await chat.snapshot([turn]);
		for (const text of ['`guard` نعم ', '`guard` نعم '.repeat(500)]) {
			await chat.append(turn.id, text);
			await chat.page
				.locator('chat-markdown code')
				.nth(text.length > 20 ? 500 : 0)
				.waitFor();
			assert.deepEqual(await directions('chat-markdown .section > *'), ['p rtl']);
		}
	});

	it('runs in each line of a question, in its editor and in the composer as its first words do', async () => {
		await open();
		await chat.snapshot([turnView({ canRetry: true }, { question: RIGHT_TO_LEFT_QUESTION })]);
		assert.deepEqual(await directions('.question'), ['div rtl']);
		assert.equal(await edgeOf('.question', 'لماذا'), 'right');
		assert.equal(await edgeOf('.question', 'Why'), 'left');
		const composer = chat.page.locator('chat-composer textarea');
		await composer.fill('שאלה נוספת');
		assert.deepEqual(await directions('chat-composer textarea'), ['textarea rtl']);
		await composer.fill('Another question');
		assert.deepEqual(await directions('chat-composer textarea'), ['textarea ltr']);
		await chat.page.getByRole('button', { name: 'Edit and Send Again' }).click();
		assert.deepEqual(await directions('.editor textarea'), ['textarea rtl']);
	});
});
