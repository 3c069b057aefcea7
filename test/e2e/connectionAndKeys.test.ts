import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Locator, Page } from 'playwright-core';
import { ContractServer, type ReceivedRequest } from '../support/contractServer/contractServer.ts';
import { chatReply, imageModel, keys, openModel } from '../support/contractServer/fixtures.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	answerWrongly,
	changeSettings,
	dialog,
	dismissInput,
	openUntitledFile,
	pickItem,
	pickThrough,
	runCommand,
	screenshot,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	confirmTask,
	isStreaming,
	leavePrompt,
	openChat,
	openModels,
	openPromptEditor,
	replyEnds,
	runFromConnections,
	runInChat,
	sendMessage,
	turns,
	writePrompt,
} from '../support/errandWindow.ts';
import { filesWith } from '../support/filesWith.ts';

const NAME = 'byhand';
const WRONG_KEY = 'sk-wrong-0123456789';
const KEY_OF_ACME = 'sk-0123456789abcdefWXYZ';

describe('a connection and its keys, in the window', () => {
	let server: EditorServer;
	let page: Page;

	before(async () => {
		server = await startEditor();
		({ page } = await openWindow(server));
	});

	after(() => server?.stop());

	describe('that is made with the flow alone', () => {
		let service: ContractServer;
		let frame: Frame;

		before(async () => {
			service = await ContractServer.start();
			frame = await openChat(page);
		});

		after(() => service?.stop());

		const widget = () => page.locator('.quick-input-widget:visible');
		const input = () => widget().locator('.quick-input-box input');
		const row = (text: string | RegExp): Locator => widget().locator('.monaco-list-row').filter({ hasText: text });
		const isAt = (title: string) => widget().locator('.quick-input-title').getByText(title).waitFor();
		const connection = () =>
			(server.settings()['errand.connections'] as Record<string, Record<string, unknown>> | undefined)?.[NAME];
		const asked = (host: string): ReceivedRequest[] =>
			service.received.filter(({ method, host: at }) => method === 'POST' && at === host);
		const lastChat = () => asked('public').at(-1)?.json as { model: string; provider?: unknown };

		/** Types a text into a list and takes its first row with Enter. */
		async function typeAndEnter(text: string, shown: string | RegExp): Promise<void> {
			await input().fill(text);
			await row(shown).first().waitFor();
			await page.keyboard.press('Enter');
		}

		/** Opens the list of what the connection has, and leads to one of its fields. */
		async function openField(field: string, title: string): Promise<void> {
			await runFromConnections(page, 'Change a Connection…');
			await isAt('Change a Connection');
			await row(new RegExp(`^${NAME}`))
				.first()
				.click();
			await isAt(`Connection ${NAME}`);
			await input().fill(field);
			await row(field).first().waitFor();
			await page.keyboard.press('Enter');
			await isAt(title);
		}

		/** Closes the list of what the connection has, which comes back some time after a field is kept. */
		async function leaveFields(): Promise<void> {
			await isAt(`Connection ${NAME}`);
			await dismissInput(page);
		}

		it('answers', async () => {
			await runCommand(page, 'Errand: Add Service…');
			await isAt('Add Service');
			await input().fill(service.hosts.public);
			await row('Another Address…').click();
			await isAt('Address of the Service');
			await row('It answers and wants a key.').waitFor();
			await page.keyboard.press('Enter');
			await isAt(`Key of ${new URL(service.hosts.public).host}`);
			assert.equal(await input().getAttribute('type'), 'password');
			await widget().getByText(`sent to ${service.hosts.public} only`).waitFor();
			await input().fill(WRONG_KEY);
			await page.keyboard.press('Enter');
			await widget().getByText('refuses the key').waitFor();
			await screenshot(page, 'by-hand-wrong-key');
			assert.equal(connection(), undefined);
			await input().fill(keys.inference);
			await page.keyboard.press('Enter');
			await isAt('Add Connection');
			await pickItem(page, 'Name');
			await answerInput(page, NAME);
			await row('Name').filter({ hasText: NAME }).waitFor();
			await screenshot(page, 'add-connection');
			await pickItem(page, 'Add and Switch to It');
			await until('it is in use', async () => server.settings()['errand.connection'] === NAME);
			// The chat names the connection once the extension knows of the setting.
			await frame.getByRole('button', { name: new RegExp(`^Select Model: .* on ${NAME}$`) }).waitFor();
			await openModels(frame);
			await input().fill(openModel.id);
			await row(openModel.id).first().waitFor();
			await page.keyboard.press('Enter');
			await frame.getByRole('button', { name: new RegExp(`^Select Model: .*${openModel.id}`) }).waitFor();
			await ask(frame, 'text');
			assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
			assert.equal(lastChat().model, openModel.id);
		});

		it('answers after a reload of the window, without being asked for its key again', async () => {
			await reloadWindow(page);
			frame = await openChat(page);
			await until('the conversation is back', async () => (await turns(frame).count()) === 1);
			await ask(frame, 'text');
			assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
			assert.deepEqual(filesWith(server.dataFolder, keys.inference, WRONG_KEY), []);
		});

		it('searches', async () => {
			await ask(frame, '/search text');
			await replyEnds(frame);
			await frame.locator('.turns > *').last().getByText('Sources').first().waitFor();
			assert.match(lastChat().model, /search/);
			await screenshot(page, 'by-hand-search');
		});

		it('makes an image', async () => {
			await sendMessage(frame, '/image a lighthouse');
			const choose = frame.getByRole('button', { name: 'Choose Model' }).first();
			await choose.click();
			await pickItem(page, 'Image Model…');
			await answerInput(page, imageModel.id);
			await ask(frame, '/image a lighthouse');
			await until('the image is asked for', async () => lastChat().model === imageModel.id);
			await until('the reply ends', async () => !(await isStreaming(frame)));
			await screenshot(page, 'by-hand-image');
		});

		it('is routed', async () => {
			const [{ provider } = { provider: '' }] = openModel.hostings;
			await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
			await pickItem(page, 'Only these');
			await answerInput(page, provider);
			await frame.getByRole('button', { name: 'Select Routing Policy: Only these' }).waitFor();
			await ask(frame, 'text');
			await replyEnds(frame);
			assert.deepEqual(lastChat().provider, { only: [provider] });
			await frame.locator('.turns > *').last().getByText(`via ${provider}`).first().waitFor();
			await screenshot(page, 'by-hand-routed');
		});

		it('is encrypted', async () => {
			await openField('Shared host of the encrypted channel', `Shared host of the encrypted channel of ${NAME}`);
			await typeAndEnter(service.hosts.encrypt, /It answers/);
			await until('the host is kept', async () => connection()?.['encryptUrl'] === service.hosts.encrypt);
			await leaveFields();
			await runInChat(page, frame, 'Errand: New Encrypted Conversation…', 'Keep the Conversation');
			await frame.locator('button.encryption').waitFor();
			await ask(frame, 'text');
			await frame.getByRole('button', { name: 'Manage Keys' }).click();
			// The key was saved before the connection had this host, so nothing was sent there.
			assert.equal(asked('encrypt').length, 0);
			await pickItem(page, 'Inference key');
			await screenshot(page, 'by-hand-keys');
			await pickItem(page, 'Confirm');
			await dismissInput(page);
			await frame.getByRole('button', { name: 'Retry' }).click();
			assert.notEqual(await replyEnds(frame), '');
			assert.ok(asked('encrypt').length > 0);
			await screenshot(page, 'by-hand-encrypted');
		});

		it('takes a task', async () => {
			await openField('Host of cloud tasks', `Host of cloud tasks and look-ups of ${NAME}`);
			await typeAndEnter(service.hosts.cloud, 'It answers and wants a key.');
			await until('the host is kept', async () => connection()?.['cloudUrl'] === service.hosts.cloud);
			await leaveFields();
			const address = 'https://forge.example/harbour-crew/harbour.git';
			execFileSync('git', ['-C', server.folder, 'remote', 'set-url', 'origin', address]);
			await writePrompt(page, 'Paint the buoys');
			await page.keyboard.press('Enter');
			await widget().getByText(`Cloud token of ${NAME}`).waitFor();
			await answerInput(page, keys.cloud);
			await row('Agent').first().waitFor();
			await screenshot(page, 'by-hand-preflight');
			await pickThrough(page, 'Agent', 'Start Task: Agent');
			await answerInput(page, 'mason');
			await isAt('Start Task: Model');
			await answerInput(page, 'mason-large');
			await screenshot(page, 'by-hand-agent');
			await row('Start Task').filter({ hasText: 'mason' }).waitFor();
			const created = () => asked('cloud').filter(({ path }) => path === '/api/tasks');
			await confirmTask(page, () => created().length > 0);
			assert.equal((created()[0]?.json as { prompt: string } | undefined)?.prompt, 'Paint the buoys');
		});
	});

	describe('that wants a key', () => {
		let service: http.Server;
		let seen: { url: string; authorization: string | undefined }[];
		/** The service leaves a check of a key unanswered, for the test to answer. */
		let holdsCheck = false;
		let heldCheck: http.ServerResponse | undefined;

		before(async () => {
			seen = [];
			service = http.createServer((request, response) => {
				seen.push({ url: request.url ?? '', authorization: request.headers.authorization });
				if (holdsCheck && request.url?.endsWith('/models')) {
					heldCheck = response;
					return;
				}
				if (request.headers.authorization !== `Bearer ${KEY_OF_ACME}`) {
					response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":{"message":"no such key"}}');
					return;
				}
				response.writeHead(200, { 'Content-Type': 'text/event-stream' });
				response.end(
					'data: {"choices":[{"delta":{"content":"the key fits"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
				);
			});
			service.listen(0, '127.0.0.1');
			await once(service, 'listening');
			const apiUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
			await changeSettings(page, server, {
				'errand.connection': 'acme',
				'errand.connections': { acme: { label: 'Acme', apiUrl, service: 'acme', models: [{ id: 'large' }] } },
			});
			const frame = await openChat(page);
			await runInChat(page, frame, 'Errand: New Conversation');
			await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		});

		after(() => {
			service.closeAllConnections();
			service.close();
		});

		const requests = () => seen.filter(({ url }) => url.endsWith('/chat/completions'));

		async function setKey(): Promise<void> {
			await runCommand(page, 'Errand: Manage Keys…');
			await pickItem(page, 'Inference key');
			await page.locator('.quick-input-widget:visible').getByText('Inference key of Acme').waitFor();
			await answerInput(page, KEY_OF_ACME);
			await keyIs(/ends in/);
		}

		/** The list says so of the inference key, as soon as the command before is over. */
		async function keyIs(text: RegExp): Promise<void> {
			const row = page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: 'Inference key' });
			await until(`the list says ${text} of the key`, async () => {
				await runCommand(page, 'Errand: Manage Keys…');
				const isSaid = text.test(await row.first().innerText());
				await dismissInput(page);
				return isSaid;
			});
		}

		it('asks for a key where one is missing, refuses what is no key, and sends the message with what is one', async () => {
			const frame = await openChat(page);
			await sendMessage(frame, 'hello');
			await page.getByText('Inference key of Acme').waitFor();
			await screenshot(page, 'key-missing');
			await answerWrongly(page, 'no key');
			await page.getByText('A key has no spaces or special characters. Paste it alone.').waitFor();
			await answerWrongly(page, 'token');
			await page.getByText('This kind of key begins with “sk-”.').waitFor();
			assert.equal(requests().length, 0);
			await answerInput(page, KEY_OF_ACME);
			await until('the message is a turn', async () => (await turns(frame).count()) === 1);
			assert.match(await replyEnds(frame), /the key fits/);
			assert.equal(requests().length, 1);
		});

		it('still has the key after a reload of the window', async () => {
			await reloadWindow(page);
			const frame = await openChat(page);
			await until('the conversation is back', async () => (await turns(frame).count()) === 1);
			await ask(frame, 'once more');
			assert.match(await replyEnds(frame), /the key fits/);
		});

		it('shows its last four characters and nowhere the key', async () => {
			await runCommand(page, 'Errand: Manage Keys…');
			await page.getByText(/set, ends in WXYZ/).waitFor();
			await screenshot(page, 'keys');
			assert.equal(await page.getByText('0123456789abcdef').count(), 0);
			await dismissInput(page);
		});

		it('tells a user who has gone to an editor meanwhile what came of a check, and does not take the keyboard from them', async () => {
			const prompt = await openPromptEditor(page);
			await openUntitledFile(page);
			await prompt.waitFor({ state: 'hidden' });
			holdsCheck = true;
			await runCommand(page, 'Errand: Manage Keys…');
			await pickItem(page, 'Inference key');
			await pickItem(page, 'Check');
			await until('the service is asked', async () => heldCheck !== undefined);
			// The check gives up after thirty seconds, so nothing slower than a click is done meanwhile.
			await page.locator('.tab').filter({ hasText: 'Task Prompt' }).click();
			await prompt.and(page.locator('.focused')).waitFor();
			// Drawn by the extension, which knows by then which editor is in front.
			await prompt.locator('.view-lines [class*="ced-"]').last().waitFor();
			heldCheck?.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":{"message":"expired"}}');
			holdsCheck = false;
			const answer = toast(page, 'Acme refuses the key');
			await answer.getByRole('button', { name: 'Replace' }).waitFor();
			assert.equal(await page.locator('.quick-input-widget:visible').count(), 0);
			await page.keyboard.insertText('goes on');
			await until('the editor has what is typed', async () => /goes\son/.test(await prompt.innerText()));
			await screenshot(page, 'key-checked-elsewhere');
			await runCommand(page, 'Notifications: Clear All Notifications');
		});

		it('does not send it to another address until it is confirmed', async () => {
			const sent = requests().length;
			const elsewhere = `http://localhost:${(service.address() as AddressInfo).port}`;
			const frame = await openChat(page);
			await changeSettings(page, server, {
				'errand.connections': {
					acme: { label: 'Acme', apiUrl: elsewhere, service: 'acme', models: [{ id: 'large' }] },
				},
			});
			await leavePrompt(frame);
			await ask(frame, 'to another host');
			await turns(frame)
				.last()
				.getByText(/addresses of Acme changed/)
				.waitFor();
			assert.equal(requests().length, sent);
			await runCommand(page, 'Errand: Manage Keys…');
			await pickItem(page, 'Inference key');
			await pickItem(page, 'Confirm');
			await keyIs(/Sent to/);
			await ask(frame, 'confirmed');
			assert.match(await replyEnds(frame), /the key fits/);
		});

		it('removes it after a question', async () => {
			await runCommand(page, 'Errand: Manage Keys…');
			await pickItem(page, 'Inference key');
			await pickItem(page, 'Remove…');
			await dialog(page, 'Remove the Inference key of Acme?').getByRole('button', { name: 'Remove' }).click();
			await keyIs(/not set/);
		});

		it('says that the local connection needs none', async () => {
			await setKey();
			await changeSettings(page, server, { 'errand.connection': 'local' });
			await runCommand(page, 'Errand: Manage Keys…');
			await page.getByPlaceholder('The local connection needs no key').waitFor();
		});
	});
});
