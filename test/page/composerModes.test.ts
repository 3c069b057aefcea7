import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { until } from '../support/editorWindow.ts';
import { agentTurn, ENDED } from '../ui/agentScenes.ts';
import { type ChatPage, CONVERSATION_ID, turnView, useChatPage } from '../ui/chatPage.ts';
import { HINDERED_TASK, NEXT_TASK, PROMPTS, SCENES, USUAL_TASK, VERSION_ID } from '../ui/scenes.ts';
import type { ThemeName } from '../ui/themes.ts';

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	describe('with modes', () => {
		const composer = () => chat.page.locator('chat-composer textarea');
		const option = (name: string) => chat.page.getByRole('option', { name });

		it('offers commands at the start of a message, by keyboard, and says why one cannot be used', async () => {
			await open();
			await SCENES['slash-menu']?.(chat);
			assert.equal(await chat.page.getByRole('option').count(), 13);
			for (const [group, count] of Object.entries({
				Modes: 5,
				Prompts: 3,
				'Commands of the Agent': 1,
				'Prompt Files': 4,
			})) {
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
			const own = chat.page.getByRole('group', { name: 'Commands of the Agent' });
			await own
				.getByRole('option', { name: '/init what to look at' })
				.getByText('Write AGENTS.md · opencode')
				.waitFor();
			await composer().pressSequentially('rev');
			assert.deepEqual(await chat.page.getByRole('option').count(), 1);
			await option('/review [branch]').getByText('Review a change as the team does · .github/prompts').waitFor();
			assert.match((await option('/review').getAttribute('title')) ?? '', /doesn’t run/);
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/review ');
			const note = chat.page
				.getByRole('status')
				.getByText('It contains a command, which is sent as text and doesn’t run.');
			await note.waitFor();
			await composer().pressSequentially('main');
			assert.equal(await note.isVisible(), true);
			// What it names is read when the user wants that, and not before.
			assert.ok((await chat.posted()).every(({ kind }) => kind !== 'completion-take' && kind !== 'message-send'));
			await chat.page.getByRole('button', { name: 'Add 2 Files' }).click();
			assert.equal((await chat.waitForPosted('completion-take')).item, PROMPTS[0]?.files?.item);
			await composer().press('Enter');
			const message = await chat.waitForPosted('message-send');
			assert.equal(message.text, '/review main');
			await chat.send({ kind: 'message-accept', turn: message.turn });
			assert.equal(await note.count(), 0, 'the composer is empty');
		});

		it('keeps the row that is selected when prompts come', async () => {
			await open();
			await chat.snapshot([]);
			await composer().pressSequentially('/');
			await composer().press('ArrowUp');
			const mine = option('My Prompts…');
			assert.equal(await mine.getAttribute('aria-selected'), 'true');
			await chat.answer('prompts-request', PROMPTS);
			await option('/review').waitFor();
			assert.equal(await mine.getAttribute('aria-selected'), 'true');
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
			await option('/task').getByText('Tasks aren’t encrypted').waitFor();
			await composer().press('Enter');
			assert.equal(await composer().inputValue(), '/t');
		});

		describe('of which the task is one,', () => {
			const line = () => chat.page.locator('chat-composer .task');
			const sent = async () => (await chat.posted()).filter(message => message.kind === 'message-send');
			const write = (text: string) => chat.send({ kind: 'draft-write', request: crypto.randomUUID(), text });

			it('tells what the next task uses, each with a press to change it, and offers nothing of the chat', async () => {
				await open({ width: 280 });
				await SCENES['task-mode']?.(chat);
				assert.deepEqual((await chat.posted()).filter(message => message.kind === 'task-follow').at(-1), {
					kind: 'task-follow',
					isShown: true,
				});
				assert.equal(await chat.page.getByRole('button', { name: /^Select (?:Model:|Routing)/ }).count(), 0);
				const top = async (name: RegExp) =>
					(await chat.page.locator('chat-composer').getByRole('button', { name }).boundingBox())?.y;
				assert.equal(await top(/^Send$/), await top(/^Select Chat/), 'one row has room for both');
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
				await line().getByText('isn’t a Git repository').waitFor();
				await line().getByRole('button', { name: 'Initialize Repository' }).click();
				assert.equal((await chat.posted()).findLast(message => message.kind === 'task-choose')?.choice, 'problem');
				await chat.send({ kind: 'task-mode-set', isOn: false });
				await line().waitFor();
				await composer().fill('');
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

			it('has what another place writes behind the draft, once, and nothing of the draft is lost', async () => {
				await open();
				await chat.snapshot([]);
				await write('From a selection');
				await line().waitFor();
				assert.equal(await composer().inputValue(), 'From a selection');
				await write('From a selection');
				assert.equal(await composer().inputValue(), 'From a selection');
				await write('From another');
				assert.equal(await composer().inputValue(), 'From a selection\n\nFrom another');
			});

			it('has what comes while a message is on its way as soon as that has gone, also over a reload', async () => {
				await open();
				await chat.snapshot([]);
				const sendDraft = async (text: string) => {
					await composer().fill(text);
					await composer().press('Enter');
					return (await sent()).at(-1)?.turn ?? '';
				};
				const first = await sendDraft('A question');
				await write('From a selection');
				await write('From another');
				assert.equal(await composer().inputValue(), 'A question');
				await chat.page.getByText('Added text appears here after the message is sent.').waitFor();
				assert.equal((await chat.savedState())?.next, 'From a selection\n\nFrom another');
				await chat.send({ kind: 'message-accept', turn: first });
				assert.equal(await composer().inputValue(), 'From a selection\n\nFrom another');
				await line().waitFor();
				const second = await sendDraft('Fix it');
				await write('And this');
				await chat.send({ kind: 'message-refuse', turn: second, reason: 'Not now.' });
				assert.equal(await composer().inputValue(), 'Fix it\n\nAnd this');
				await chat.page.getByText('Not now.').waitFor();
				await open({ state: { draft: 'Outlive it', next: 'Later', sentAs: VERSION_ID } });
				await chat.snapshot([]);
				assert.equal(await composer().inputValue(), 'Outlive it');
				await chat.send({ kind: 'message-accept', turn: VERSION_ID });
				assert.equal(await composer().inputValue(), 'Later');
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
				const asked = async () => (await chat.posted()).filter(({ kind }) => kind === 'task-prompt-open').length;
				await button.dblclick();
				assert.equal((await chat.waitForPosted('task-prompt-open')).text, text);
				assert.equal(await asked(), 1);
				await chat.fail('task-prompt-open', 'Not now.');
				await chat.page.getByText('Not now.').waitFor();
				assert.equal(await composer().inputValue(), text);
				await button.click();
				await until('it is asked again', async () => (await asked()) === 2);
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
			const choice = chat.page.getByRole('button', { name: /^Select Chat, Agent, Search, Image or Task/ });
			assert.match((await choice.innerText()).trim(), /Chat/);
			await choice.click();
			await chat.page.getByRole('option', { name: /^Search/ }).click();
			assert.equal((await chat.waitForPosted('mode-choose')).mode, 'search');
			await chat.send({ kind: 'mode-set', mode: 'search' });
			assert.match((await choice.innerText()).trim(), /Search/);
			await chat.page.getByPlaceholder('Search the web, or / for more…').waitFor();
		});

		describe('has a list above it, which', () => {
			const choice = () => chat.page.getByRole('button', { name: /^Select Chat, Agent, Search, Image or Task/ });
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

			it('takes Home, End and Space, and is closed when another conversation is shown', async () => {
				const isSelected = (name: RegExp) => chat.page.getByRole('option', { name, selected: true });
				await chat.page.keyboard.press('End');
				await isSelected(/^Task/).waitFor();
				await chat.page.keyboard.press('Home');
				await isSelected(/^Chat/).waitFor();
				await chat.page.keyboard.press('ArrowDown');
				await chat.page.keyboard.press('Space');
				assert.equal((await chat.waitForPosted('mode-choose')).mode, 'agent');
				await choice().click();
				await list().waitFor();
				await chat.snapshot([], { conversation: VERSION_ID });
				assert.equal(await list().count(), 0);
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
			await chat.page.getByRole('option', { name: /^Large/ }).waitFor();
			await choice.click();
			assert.equal(await chat.page.getByRole('listbox').count(), 0);
			const asked = (await chat.posted()).filter(({ kind }) => kind === 'models-request');
			assert.equal(asked.length, 1, 'the press that closes the list asks for nothing');
			await choice.click();
			await chat.answer('models-request', models);
			await chat.page.getByRole('option', { name: /^Large/ }).click();
			const { model, conversation } = await chat.waitForPosted('model-use');
			assert.deepEqual([model, conversation], ['large', CONVERSATION_ID]);
			await choice.click();
			await chat.answer('models-request', models);
			await chat.page.getByRole('option', { name: 'All Models and Options…' }).click();
			await chat.waitForPosted('model-choose');
			await choice.click();
			await chat.fail('models-request', 'The settings cannot be read.');
			await chat.page.getByRole('alert').getByText('The settings cannot be read.').waitFor();
		});

		it('offers the agents beside the mode, with the model', async () => {
			await open();
			await chat.snapshot([agentTurn({}, ENDED)], { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } });
			await chat.page.getByRole('button', { name: 'Select Agent: Errand' }).click();
			await chat.waitForPosted('agent-pick');
			await chat.page.getByRole('button', { name: 'Select Model: demo-small on Local' }).waitFor();
			await chat.send({ kind: 'agent-set', agent: { label: 'Other agent', approvals: 'ask-for-commands' } });
			await chat.page.getByRole('button', { name: 'Select Agent: Other agent' }).waitFor();
			await chat.page.getByRole('button', { name: 'Select What Agents Ask About: Asks before commands' }).click();
			const levels = chat.page.getByRole('listbox', { name: 'What Agents Ask About' });
			assert.equal(
				await levels
					.getByRole('option', { selected: true })
					.innerText()
					.then(words => /Asks before commands/.test(words)),
				true,
			);
			await chat.page.keyboard.press('ArrowUp');
			await chat.page.keyboard.press('Enter');
			assert.equal((await chat.waitForPosted('approvals-choose')).approvals, 'ask');
			await levels.waitFor({ state: 'detached' });
		});
	});
});
