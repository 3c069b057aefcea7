import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	answerWrongly,
	dialog,
	dismissInput,
	pickItem,
	runCommand,
	screenshot,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, openChat, openPrompt, replyEnds, sendMessage, turns } from '../support/errandWindow.ts';

const KEY = 'sk-0123456789abcdefWXYZ';

describe('keys in the window', function () {
	this.timeout(120_000);
	let service: http.Server;
	let seen: { url: string; authorization: string | undefined }[];
	/** The service leaves a check of a key unanswered, for the test to answer. */
	let holdsCheck = false;
	let heldCheck: http.ServerResponse | undefined;
	let server: EditorServer;
	let window: EditorWindow;

	before(async () => {
		seen = [];
		service = http.createServer((request, response) => {
			seen.push({ url: request.url ?? '', authorization: request.headers.authorization });
			if (holdsCheck && request.url?.endsWith('/models')) {
				heldCheck = response;
				return;
			}
			if (request.headers.authorization !== `Bearer ${KEY}`) {
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
		server = await startEditor({
			settings: {
				'errand.connection': 'acme',
				'errand.connections': { acme: { label: 'Acme', apiUrl, service: 'acme', models: [{ id: 'large' }] } },
			},
		});
		window = await openWindow(server);
	});

	after(async () => {
		await server?.stop();
		service.closeAllConnections();
		service.close();
	});

	const requests = () => seen.filter(({ url }) => url.endsWith('/chat/completions'));

	async function setKey(): Promise<void> {
		await runCommand(window.page, 'Errand: Manage Keys…');
		await pickItem(window.page, 'Inference key');
		await window.page.locator('.quick-input-widget:visible').getByText('Inference key of Acme').waitFor();
		await answerInput(window.page, KEY);
		await keyIs(/ends in/);
	}

	/** The list says so of the inference key, as soon as the command before is over. */
	async function keyIs(text: RegExp): Promise<void> {
		const row = window.page
			.locator('.quick-input-widget:visible .monaco-list-row')
			.filter({ hasText: 'Inference key' });
		await until(`the list says ${text} of the key`, async () => {
			await runCommand(window.page, 'Errand: Manage Keys…');
			const isSaid = text.test(await row.first().innerText());
			await dismissInput(window.page);
			return isSaid;
		});
	}

	it('asks for a key where one is missing, refuses what is no key, and sends the message with what is one', async () => {
		const frame = await openChat(window.page);
		await sendMessage(frame, 'hello');
		await window.page.getByText('Inference key of Acme').waitFor();
		await screenshot(window.page, 'key-missing');
		await answerWrongly(window.page, 'no key');
		await window.page.getByText('A key has no spaces or special characters. Paste it alone.').waitFor();
		await answerWrongly(window.page, 'token');
		await window.page.getByText('This kind of key begins with “sk-”.').waitFor();
		assert.equal(requests().length, 0);
		await answerInput(window.page, KEY);
		await until('the message is a turn', async () => (await turns(frame).count()) === 1);
		assert.match(await replyEnds(frame), /the key fits/);
		assert.equal(requests().length, 1);
	});

	it('still has the key after a reload of the window', async () => {
		await reloadWindow(window.page);
		const frame = await openChat(window.page);
		await until('the conversation is back', async () => (await turns(frame).count()) === 1);
		await ask(frame, 'once more');
		assert.match(await replyEnds(frame), /the key fits/);
	});

	it('shows its last four characters and nowhere the key', async () => {
		await runCommand(window.page, 'Errand: Manage Keys…');
		await window.page.getByText(/set, ends in WXYZ/).waitFor();
		await screenshot(window.page, 'keys');
		assert.equal(await window.page.getByText('0123456789abcdef').count(), 0);
		await dismissInput(window.page);
	});

	it('tells whoever has gone to an editor meanwhile what came of a check, and takes no keyboard from them', async () => {
		const { page } = window;
		holdsCheck = true;
		await runCommand(page, 'Errand: Manage Keys…');
		await pickItem(page, 'Inference key');
		await pickItem(page, 'Check');
		await until('the service is asked', async () => heldCheck !== undefined);
		const prompt = await openPrompt(page);
		// Drawn by the extension, which knows by then which editor is in front.
		await prompt.locator('.view-lines [class*="ced-"]').first().waitFor();
		heldCheck?.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":{"message":"expired"}}');
		holdsCheck = false;
		const answer = toast(page, 'Acme does not accept the key');
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
		server.changeSettings({
			'errand.connections': { acme: { label: 'Acme', apiUrl: elsewhere, service: 'acme', models: [{ id: 'large' }] } },
		});
		await reloadWindow(window.page);
		const frame = await openChat(window.page);
		await until('the conversation is back', async () => (await turns(frame).count()) === 2);
		await ask(frame, 'to another host');
		await turns(frame)
			.last()
			.getByText(/addresses of Acme changed/)
			.waitFor();
		assert.equal(requests().length, sent);
		await runCommand(window.page, 'Errand: Manage Keys…');
		await pickItem(window.page, 'Inference key');
		await pickItem(window.page, 'Confirm');
		await keyIs(/Sent to/);
		await ask(frame, 'confirmed');
		assert.match(await replyEnds(frame), /the key fits/);
	});

	it('removes it after a question', async () => {
		await runCommand(window.page, 'Errand: Manage Keys…');
		await pickItem(window.page, 'Inference key');
		await pickItem(window.page, 'Remove…');
		await dialog(window.page, 'Remove the Inference key of Acme?').getByRole('button', { name: 'Remove' }).click();
		await keyIs(/not set/);
	});

	it('says that the local connection needs none', async () => {
		await setKey();
		server.changeSettings({ 'errand.connection': 'local' });
		await reloadWindow(window.page);
		await runCommand(window.page, 'Errand: Manage Keys…');
		await window.page.getByText('The local connection needs no key').filter({ visible: true }).first().waitFor();
	});
});
