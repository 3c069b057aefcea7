import assert from 'node:assert/strict';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { chatReply, connectionFields, keys, specialKeys } from '../support/contractServer/fixtures.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	answerWrongly,
	appears,
	dismissInput,
	openView,
	pickItem,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	composerHasCursor,
	leavePrompt,
	openChat,
	replyEnds,
	runFromConnections,
	sendMessage,
	taskLine,
	turns,
	writePrompt,
} from '../support/errandWindow.ts';
import { FaultServer } from '../support/faultServer.ts';
import { filesWith } from '../support/filesWith.ts';

const INVALID_KEY = 'sk-invalid-0123456789';

describe('a remote connection in the window', () => {
	let service: ContractServer;
	let silent: FaultServer;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;

	before(async () => {
		service = await ContractServer.start();
		silent = await FaultServer.start(() => {});
		const dashboardUrl = `${service.hosts.public}/dashboard`;
		const { models: chatModels, ...fields } = connectionFields(service);
		server = await startEditor({
			settings: {
				'errand.connections': {
					quillon: { label: 'Quillon', dashboardUrl, ...fields, models: chatModels },
					broken: { apiUrl: 'http://api.example', service: 'broken' },
					mute: {
						label: '[Mute](command:workbench.action.quit)',
						apiUrl: service.hosts.public,
						agentUrl: silent.origin,
						service: 'quillon',
					},
				},
				'errand.connection': 'gone',
			},
			env: { QUILLON_AGENT_KEY: keys.agent, NO_KEY: 'no key at all' },
		});
		window = await openWindow(server);
		page = window.page;
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), silent?.stop()]);
	});

	const row = (text: string | RegExp): Locator =>
		page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: text });
	const input = (): Locator => page.locator('.quick-input-widget:visible .quick-input-box input');
	const chats = () => service.received.filter(({ path }) => path.endsWith('/chat/completions'));

	/** The question for a key of this kind is open: it hides what is typed and says where that goes. */
	async function keyIsAsked(kind: string, origin: string): Promise<void> {
		const widget = page.locator('.quick-input-widget:visible');
		await widget.getByText(`${kind} of Quillon`).waitFor();
		await widget.getByText(origin).first().waitFor();
		assert.equal(await input().getAttribute('type'), 'password');
	}

	/** Opens the list of a command anew until it has the row: one that is open goes on to show what was known before. */
	async function listShows(command: string, shown: Locator): Promise<void> {
		await until(`${command} shows what is new`, async () => {
			await runCommand(page, command);
			const isShown = await appears(shown, 2_000);
			if (!isShown) {
				await dismissInput(page);
			}
			return isShown;
		});
	}

	async function closeToasts(): Promise<void> {
		await runCommand(page, 'Notifications: Clear All Notifications');
		await until('no message is shown', async () => (await page.locator('.notification-toast').count()) === 0);
	}

	it('is listed with its host and what it lacks, beside the local one, a broken one and one that is gone', async () => {
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('gone').filter({ hasText: 'in use' }).filter({ hasText: 'not in the settings' }).click();
		await row('Anthropic').waitFor();
		await dismissInput(page);
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('Local').click();
		await until('the settings name it', async () => server.settings()['errand.connection'] === 'local');
		// The extension hears of it some time after the file has it.
		await listShows('Errand: Switch or Add Connection…', row('Local').filter({ hasText: 'in use' }));
		assert.equal(await row('gone').count(), 0);
		await row('Quillon').filter({ hasText: service.hosts.public }).filter({ hasText: 'no key yet' }).waitFor();
		await row('broken')
			.filter({ hasText: 'apiUrl must be an https address' })
			.filter({ hasText: 'cannot be used' })
			.waitFor();
		await screenshot(page, 'connections');
		await dismissInput(page);
	});

	it('leads from one that is broken to where it is put right, and stays where it was', async () => {
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('broken').waitFor();
		assert.equal(await row('in the settings').count(), 0);
		await row('broken').click();
		await row('http://api.example').waitFor();
		assert.match((await input().getAttribute('placeholder')) ?? '', /^Cannot be used: apiUrl must be an https address/);
		await screenshot(page, 'connection-broken');
		await dismissInput(page);
		assert.equal(server.settings()['errand.connection'], 'local');
	});

	const report = () => page.locator('.editor-instance .monaco-editor[data-uri^="untitled:"]');

	it('is diagnosed as the one in use: the local one, whose demo streams for free', async () => {
		await runFromConnections(page, 'Diagnose the Connection in Use');
		await report().getByText('Stream of a reply of demo').waitFor();
		await report().getByText('Service on this machine').waitFor();
		await screenshotInThemes(page, 'diagnosis');
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('is diagnosed no longer than the user wants', async () => {
		await runFromConnections(page, 'Change a Connection…');
		await row('mute').click();
		await pickItem(page, 'Diagnose');
		const progress = toast(page, 'Diagnosing [Mute]');
		await progress.waitFor();
		assert.equal(await progress.locator('.notification-list-item-message a').count(), 0);
		await progress.getByRole('button', { name: 'Cancel' }).click();
		await report().getByText('you stopped the diagnosis').first().waitFor();
		await report().getByText('No problem was found, but not everything was checked.').waitFor();
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('is switched to, and offers to take its key', async () => {
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('Quillon').click();
		await toast(page, 'Quillon is in use now. Chat needs its inference key.')
			.getByRole('button', { name: 'Add Key' })
			.waitFor();
		await until('the settings name it', async () => server.settings()['errand.connection'] === 'quillon');
		await screenshot(page, 'connection-switched');
		await closeToasts();
	});

	it('asks for the key with the first message, and keeps the draft when there is none', async () => {
		const frame = await openChat(page);
		await frame.getByText('on Quillon').first().waitFor();
		await sendMessage(frame, 'text');
		await keyIsAsked('Inference key', service.hosts.public);
		await screenshot(page, 'key-asked');
		await dismissInput(page);
		await toast(page, 'Nothing was sent: Quillon needs a key for this (Inference key)').waitFor();
		await frame.getByText('Not sent: Quillon has no key yet.').waitFor();
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), 'text');
		assert.equal(await turns(frame).count(), 0);
		assert.equal(chats().length, 0);
		await screenshot(page, 'key-not-given');
		await closeToasts();
		// The way to it is beside the reason, for the keyboard as well; then Enter sends.
		await frame.locator('chat-composer textarea').press('Shift+Tab');
		await frame.locator('chat-composer .hint button:focus').waitFor();
		await page.keyboard.press('Enter');
		await page.locator('.quick-input-widget:visible').getByText('Keys of Quillon').waitFor();
		await page.keyboard.press('Escape');
		await frame.locator('chat-composer textarea:focus').waitFor();
	});

	it('sends the message by itself when the key was given', async () => {
		const frame = await openChat(page);
		await frame.locator('chat-composer textarea').press('Enter');
		await keyIsAsked('Inference key', service.hosts.public);
		await answerInput(page, keys.inference);
		await until('the message is a turn', async () => (await turns(frame).count()) === 1);
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), '');
		assert.deepEqual(
			chats().map(({ headers }) => headers.authorization),
			[`Bearer ${keys.inference}`],
		);
	});

	it('says that the service accepts the key, and when that was', async () => {
		const inference = row('Inference key').filter({ hasText: `ends in ${keys.inference.slice(-4)}` });
		// The message did not wait for the check.
		await listShows(
			'Errand: Manage Keys…',
			inference.filter({ hasText: '· accepted' }).filter({ hasText: /Saved .+, checked .+\./ }),
		);
		await row('Cloud token').filter({ hasText: 'not set' }).waitFor();
		await screenshot(page, 'keys-remote');
		await dismissInput(page);
	});

	it('shows the tree without a key, and asks for none by itself', async () => {
		const frame = await openChat(page);
		const sideBar = await openView(page, 'Errand');
		await sideBar.getByText('Tasks on this connection need a cloud key.').waitFor();
		await runCommand(page, 'Errand: Refresh Tasks');
		await sideBar.getByText('Tasks on this connection need a cloud key.').waitFor();
		// The extension has begun to refresh before the prompt can be written.
		await sideBar.hover();
		await sideBar.getByRole('button', { name: 'Start Task…' }).first().click();
		await composerHasCursor(frame);
		await taskLine(frame).waitFor();
		assert.equal(await input().count(), 0);
		assert.equal(service.received.filter(({ host }) => host === 'cloud').length, 0);
	});

	it('asks for the cloud token when a task is to be started or followed', async () => {
		const start = async () => {
			await writePrompt(page, 'Mend the harbour page');
			await page.keyboard.press('Enter');
		};
		const run = (command: string) => () => runCommand(page, command);
		for (const wish of [start, run('Errand: Open Task Log')]) {
			await wish();
			await keyIsAsked('Cloud token', service.hosts.cloud);
			await dismissInput(page);
			await toast(page, 'Nothing was sent: Quillon needs a key for this (Cloud token)').waitFor();
			await closeToasts();
		}
		await leavePrompt(await openChat(page));
		assert.equal(service.received.filter(({ host }) => host === 'cloud').length, 0);
	});

	it('goes on to the tasks when the token was given, and lists them', async () => {
		await runCommand(page, 'Errand: Open Task Log');
		await keyIsAsked('Cloud token', service.hosts.cloud);
		await answerInput(page, keys.cloud);
		await row('Add the tide table to the harbour page').first().waitFor();
		await dismissInput(page);
		const sideBar = await openView(page, 'Errand');
		await sideBar.locator('.monaco-list-row').filter({ hasText: 'Active (7)' }).waitFor();
		await screenshot(page, 'tasks-remote');
	});

	it('takes a key out of an environment variable, and shows neither that one nor another', async () => {
		await runCommand(page, 'Errand: Manage Keys…');
		await pickItem(page, 'Import from an environment variable…');
		await pickItem(page, 'Agent key');
		await answerWrongly(page, 'NOT_SET');
		await page.getByText('Where the editor runs its extensions there is no such variable.').waitFor();
		await answerWrongly(page, 'NO_KEY');
		await page.getByText('The variable holds no such key.').waitFor();
		assert.equal(await page.getByText('no key at all').count(), 0);
		await answerInput(page, 'QUILLON_AGENT_KEY');
		await page.getByText('Quillon accepts the key (Agent key).').filter({ visible: true }).first().waitFor();
		assert.equal(await page.getByText(keys.agent).count(), 0);
	});

	it('says at once that a key is refused, and offers to replace it', async () => {
		await runCommand(page, 'Errand: Manage Keys…');
		await pickItem(page, 'Inference key');
		await pickItem(page, 'Replace…');
		await answerInput(page, INVALID_KEY);
		const refusal = toast(page, 'Quillon refuses the key');
		await refusal.waitFor();
		await screenshot(page, 'key-refused');
		await refusal.getByRole('button', { name: 'Replace' }).click();
		await keyIsAsked('Inference key', service.hosts.public);
		await dismissInput(page);
		await runCommand(page, 'Errand: Manage Keys…');
		await row('Inference key').filter({ hasText: '· refused' }).waitFor();
		await screenshotInThemes(page, 'keys-refused', async () => {
			await runCommand(page, 'Errand: Manage Keys…');
			await row('Inference key').filter({ hasText: '· refused' }).waitFor();
		});
		await dismissInput(page);
	});

	it('answers a message with a refused key by a sentence and the way to the keys', async () => {
		const frame = await openChat(page);
		await ask(frame, 'tell me');
		const turn = turns(frame).last();
		await turn.getByText('Quillon refuses the key').waitFor();
		await turn.getByRole('button', { name: 'Change Key…' }).waitFor();
		await screenshot(page, 'chat-key-refused');
	});

	it('says which plan is missing, in the service’s words', async () => {
		await runCommand(page, 'Errand: Manage Keys…');
		await pickItem(page, 'Agent key');
		await pickItem(page, 'Replace…');
		await answerInput(page, specialKeys.agentWithoutPlan);
		await toast(page, 'Please subscribe to the Pro plan to use this API').waitFor();
		assert.equal(await page.getByText('Quillon accepts the key (Agent key).').count(), 0, 'of the key before');
		await screenshot(page, 'key-plan');
		await closeToasts();
	});

	it('checks a key that is set when it is asked to, and shows the answer in the list', async () => {
		service.answer(({ host }) => host === 'cloud', { status: 503, headers: { 'retry-after': '0' } });
		await runCommand(page, 'Errand: Manage Keys…');
		await pickItem(page, 'Cloud token');
		await pickItem(page, 'Check');
		await row('Cloud token').filter({ hasText: '· no answer' }).waitFor();
		await dismissInput(page);
	});

	it('rotates a key: opens the dashboard, keeps the old key until a new one is accepted', async () => {
		const rotate = async () => {
			await runCommand(page, 'Errand: Manage Keys…');
			await pickItem(page, 'Inference key');
			const dashboard = window.context.waitForEvent('page');
			await pickItem(page, 'Rotate…');
			const opened = await dashboard;
			await opened.waitForURL(/\/dashboard$/, { waitUntil: 'commit' });
			// The served editor puts a path of its own in the place of this machine's address.
			assert.match(opened.url(), /\/dashboard$/);
			await opened.close();
			await page.getByText('Make a new key at Quillon and paste it here.').waitFor();
		};
		await rotate();
		await answerWrongly(page, INVALID_KEY);
		await page.getByText('This is the present key. Paste the new one.').waitFor();
		await answerInput(page, `${INVALID_KEY}-too`);
		await toast(page, 'The present key stays. Quillon refuses the key').waitFor();
		await closeToasts();
		await rotate();
		await answerInput(page, keys.inference);
		await toast(page, 'Quillon gets the new key from now on. Delete the old one in its dashboard.').waitFor();
		await closeToasts();
		const frame = await openChat(page);
		await ask(frame, 'text');
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
	});

	// This is a suite of its own, because nested suites run after the tests beside them.
	describe('that was used', () => {
		it('leaves no key in any log or file of the editor, and nothing of it in the window', async () => {
			assert.ok(filesWith(server.dataFolder, 'Errand').some(file => file.endsWith('Errand.log')));
			const all = [...Object.values(keys), INVALID_KEY, specialKeys.agentWithoutPlan];
			const files = filesWith(server.dataFolder, ...all);
			assert.deepEqual(
				files.filter(file => !file.startsWith(path.join(server.dataFolder, 'extensions'))),
				[],
			);
			for (const key of all) {
				assert.ok(!server.output().includes(key));
				assert.ok(!window.messages.some(({ text }) => text.includes(key)));
				assert.equal(await page.getByText(key).count(), 0);
			}
		});
	});
});
