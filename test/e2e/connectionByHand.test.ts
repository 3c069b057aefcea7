import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Frame, Locator, Page } from 'playwright-core';
import { ContractServer, type ReceivedRequest } from '../support/contractServer/contractServer.ts';
import { chatReply, imageModel, keys, openModel } from '../support/contractServer/fixtures.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	appears,
	dismissInput,
	pickItem,
	pickThrough,
	runCommand,
	screenshot,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, isStreaming, openChat, replyEnds, runInChat, sendMessage, writePrompt } from '../support/errandWindow.ts';

const NAME = 'byhand';

describe('a connection that is made with the flow alone, in the window', function () {
	this.timeout(180_000);
	let service: ContractServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		service = await ContractServer.start();
		server = await startEditor();
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await service?.stop();
	});

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
		await runCommand(page, 'Errand: Add Connection…');
		await isAt('Add Connection (1/3)');
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
		await runCommand(page, 'Errand: Add Connection…');
		await isAt('Add Connection (1/3)');
		await typeAndEnter(NAME, 'new connection');
		await isAt(`Address of ${NAME} (2/3)`);
		await typeAndEnter(service.hosts.public, 'It answers and wants a key.');
		await isAt(`Key of ${NAME} (3/3)`);
		await answerInput(page, keys.inference);
		await toast(page, `The connection “${NAME}” was added.`).getByRole('button', { name: 'Switch to It' }).click();
		await until('it is in use', async () => server.settings()['errand.connection'] === NAME);
		await frame.getByRole('button', { name: /^Select Model/ }).click();
		await input().fill(openModel.id);
		await row(openModel.id).first().waitFor();
		await page.keyboard.press('Enter');
		await frame.getByRole('button', { name: new RegExp(`^Select Model: .*${openModel.id}`) }).waitFor();
		await ask(frame, 'text');
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
		assert.equal(lastChat().model, openModel.id);
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
		if (await appears(choose, 5_000)) {
			await choose.click();
			await pickItem(page, 'Image Model…');
			await answerInput(page, imageModel.id);
			await ask(frame, '/image a lighthouse');
		}
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
		await page.keyboard.press('ControlOrMeta+Enter');
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
		await pickItem(page, 'Start Task');
		const created = () => asked('cloud').filter(({ path }) => path === '/api/tasks');
		await until('the task is sent', async () => created().length > 0);
		assert.equal((created()[0]?.json as { prompt: string } | undefined)?.prompt, 'Paint the buoys');
	});
});
