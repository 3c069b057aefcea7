import assert from 'node:assert/strict';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { HOSTILE } from '../ui/hostile.ts';

const MARKDOWN = [
	'# Heading',
	'A paragraph with **bold**, *em*, `code` and [a link](https://example.com).',
	'- one\n- two\n  - three\n\n  more of two\n- four',
	'1. first\n2. second',
	'```ts\nconst a = 1;\n\nconst b = `<b>`;\n```',
	'> a quote\n> - with a list',
	'| a | b |\n|:-:|--:|\n| 1 | 2 |',
	'---',
	'![alt](https://example.com/i.png) and [later]',
	'Last words.\n\n[later]: https://example.com/later',
].join('\n\n');

describe('markdown in the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	beforeEach(() => open());

	const html = () => chat.page.locator('chat-markdown .content').last().innerHTML();

	it('runs nothing and loads nothing of what a hostile model writes, whole or in pieces', async () => {
		for (const text of HOSTILE) {
			await chat.snapshot([turnView({ text })]);
		}
		const everything = HOSTILE.join('\n\n');
		const turn = turnView({ text: '', state: 'streaming' });
		await chat.snapshot([turn]);
		for (let start = 0; start < everything.length; start += 97) {
			await chat.append(turn.id, everything.slice(start, start + 97));
		}
		await chat.change({ ...turn, reply: { ...turn.reply, text: everything, state: 'done' } });
		assert.match(await html(), /alert\(1\)/, 'the text is shown');
		// What would have run had a moment to: focus, hover, animation.
		await chat.page.mouse.move(200, 200);
		await chat.page
			.locator('chat-markdown .content')
			.first()
			.click({ position: { x: 1, y: 1 } });
		await chat.page.evaluate(() => new Promise(resolve => setTimeout(resolve, 200)));
		assert.deepEqual(chat.requests, []);
		assert.deepEqual(chat.faults, []);
		assert.deepEqual(await chat.violations(), []);
		assert.deepEqual(
			(await chat.posted()).filter(({ kind }) => kind !== 'page-ready'),
			[],
		);
	});

	it('holds only the elements and attributes that markdown needs', async () => {
		await chat.snapshot([turnView({ text: HOSTILE.join('\n\n') })]);
		const found = await chat.page
			.locator('chat-markdown .content')
			.first()
			.evaluate(content => {
				const names = new Set<string>();
				for (const element of content.querySelectorAll('*')) {
					names.add(element.localName);
					for (const attribute of element.attributes) {
						names.add(`@${attribute.name}`);
						if (attribute.name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(attribute.value)) {
							names.add(attribute.value);
						}
					}
				}
				return [...names].sort();
			});
		const allowed = [
			...['a', 'blockquote', 'button', 'code', 'div', 'li', 'ol', 'p', 'pre', 'span'],
			...['table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
			...[
				'@aria-hidden',
				'@aria-label',
				'@class',
				'@dir',
				'@href',
				'@data-state',
				'@name',
				'@role',
				'@tabindex',
				'@title',
				'@type',
			],
		];
		assert.deepEqual(
			found.filter(name => !allowed.includes(name)),
			[],
		);
	});

	it('shows the same at the end, however the reply arrived', async () => {
		await chat.snapshot([turnView({ text: MARKDOWN })]);
		const coloured = () => chat.page.locator('pre').last().locator('.hljs-keyword').first().waitFor();
		await coloured();
		const whole = await html();
		for (const size of [1, 7, 64, 1000]) {
			const turn = turnView({ text: '', state: 'streaming' });
			await chat.snapshot([turn]);
			for (let start = 0; start < MARKDOWN.length; start += size) {
				// Without waiting for a frame each time, as a fast model would.
				const change = chat.append(turn.id, MARKDOWN.slice(start, start + size));
				if (size > 1 || start % 50 === 0) {
					await change;
				}
			}
			await chat.change({ ...turn, reply: { ...turn.reply, text: MARKDOWN, state: 'done' } });
			await coloured();
			assert.equal(await html(), whole, `in pieces of ${size}`);
		}
	});

	it('leaves finished blocks in place while the reply grows', async () => {
		const turn = turnView({ text: 'First.\n\nSecond.\n\nThird', state: 'streaming' });
		await chat.snapshot([turn]);
		await chat.page.evaluate(() => {
			const section = document
				.querySelector('chat-app')
				?.shadowRoot?.querySelector('chat-turn')
				?.shadowRoot?.querySelector('chat-markdown')
				?.shadowRoot?.querySelector('.section');
			Object.assign(window, { firstParagraph: section?.firstElementChild, section });
		});
		await chat.append(turn.id, ' goes on.\n\nFourth.\n\n');
		await chat.append(turn.id, 'Fifth.');
		assert.deepEqual(
			await chat.page.evaluate(() => {
				const { firstParagraph, section } = window as unknown as { firstParagraph: Element; section: Element };
				return [section.children.length, firstParagraph === section.firstElementChild];
			}),
			[5, true],
		);
	});

	it('opens a link through the host and nowhere else', async () => {
		await chat.snapshot([turnView({ text: '[x](https://example.com/a?b=c%20d)' })]);
		await chat.page.getByRole('link', { name: 'x' }).click();
		assert.deepEqual(await chat.waitForPosted('link-open'), {
			kind: 'link-open',
			url: 'https://example.com/a?b=c%20d',
		});
		assert.deepEqual(chat.requests, []);
		assert.deepEqual(chat.faults, []);
	});

	it('copies exactly the code of a block', async () => {
		await chat.snapshot([turnView({ text: 'Run:\n\n```sh\necho "<b>" &&\n\n  ls\n```\n' })]);
		await chat.page.locator('pre').hover();
		// It says so for a moment, which is looked out for before it begins.
		const copied = chat.page.getByTitle('Copied', { exact: true }).waitFor();
		await chat.page.getByRole('button', { name: 'Copy', exact: true }).click();
		await copied;
		assert.deepEqual(await chat.waitForPosted('text-copy'), { kind: 'text-copy', text: 'echo "<b>" &&\n\n  ls\n' });
		await chat.page.getByTitle('Copy', { exact: true }).waitFor();
	});

	const CODE = '```ts title="src/a.ts"\nconst a = 1;\n```\n';

	it('offers a block to the editor with what its fence says, by keyboard too', async () => {
		const turn = turnView({ text: CODE });
		await chat.snapshot([turn]);
		assert.equal(await chat.page.locator('.code-label').innerText(), 'src/a.ts');
		await chat.page.getByRole('button', { name: 'Copy', exact: true }).focus();
		await chat.screenshot('code-bar');
		for (const [action, label] of [
			['insert', 'Insert at Cursor'],
			['new-file', 'New File'],
			['apply', 'Apply…'],
		] as const) {
			await chat.page.keyboard.press('Tab');
			const button = chat.page.getByRole('button', { name: label });
			assert.ok(await button.evaluate(element => element.matches(':focus')), `${label} has the focus`);
			await chat.page.keyboard.press('Enter');
			const block = { turn: turn.id, code: 'const a = 1;\n', language: 'ts', file: 'src/a.ts' };
			assert.deepEqual((await chat.posted()).at(-1), { kind: 'code-use', action, ...block });
		}
	});

	it('links the words that are files of the workspace, and nothing else', async () => {
		const hostile =
			'[x](../../etc/passwd) [y](file:///etc/passwd) `command:x` `\\\\server\\a.ts` [z](javascript:alert)';
		const text = `See \`src/a.ts:40\`, \`gone.ts\`, \`value\` and [the test](test/a.test.ts#L4-L5). ${hostile}`;
		await chat.snapshot([turnView({ text })]);
		const { names } = await chat.waitForPosted('files-check');
		assert.deepEqual([...names].sort(), ['gone.ts', 'src/a.ts:40', 'test/a.test.ts#L4-L5']);
		await chat.answer('files-check', ['src/a.ts:40', 'test/a.test.ts#L4-L5']);
		await chat.page.getByRole('link', { name: 'the test' }).click();
		assert.deepEqual(await chat.waitForPosted('file-open'), { kind: 'file-open', name: 'test/a.test.ts#L4-L5' });
		await chat.page.getByRole('link', { name: 'src/a.ts:40' }).focus();
		await chat.screenshot('file-links');
		await chat.page.keyboard.press('Enter');
		assert.deepEqual((await chat.posted()).at(-1), { kind: 'file-open', name: 'src/a.ts:40' });
		assert.equal(await chat.page.locator('chat-markdown').getByRole('link').count(), 2);
	});

	it('says why an image was not loaded where the host fails or does not answer, and asks again', async () => {
		await chat.installClock();
		await chat.snapshot([turnView({ text: '![a map](https://images.example/i.png)' })]);
		const link = (state: string) => chat.page.getByRole('link', { name: `Image: a map (${state})` });
		await link('Load Image').click();
		await chat.fail('image-load', 'The extension could not read a file of its own. Install it again.');
		await link('The extension could not read a file of its own. Install it again.').click();
		await link('Loading…').waitFor();
		await chat.page.clock.fastForward(60_000);
		const noAnswer = 'The extension didn’t respond. Try again, or reload the window.';
		await link(noAnswer).waitFor();
		await chat.screenshot('image-no-answer');
		await link(noAnswer).click();
		await chat.answer('image-load', { problem: 'Couldn’t load the image.' });
		await link('Couldn’t load the image.').waitFor();
		assert.equal((await chat.posted()).filter(({ kind }) => kind === 'image-load').length, 3);
	});

	it('loads an image where it stands when asked, through the host alone', async () => {
		const url = 'https://evil.example/i.png?secret';
		await chat.snapshot([turnView({ text: `See ![a map](${url}) here.` })]);
		const link = chat.page.getByRole('link', { name: 'Image: a map (Load Image)' });
		await link.click();
		await chat.answer('image-load', { problem: 'Couldn’t load the image.' });
		await chat.page.getByRole('link', { name: 'Image: a map (Couldn’t load the image.)' }).waitFor();
		await chat.snapshot([turnView({ text: `Again ![a map](${url}) here.` })]);
		await link.click();
		const asked = (await chat.posted()).findLast(message => message.kind === 'image-load');
		assert.equal(asked?.url, url);
		const dataUrl =
			'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
		await chat.answer('image-load', { dataUrl });
		const image = chat.page.getByRole('img', { name: 'Image: a map' });
		await image.waitFor();
		assert.equal(await image.evaluate(element => (element as HTMLImageElement).naturalWidth), 1);
		assert.deepEqual(
			chat.requests.filter(address => !address.startsWith('data:')),
			[],
		);
		chat.requests.length = 0;
		// A single pixel is hard to hit.
		await chat.page.getByRole('link', { name: 'Image: a map' }).press('Enter');
		assert.deepEqual(await chat.waitForPosted('link-open'), { kind: 'link-open', url });
	});
});
