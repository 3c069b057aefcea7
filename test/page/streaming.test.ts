import assert from 'node:assert/strict';
import { createMarkdown } from '../../src/chat/ui/markdown.ts';
import { waitFor } from '../support/waitFor.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { RICH } from '../ui/scenes.ts';
import type { PageOptions } from '../ui/testPage.ts';

/** How a block begins, and what makes it long. */
const LONG: [string, string][] = [
	['', '- an [item] with **some** words\n'],
	['1. first\n', '2. an item\n\n   of two paragraphs\n'],
	['```ts\n', 'const answer = question * 42; // <b>\n'],
	['```\n', '\n'],
	['a | b\n:-:|--\n', '| a cell | and `another` |\n'],
	['Words. ', 'some *words* and a [link](https://example.com), '],
	['Lines.\n', 'some **words** and an [item],  \nmore\n'],
	['> ', 'quoted words\n'],
	['[item]: https://example.com/item\n', 'The end.\n\n'],
];

describe('a reply that grows', () => {
	let chat: ChatPage;
	const openPage = useChatPage(page => {
		chat = page;
	});

	const open = async (text: string, options?: PageOptions) => {
		await openPage(options);
		const turn = turnView({ text, state: 'streaming' });
		await chat.snapshot([turn]);
		return turn;
	};

	const end = (turn: ReturnType<typeof turnView>, text: string) =>
		chat.change({ ...turn, reply: { ...turn.reply, text, state: 'done' } });

	it('is in the end what one render of the whole gives, in long blocks too', async () => {
		const text = LONG.map(([head, piece]) => head + piece.repeat(Math.ceil(6_000 / piece.length))).join('\n\n');
		const turn = await open('');
		for (let start = 0, size = 1; start < text.length; start += size) {
			size = (size * 7) % 997;
			await chat.append(turn.id, text.slice(start, start + size));
		}
		const left = [...text.matchAll(/```ts/g)].length;
		await end(turn, text);
		await waitFor(
			'the code to be coloured',
			async () => (await chat.page.locator('code:has(.hljs-keyword)').count()) === left,
		);
		const [shown, wanted] = await chat.page.locator('chat-markdown .content').evaluate((content, html) => {
			const copy = content.cloneNode(true) as Element;
			// What is ours goes: sections, frames, what is said to a screen reader, directions, colours.
			for (const block of copy.querySelectorAll('[dir]')) {
				block.removeAttribute('dir');
			}
			for (const bar of copy.querySelectorAll('.code-bar')) {
				bar.remove();
			}
			for (const frame of copy.querySelectorAll('div.section, div.code, div.table')) {
				frame.replaceWith(...frame.childNodes);
			}
			for (const pre of copy.querySelectorAll('pre')) {
				pre.replaceChildren(...pre.childNodes);
				for (const name of pre.getAttributeNames()) {
					pre.removeAttribute(name);
				}
			}
			for (const colour of [...copy.querySelectorAll('[class^="hljs-"]')].reverse()) {
				colour.replaceWith(...colour.childNodes);
			}
			const template = document.createElement('template');
			template.innerHTML = html;
			// Colours join the parts that code is laid out in.
			for (const part of [copy, template.content].flatMap(root => [...root.querySelectorAll('span.lines')])) {
				part.replaceWith(...part.childNodes);
			}
			return [copy.innerHTML, template.innerHTML] as const;
		}, createMarkdown().render(text));
		assert.equal(shown, wanted);
	});

	it('leaves a selection in the paragraph that grows', async () => {
		const turn = await open('Some words that are **selected');
		await chat.page.locator('chat-markdown p').evaluate(paragraph => {
			const text = paragraph.firstChild as Text;
			getSelection()?.setBaseAndExtent(text, 5, text, 10);
		});
		for (const more of [' and** more', ' of them. ', 'word '.repeat(600), 'end', '.\n\nNext one.\n\n', 'Third.']) {
			await chat.append(turn.id, more);
		}
		const selected = await chat.page
			.locator('chat-markdown p')
			.first()
			.evaluate(paragraph => {
				const root = paragraph.getRootNode() as ShadowRoot;
				const [range] = getSelection()?.getComposedRanges({ shadowRoots: [root] }) ?? [];
				return (
					range && [
						range.startContainer.textContent?.slice(range.startOffset, range.endOffset),
						range.startContainer === range.endContainer,
					]
				);
			});
		assert.deepEqual(selected, ['words', true]);
	});

	it('leaves the focus and the scroll position in the code that grows', async () => {
		const turn = await open(`\`\`\`ts\nconst long = '${'x'.repeat(300)}';\n`);
		await chat.page.locator('pre').evaluate(pre => {
			pre.scrollLeft = 100;
		});
		await chat.page.getByRole('button', { name: 'Copy', exact: true }).focus();
		for (let line = 0; line < 20; line++) {
			await chat.append(turn.id, `const a${line} = '${'y'.repeat(200)}';\n`);
		}
		const copy = chat.page.getByRole('button', { name: 'Copy', exact: true });
		assert.equal(await copy.evaluate(button => (button.getRootNode() as ShadowRoot).activeElement === button), true);
		assert.equal(await chat.page.locator('pre').evaluate(pre => pre.scrollLeft), 100);
		await chat.page.keyboard.press('Enter');
		const { text } = await chat.waitForPosted('text-copy');
		assert.equal(text.split('\n').length, 22);
	});

	it('stays where the reader is, whatever grows below', async () => {
		const turn = await open(RICH.repeat(6), { height: 400 });
		await chat.wheel(-900);
		await chat.page.getByRole('button', { name: 'Scroll to End' }).waitFor();
		const line = chat.page.locator('chat-markdown h5').nth(3);
		const place = async () => Math.round((await line.boundingBox())?.y ?? Number.NaN);
		const before = await place();
		const text = RICH.repeat(6) + RICH.repeat(3);
		for (let start = RICH.length * 6; start < text.length; start += 120) {
			await chat.append(turn.id, text.slice(start, start + 120));
			assert.equal(await place(), before);
		}
		await end(turn, text);
		await chat.page.locator('.hljs-keyword').last().waitFor({ state: 'attached' });
		assert.equal(await place(), before);
	});

	it('costs layout and paint only near the view, and is as high as one that is there at once', async () => {
		const text = RICH.repeat(30);
		const tops = () =>
			chat.page.locator('chat-markdown').evaluate(element => {
				const blocks = [...(element.shadowRoot?.querySelectorAll('.section > *') ?? [])];
				const top = element.getBoundingClientRect().top;
				return blocks.map(block => Math.round(block.getBoundingClientRect().top - top));
			});
		await open('');
		await chat.snapshot([turnView({ text })]);
		const atOnce = await tops();
		const turn = await open('');
		for (let start = 0; start < text.length; start += RICH.length) {
			await chat.append(turn.id, text.slice(start, start + RICH.length));
		}
		const skipped = () =>
			chat.page
				.locator('chat-markdown p')
				.evaluateAll(all => all.filter(one => !one.checkVisibility({ contentVisibilityAuto: true })).length);
		await waitFor('what is out of view to be skipped', async () => (await skipped()) > 10);
		assert.deepEqual(await tops(), atOnce);
		await end(turn, text);
		assert.deepEqual(await tops(), atOnce);
	});

	it('has between blocks the larger one of their distances, across sections too', async () => {
		await open('');
		await chat.snapshot([turnView({ text: RICH.repeat(16) })]);
		const distances = await chat.page.locator('.section > *').evaluateAll(blocks =>
			blocks.slice(1).map((block, index) => {
				const previous = blocks[index] as Element;
				const gap = block.getBoundingClientRect().top - previous.getBoundingClientRect().bottom;
				const isAcross = block.parentElement !== previous.parentElement;
				return [isAcross, `${block.localName} ${Math.round(gap)}`] as const;
			}),
		);
		const within = new Set(distances.filter(([isAcross]) => !isAcross).map(([, words]) => words));
		const across = distances.filter(([isAcross]) => isAcross).map(([, words]) => words);
		assert.ok(across.length > 3);
		assert.deepEqual(
			[...new Set(across)].filter(words => !within.has(words)),
			[],
		);
	});

	it('has its code coloured when a block is done, in the colours of the theme', async () => {
		const turn = await open('```ts\nconst a = 1;\n');
		await chat.append(turn.id, '```\n\nAfter it.\n\nMore.\n\n');
		const keyword = chat.page.locator('.hljs-keyword');
		await keyword.waitFor();
		assert.equal(await keyword.textContent(), 'const');
		const plain = await chat.page.locator('pre code').evaluate(code => getComputedStyle(code).color);
		assert.notEqual(await keyword.evaluate(span => getComputedStyle(span).color), plain);
		assert.equal(await chat.page.locator('pre').textContent(), 'const a = 1;\n');
		assert.equal(await chat.page.locator('chat-markdown [style]').count(), 0);
	});

	it('shows what turns the direction of a text, and copies it as it was', async () => {
		const code = 'if (admin) { /*\u202e } \u2066if (user)\u2069 \u2066 begin */\n';
		await open(`Read \u202ethis.\n\n\`\`\`c\n${code}\`\`\`\n`);
		assert.equal(await chat.page.locator('chat-markdown p').textContent(), 'Read U+202Ethis.');
		assert.match((await chat.page.locator('pre').textContent()) ?? '', /U\+202E.*U\+2066.*U\+2069/);
		await chat.page.locator('pre').hover();
		await chat.page.getByRole('button', { name: 'Copy', exact: true }).click();
		assert.equal((await chat.waitForPosted('text-copy')).text, code);
	});

	it('shows an image as a link, which loads nothing', async () => {
		const turn = await open('![a map](https://evil.example/leak.png?secret)');
		await end(turn, '![a map](https://evil.example/leak.png?secret)');
		const link = chat.page.getByRole('link', { name: 'Image: a map' });
		assert.equal(await link.getAttribute('title'), 'https://evil.example/leak.png?secret');
		assert.equal(await chat.page.locator('chat-markdown img').count(), 0);
		assert.deepEqual(chat.requests, []);
	});

	it('offers Copy at the last reply; at others on hover and to the keyboard, without anything that moves', async () => {
		const turn = await open('```ts\nconst a = 1;\n```\n\nText.');
		const done = { ...turn, reply: { ...turn.reply, state: 'done' as const } };
		await chat.snapshot([done]);
		const copy = chat.page.getByRole('button', { name: 'Copy', exact: true });
		const opacity = () => copy.evaluate(button => getComputedStyle(button).opacity);
		const actions = chat.page.locator('.footer .actions').first();
		const footerOpacity = () => actions.evaluate(element => getComputedStyle(element).opacity);
		assert.deepEqual([await opacity(), await footerOpacity()], ['1', '1']);
		await chat.screenshot('code-actions-last');
		const place = await chat.page.locator('.code').boundingBox();
		await chat.snapshot([done, turnView({ text: 'Short.' })]);
		assert.deepEqual(await chat.page.locator('.code').boundingBox(), place);
		assert.deepEqual([await opacity(), await footerOpacity()], ['0', '0']);
		await chat.page.locator('pre').hover();
		assert.equal(await opacity(), '1');
		await chat.page.mouse.move(0, 0);
		await chat.page.locator('.log').focus();
		for (let count = 0; count < 4 && (await opacity()) === '0'; count++) {
			await chat.page.keyboard.press('Tab');
		}
		assert.equal(await opacity(), '1');
	});

	it('says when it is too deep to lay out, and what is not shown', async () => {
		const turn = await open(`${'> '.repeat(100)}deep`);
		await chat.page.getByText('Shown as plain text').waitFor();
		const text = 'Word.\n\n'.repeat(20_000);
		await end(turn, text);
		await chat.page.getByText(/\d+ more characters aren’t shown/).waitFor();
	});

	it('that is long is back at the same line after the page was made anew', async () => {
		const turns = [turnView(), turnView({ text: RICH.repeat(60) }), turnView()];
		await openPage({ height: 400 });
		await chat.snapshot(turns);
		const log = () => chat.page.locator('.log');
		assert.equal(await chat.page.locator('chat-markdown h5').count(), 60);
		await log().evaluate(element => {
			element.scrollTop = element.scrollHeight / 2;
		});
		const state = await waitFor('the position to be kept', async () => {
			const saved = await chat.savedState();
			return saved?.reading && saved;
		});
		await openPage({ height: 400, state });
		await chat.snapshot(turns);
		await waitFor('the same line', async () => {
			const top = await chat.page
				.locator('chat-turn')
				.nth(1)
				.evaluate(turn => turn.getBoundingClientRect().top);
			return Math.abs(top + (state.reading?.offset ?? 0)) <= 1 && (state.reading?.offset ?? 0) > 10_000;
		});
	});
});
