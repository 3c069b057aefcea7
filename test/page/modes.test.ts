import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { citationsOf } from '../../src/chat/model/citations.ts';
import { until } from '../support/editorWindow.ts';
import { type ChatPage, CONVERSATION_ID, turnView, useChatPage } from '../ui/chatPage.ts';
import {
	FACTS,
	HINDERED_TASK,
	IMAGE_ADDRESS,
	IMAGE_FILE_NAME,
	imageTurn,
	NEXT_TASK,
	PROMPTS,
	SCENES,
	SEARCHED,
	SOURCES,
	USUAL_TASK,
	VERSION_ID,
} from '../ui/scenes.ts';
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
			for (const name of ['Copy Reply', 'Copy as Markdown']) {
				await chat.page.getByRole('button', { name }).click();
			}
			const [text = '', markdown = ''] = (await chat.posted()).flatMap(message =>
				message.kind === 'text-copy' ? [message.text] : [],
			);
			assert.match(text, /^Tokens count seconds\[1\] since/);
			assert.match(
				text,
				/\n\nSources\n\[1\] JSON Web Token \(JWT\) https:\/\/www\.rfc-editor\.org\/rfc\/rfc7519\n\[2\]/,
			);
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
			for (const name of ['Save Image…', 'Insert as Markdown…', 'Copy Prompt', 'Open in Browser', 'Make Again']) {
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
			await chat.page.getByText('its file was deleted').waitFor();
			await chat.snapshot([imageTurn({ image: { file: 'b'.repeat(64), width: 300, height: 200 } })]);
			await until('the other one is asked for', async () => {
				const asked = (await chat.posted()).findLast(message => message.kind === 'reply-image-request');
				return asked?.file === 'b'.repeat(64);
			});
			await chat.answer('reply-image-request', 'data:image/png;base64,iVBORw0KGgo=');
			await chat.page.getByText('it is not a PNG').waitFor();
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

	describe('with modes', () => {
		const composer = () => chat.page.locator('chat-composer textarea');
		const option = (name: string) => chat.page.getByRole('option', { name });

		it('offers commands at the start of a message, by keyboard, and says why one cannot be used', async () => {
			await open();
			await SCENES['slash-menu']?.(chat);
			assert.equal(await chat.page.getByRole('option').count(), 12);
			for (const [group, count] of Object.entries({ Modes: 5, Prompts: 3, 'Prompt Files': 4 })) {
				const rows = chat.page.getByRole('group', { name: group, exact: true }).getByRole('option');
				assert.equal(await rows.count(), count, group);
			}
			assert.equal(await option('/image').getAttribute('aria-disabled'), 'true');
			await option('/image').getByText('Local has no image model').waitFor();
			await composer().press('ArrowDown');
			await composer().press('ArrowDown');
			assert.equal(await option('/search').getAttribute('aria-selected'), 'true');
			assert.equal(await composer().getAttribute('aria-activedescendant'), await option('/search').getAttribute('id'));
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/search ');
			assert.equal(await chat.page.getByRole('option').count(), 0);
			assert.equal((await chat.posted()).filter(({ kind }) => kind === 'message-send').length, 0);
			await composer().pressSequentially('who won');
			await composer().press('Enter');
			assert.equal((await chat.waitForPosted('message-send')).text, '/search who won');
		});

		it('takes no command that cannot be used, closes with Escape, and offers none for two slashes', async () => {
			await open();
			await SCENES['slash-menu']?.(chat);
			for (let count = 0; count < 3; count++) {
				await composer().press('ArrowDown');
			}
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/');
			await composer().press('Escape');
			assert.equal(await chat.page.getByRole('option').count(), 0);
			await composer().pressSequentially('s');
			assert.equal(await chat.page.getByRole('option').count(), 0);
			await composer().fill('');
			await composer().pressSequentially('//');
			assert.equal(await chat.page.getByRole('option').count(), 0);
			await composer().fill('');
			await composer().pressSequentially('/s');
			await option('/search').click();
			assert.equal(await composer().inputValue(), '/search ');
		});

		it('offers prompts by a part of their names, and says of a chosen one what is not done of it', async () => {
			await open();
			await SCENES['slash-menu']?.(chat);
			await chat.screenshot('slash-menu');
			await composer().pressSequentially('rev');
			assert.deepEqual(await chat.page.getByRole('option').count(), 1);
			await option('/review [branch]').getByText('Review a change as the team does · .github/prompts').waitFor();
			assert.match((await option('/review').getAttribute('title')) ?? '', /does not run/);
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/review ');
			const note = chat.page.getByRole('status').getByText('It has a command, which is sent as text and does not run.');
			await note.waitFor();
			await composer().pressSequentially('main');
			assert.equal(await note.isVisible(), true);
			// What it names is read when the user wants that, and not before.
			assert.ok((await chat.posted()).every(({ kind }) => kind !== 'completion-take' && kind !== 'message-send'));
			await chat.page.getByRole('button', { name: 'Add 2 Files' }).click();
			assert.equal((await chat.waitForPosted('completion-take')).item, PROMPTS[0]?.files?.item);
			await composer().press('Enter');
			assert.equal((await chat.waitForPosted('message-send')).text, '/review main');
		});

		it('takes no prompt that cannot be used, and gives the way to the user’s own', async () => {
			await open();
			await SCENES['slash-menu']?.(chat);
			await composer().pressSequentially('large');
			await option('/large').getByText('larger than 64 KB').waitFor();
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/large');
			await composer().fill('');
			await composer().pressSequentially('/pro');
			await option('My Prompts…').click();
			await chat.waitForPosted('prompts-edit');
			assert.equal(await composer().inputValue(), '');
		});

		it('holds Enter until it knows the prompts, where nothing else begins so, and sends what is none', async () => {
			await open();
			await chat.snapshot([]);
			await composer().pressSequentially('/rev');
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/rev');
			await chat.answer('prompts-request', PROMPTS);
			await option('/review').waitFor();
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/review ');
			await composer().fill('');
			await composer().pressSequentially('/nothing');
			await chat.answer('prompts-request', []);
			await composer().press('Enter');
			assert.equal((await chat.waitForPosted('message-send')).text, '/nothing');
		});

		it('offers no task in an encrypted conversation, and says why', async () => {
			await open();
			const line = { label: 'Encrypted', details: [], isConnecting: false, isRefused: false };
			await chat.snapshot([], { encryption: { ...line, isKept: true, emptyText: 'Encrypted.' } });
			await composer().pressSequentially('/t');
			await option('/task').getByText('A task is not encrypted').waitFor();
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/t');
		});

		describe('of which the task is one,', () => {
			const line = () => chat.page.locator('chat-composer .task');
			const sent = async () => (await chat.posted()).filter(message => message.kind === 'message-send');
			const write = (text: string, how: 'add' | 'replace' | 'if-empty') =>
				chat.send({ kind: 'draft-write', request: crypto.randomUUID(), text, how });
			/** The last answer to `write`. */
			const isWritten = async () => {
				const answer = (await chat.posted()).findLast(message => message.kind === 'answer');
				return answer?.kind === 'answer' && 'value' in answer.answer && answer.answer.value;
			};

			it('tells what the next task uses, each with a press to change it, and offers nothing of the chat', async () => {
				await open({ width: 280 });
				await SCENES['task-mode']?.(chat);
				assert.deepEqual((await chat.posted()).filter(message => message.kind === 'task-follow').at(-1), {
					kind: 'task-follow',
					isShown: true,
				});
				assert.equal(await chat.page.getByRole('button', { name: /^Select (?:Model:|Routing)/ }).count(), 0);
				for (const { choice, name } of NEXT_TASK.choices) {
					const button = line().getByRole('button').filter({ hasText: name });
					await button.focus();
					await chat.page.keyboard.press('Enter');
					const asked = (await chat.posted()).findLast(message => message.kind === 'task-choose');
					assert.equal(asked?.choice, choice);
					const shown = await button.locator('.word').evaluate(word => word.clientWidth);
					assert.ok(shown > 60 || name.length < 12, `${name} has ${shown} pixels`);
				}
				await chat.send({ kind: 'task-set', task: HINDERED_TASK });
				await line().getByText('is not a Git repository').waitFor();
				await line().getByRole('button', { name: 'Initialize Repository' }).click();
				assert.equal((await chat.posted()).findLast(message => message.kind === 'task-choose')?.choice, 'problem');
				await chat.send({ kind: 'task-mode-set', isOn: false });
				assert.equal((await chat.posted()).findLast(message => message.kind === 'task-follow')?.isShown, false);
				assert.equal(await line().count(), 0);
			});

			it('sends a prompt while a reply comes, keeps it until the task is started, and is chat again then', async () => {
				await open();
				await chat.snapshot([turnView({ state: 'streaming' })]);
				await chat.send({ kind: 'task-mode-set', isOn: true });
				await composer().fill('Fix it');
				await composer().press('Enter');
				const [first] = await sent();
				assert.deepEqual([first?.text, first?.task, first?.waits], ['Fix it', true, undefined]);
				await chat.send({ kind: 'message-refuse', turn: first?.turn ?? '', reason: '' });
				assert.equal(await composer().inputValue(), 'Fix it');
				assert.equal(await chat.page.locator('chat-composer .hint').innerText(), '');
				await chat.page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
				await chat.page.getByRole('button', { name: 'Send', exact: true }).click();
				const again = (await sent()).at(-1);
				assert.notEqual(again?.turn, first?.turn);
				await chat.send({ kind: 'message-accept', turn: again?.turn ?? '' });
				assert.equal(await composer().inputValue(), '');
				assert.equal(await line().count(), 0);
				assert.deepEqual(await chat.savedState(), { draft: '', conversation: CONVERSATION_ID });
			});

			it('has what another place writes behind the draft, or in its place, and nothing of a draft is lost', async () => {
				await open();
				await chat.snapshot([]);
				await write('From a link', 'if-empty');
				assert.deepEqual([await composer().inputValue(), await isWritten()], ['From a link', true]);
				await write('From another', 'if-empty');
				assert.deepEqual([await composer().inputValue(), await isWritten()], ['From a link', false]);
				await write('From a selection', 'add');
				assert.equal(await composer().inputValue(), 'From a link\n\nFrom a selection');
				await write('Anew', 'replace');
				assert.equal(await composer().inputValue(), 'Anew');
				await chat.send({ kind: 'task-mode-set', isOn: true });
				await composer().press('Enter');
				await write('And later', 'add');
				assert.equal(await composer().inputValue(), 'Anew');
				await chat.send({ kind: 'message-accept', turn: (await sent()).at(-1)?.turn ?? '' });
				assert.equal(await composer().inputValue(), 'And later');
				await line().waitFor();
			});

			it('stays with its draft over a reload, and is over when a task of it turns out to exist', async () => {
				await open({ state: { draft: 'Outlive it', task: true, sentAs: VERSION_ID } });
				await chat.snapshot([]);
				await line().waitFor();
				await chat.send({ kind: 'task-made', prompt: 'Something else' });
				assert.equal(await composer().inputValue(), 'Outlive it');
				await chat.send({ kind: 'task-made', prompt: 'Outlive it\n\nwith context' });
				assert.equal(await composer().inputValue(), '');
				assert.equal(await line().count(), 0);
			});

			it('goes along to another conversation with a draft alone, and is not in an encrypted one', async () => {
				await open();
				await SCENES['task-mode']?.(chat);
				await chat.snapshot([], { conversation: VERSION_ID });
				await line().waitFor();
				const encryption = {
					label: 'Encrypted',
					details: [],
					isConnecting: false,
					isRefused: false,
					isKept: true,
					emptyText: '',
				};
				await chat.snapshot([], { conversation: CONVERSATION_ID, encryption });
				assert.equal(await line().count(), 0);
				await chat.snapshot([], { conversation: VERSION_ID });
				await line().waitFor();
				await composer().fill('');
				await chat.snapshot([], { conversation: CONVERSATION_ID });
				assert.equal(await line().count(), 0);
			});

			it('moves its draft into an editor once the host has it, and says why it has not', async () => {
				await open();
				await SCENES['task-mode']?.(chat);
				const text = await composer().inputValue();
				const button = chat.page.getByRole('button', { name: 'Open in Editor' });
				await button.click();
				assert.equal((await chat.waitForPosted('task-prompt-open')).text, text);
				await chat.fail('task-prompt-open', 'Not now.');
				await chat.page.getByText('Not now.').waitFor();
				assert.equal(await composer().inputValue(), text);
				await button.click();
				await until(
					'it is asked again',
					async () => (await chat.posted()).filter(({ kind }) => kind === 'task-prompt-open').length === 2,
				);
				await chat.answer('task-prompt-open', undefined);
				assert.equal(await composer().inputValue(), '');
			});

			for (const theme of ['dark', 'light', 'highContrast'] as const satisfies ThemeName[]) {
				it(`looks right in ${theme}`, async () => {
					for (const width of [280, 400]) {
						await open({ theme, width });
						await SCENES['task-mode']?.(chat);
						await chat.screenshot(`task-long-${theme}-${width}`);
						await chat.send({ kind: 'task-set', task: USUAL_TASK });
						await chat.screenshot(`task-mode-${theme}-${width}`);
						await SCENES['task-hindered']?.(chat);
						await chat.screenshot(`task-hindered-${theme}-${width}`);
					}
				});
			}
		});

		it('shows what messages ask for, and lets the host choose', async () => {
			await open();
			await chat.snapshot([]);
			const choice = chat.page.getByRole('button', { name: /^Choose Chat, Agent, Search, Image or Task/ });
			assert.match((await choice.innerText()).trim(), /Chat/);
			await choice.click();
			await chat.page.getByRole('option', { name: /^Search/ }).click();
			assert.equal((await chat.waitForPosted('mode-choose')).mode, 'search');
			await chat.send({ kind: 'mode-set', mode: 'search' });
			assert.match((await choice.innerText()).trim(), /Search/);
			await chat.page.getByPlaceholder('Search the web, or / for more…').waitFor();
		});

		describe('has a list above it, which', () => {
			const choice = () => chat.page.getByRole('button', { name: /^Choose Chat, Agent, Search, Image or Task/ });
			const list = () => chat.page.getByRole('listbox', { name: 'Messages in This Conversation' });
			const hasFocus = (part: Locator) => part.evaluate(element => element.matches(':focus'));
			beforeEach(async () => {
				await open();
				await chat.snapshot([]);
				await chat.send({
					kind: 'connection-set',
					connection: { label: 'Local', model: 'demo-small', refusedModes: { image: 'No model makes images.' } },
				});
				await choice().focus();
				await chat.page.keyboard.press('Enter');
				await list().waitFor();
			});

			it('takes the keyboard, and a letter or an arrow finds a row', async () => {
				assert.ok(await hasFocus(list()));
				assert.equal(await choice().getAttribute('aria-expanded'), 'true');
				await chat.page.keyboard.press('s');
				await chat.page.keyboard.press('Enter');
				assert.equal((await chat.waitForPosted('mode-choose')).mode, 'search');
				assert.ok(await hasFocus(composer()));
			});

			it('makes the message the prompt of a task, or a message of the conversation again', async () => {
				await chat.page.keyboard.press('t');
				await chat.page.keyboard.press('Enter');
				assert.equal((await chat.waitForPosted('task-follow')).isShown, true);
				await choice().click();
				await chat.page.getByRole('option', { name: /^Chat/ }).click();
				assert.equal((await chat.waitForPosted('mode-choose')).mode, 'chat');
				await chat.page.getByPlaceholder('Ask, or / for more…').waitFor();
			});

			it('says why a row cannot be chosen, and does not take it', async () => {
				await chat.page.getByRole('option', { name: /No model makes images/ }).click({ force: true });
				await chat.page.keyboard.press('i');
				await chat.page.keyboard.press('Enter');
				assert.ok(await list().isVisible());
			});

			it('is closed by Escape, which gives the keyboard back to its button, and by a second press', async () => {
				await chat.page.keyboard.press('Escape');
				await list().waitFor({ state: 'detached' });
				assert.ok(await hasFocus(choice()));
				await choice().click();
				await list().waitFor();
				await choice().click();
				await list().waitFor({ state: 'detached' });
			});

			it('is closed when the message is written on', async () => {
				await composer().click();
				await list().waitFor({ state: 'detached' });
			});
		});

		it('offers the models at hand and the list of all, and says why where they cannot be had', async () => {
			await open();
			await chat.snapshot([]);
			const choice = chat.page.getByRole('button', { name: /^Select Model/ });
			const models = [
				{ id: 'demo-small', name: 'Small', detail: '32K context', isCurrent: true },
				{ id: 'large', name: 'Large', isCurrent: false },
			];
			await choice.click();
			await chat.answer('models-request', models);
			await chat.page.getByRole('option', { name: /^Large/ }).click();
			assert.equal((await chat.waitForPosted('model-use')).model, 'large');
			await choice.click();
			await chat.answer('models-request', models);
			await chat.page.getByRole('option', { name: 'All Models and Options…' }).click();
			await chat.waitForPosted('model-choose');
			await choice.click();
			await chat.fail('models-request', 'The settings cannot be read.');
			await chat.page.getByRole('alert').getByText('The settings cannot be read.').waitFor();
		});
	});
});
