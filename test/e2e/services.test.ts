import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import {
	type Certificate,
	type CertificateAuthority,
	makeAuthority,
	makeCertificate,
} from '../support/certificates.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { chatReply, connectionFields, keys, openModel } from '../support/contractServer/fixtures.ts';
import { type EditorServer, reloadWindow } from '../support/editor.ts';
import {
	answerInput,
	appears,
	changeSettings,
	dismissInput,
	openView,
	pickItem,
	runCommand,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	composerHasCursor,
	lastTurnText,
	openChat,
	openModels,
	replyEnds,
	runInChat,
	sendMessage,
	taskRow,
	turns,
} from '../support/errandWindow.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from '../support/faultServer.ts';
import { filesWith } from '../support/filesWith.ts';
import { ForeignServer } from '../support/foreignServer.ts';
import { ProxyServer } from '../support/proxyServer.ts';
import { useWindow } from '../support/useWindow.ts';

const SERVER_KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';
const WRONG_KEY = 'sk-wrong-0123456789';
const FOUND_MODEL = 'found-model';
const QUESTION = 'Found Ollama on this machine';
const NAME = 'byhand';

/** Resolved by the proxy alone, so that what arrives has come through it. */
const HOST = 'service.invalid';
/** An address of the same host that is not the connection's. */
const IMAGE_TUNNEL = `${HOST}:8443`;
const WALLED_KEYS = { inference: 'sk-0123456789abcdefINFERENCE', cloud: 'tok-0123456789abcdefCLOUD' };
const WALLED_REPLY = 'through the wall';
const PASSWORD = 'p@ss: word%';
const TASK = { id: 'task-1', prompt: 'Mend the gate', repoUrl: 'https://example.com/a/b', status: 'processing' };

/** A server whose models nobody sees without its key. */
function startKeyedServer(): Promise<FaultServer> {
	return FaultServer.start((response, { path, headers }) => {
		if (headers.authorization !== `Bearer ${SERVER_KEY}`) {
			sendJson(response, 401, { error: { message: 'Incorrect API key provided.' } });
		} else if (path === '/v1/models') {
			sendJson(response, 200, { data: [{ id: 'private-small' }, { id: 'private-large' }] });
		} else {
			const piece = (delta: object, finish: string | null) =>
				sseEvent({ choices: [{ index: 0, delta, finish_reason: finish }] });
			sendEvents(response, piece({ content: 'Answered in private.' }, null), piece({}, 'stop'), sseEvent('[DONE]'));
		}
	});
}

/** A service behind a proxy, with the requests that have reached it. */
class WalledService {
	/** The proxy connects to these ports by the name of the host. */
	readonly ports = new Map<string, number>();
	readonly arrived: { path: string; headers: IncomingHttpHeaders }[] = [];
	reply = WALLED_REPLY;
	private server: https.Server | undefined;

	/** It shows this certificate from now on; connections that were made before are gone. */
	async serveWith(certificate: Certificate): Promise<void> {
		this.stop();
		this.server = https.createServer(certificate, ({ url = '', headers }, response) => {
			this.arrived.push({ path: url, headers });
			if (url.endsWith('/chat/completions')) {
				const choice = { delta: { content: this.reply }, finish_reason: 'stop' };
				sendEvents(response, sseEvent({ choices: [choice] }), sseEvent('[DONE]'));
			} else if (url === '/fence.png') {
				response.end(demoImage('a fence'));
			} else {
				sendJson(response, 200, { tasks: [{ ...TASK, createdAt: new Date().toISOString() }], hasMore: false });
			}
		});
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		this.ports.set(HOST, (this.server.address() as AddressInfo).port);
	}

	stop(): void {
		this.server?.close();
		this.server?.closeAllConnections();
	}
}

describe('services and their keys, in the window', () => {
	let scratch: string;
	let ollama: ForeignServer;
	let keyed: FaultServer;
	let service: ContractServer;
	let authority: CertificateAuthority;
	let walled: WalledService;
	let proxy: ProxyServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	const window = useWindow(async () => {
		scratch = fs.mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-services-'));
		ollama = await ForeignServer.start({ model: FOUND_MODEL });
		keyed = await startKeyedServer();
		service = await ContractServer.start();
		authority = makeAuthority('Acme Private Authority');
		const authorityFile = path.join(scratch, 'authority.pem');
		fs.writeFileSync(authorityFile, authority.cert);
		walled = new WalledService();
		await walled.serveWith(makeCertificate({ hosts: [HOST], issuer: authority }));
		proxy = await ProxyServer.start({ hosts: walled.ports });
		const address = `https://${HOST}`;
		return {
			settings: {
				'errand.connections': {
					quillon: { label: 'Quillon', ...connectionFields(service) },
					walled: { label: 'Acme', apiUrl: address, cloudUrl: address, service: 'acme', models: [{ id: 'large' }] },
				},
			},
			env: {
				OLLAMA_HOST: `127.0.0.1:${ollama.port}`,
				// This stands for the system's own store, which an editor on Linux reads through this variable.
				SSL_CERT_FILE: authorityFile,
			},
		};
	});

	before(async () => {
		({ server, page } = window());
		frame = await openChat(page);
	});

	after(async () => {
		walled?.stop();
		await Promise.all([ollama, keyed, service, proxy].map(started => started?.stop()));
		fs.rmSync(scratch, { recursive: true, force: true });
	});

	const widget = () => page.locator('.quick-input-widget:visible');
	const input = () => widget().locator('.quick-input-box input');
	const row = (text: string | RegExp): Locator => widget().locator('.monaco-list-row').filter({ hasText: text });
	const isAt = (title: string) => widget().locator('.quick-input-title').getByText(title, { exact: true }).waitFor();
	const composer = () => frame.locator('chat-composer textarea');
	const addButton = () => frame.getByRole('button', { name: 'Add Service…' });
	const taskView = () => page.locator('.part.sidebar');
	const chats = () => service.received.filter(({ path }) => path.endsWith('/chat/completions'));
	/** The chat names the connection once the extension knows of the setting. */
	const chatIsOn = (label: string) =>
		frame.getByRole('button', { name: new RegExp(`^Select Model: .* on ${label}$`) }).waitFor();

	/** The question for a key of this kind is open: it hides what is typed and says where that goes. */
	async function keyIsAsked(title: string, origin: string): Promise<void> {
		await widget().getByText(title).first().waitFor();
		await widget().getByText(origin).first().waitFor();
		assert.equal(await input().getAttribute('type'), 'password');
	}

	/** Opens the list of models and waits for a row, which need not be in sight before these words are typed. */
	async function findModel(words: string): Promise<Locator> {
		await openModels(frame);
		await input().fill(words);
		await row(words).first().waitFor();
		return row(words).first();
	}

	it('asks once about a model server that was found, by its address and user, and leaves the keyboard where it is', async () => {
		// The question lies over the composer, as notifications do, so that no pointer reaches it.
		await composer().focus();
		const question = toast(page, QUESTION);
		await question.waitFor();
		const text = await question.innerText();
		assert.match(text, new RegExp(`at 127\\.0\\.0\\.1:${ollama.port}\\.`));
		assert.match(
			text,
			process.platform === 'linux'
				? new RegExp(`It runs as you, ${os.userInfo().username}\\.`)
				: /The system doesn’t report which user it runs as/,
		);
		await composerHasCursor(frame);
		await page.keyboard.insertText('Who are you?');
		assert.equal(await composer().inputValue(), 'Who are you?');
		await question.getByRole('button', { name: 'Don’t Use' }).click();
		await question.waitFor({ state: 'hidden' });
		assert.deepEqual(ollama.chats, []);
	});

	it('adds a service from the empty chat of the demo, whose model then answers the message that was waiting', async () => {
		assert.match(await frame.locator('.empty').innerText(), /No model is set up yet\. Until then, a built-in demo/);
		await addButton().click();
		await isAt('Add Service');
		await input().fill(keyed.origin);
		await row('Another Address…').click();
		await row('requires a key').waitFor();
		await page.keyboard.press('Enter');
		await isAt(`Key of ${new URL(keyed.origin).host}`);
		assert.equal(await input().getAttribute('type'), 'password');
		await input().fill(WRONG_KEY);
		await page.keyboard.press('Enter');
		await widget().getByText('rejected the key').waitFor();
		await input().fill(SERVER_KEY);
		await page.keyboard.press('Enter');
		await row('private-large').click();
		await until('the message is sent', async () => (await turns(frame).count()) === 1);
		assert.equal(await replyEnds(frame), 'Answered in private.');
		assert.match(await lastTurnText(frame), /Who are you\?[\s\S]*private-large/);
		assert.equal(await composer().inputValue(), '');
		assert.equal(await addButton().count(), 0);
		assert.equal(server.settings()['errand.chat.model'], 'private-large');
	});

	it('uses a found model server after a yes alone, which the list of models asks for again, and asks for neither yes nor key after a reload', async () => {
		await (await findModel('Not used, as you selected')).click();
		await toast(page, QUESTION).getByRole('button', { name: 'Use', exact: true }).click();
		await until('its model is listed', async () => {
			await openModels(frame);
			await input().fill(FOUND_MODEL);
			const isListed = await appears(row(FOUND_MODEL).first(), 3_000);
			await (isListed ? row(FOUND_MODEL).first().click() : dismissInput(page));
			return isListed;
		});
		await ask(frame, 'Hello');
		assert.match(await replyEnds(frame), /from elsewhere/);
		await reloadWindow(page);
		frame = await openChat(page);
		await findModel(FOUND_MODEL);
		await dismissInput(page);
		await (await findModel('private-small')).click();
		await ask(frame, 'Do you know me?');
		assert.equal(await replyEnds(frame), 'Answered in private.');
		assert.equal(await toast(page, QUESTION).count(), 0);
	});

	it('keeps a message that finds no key, with the way to the keys beside the reason, and sends it once there is one', async () => {
		await changeSettings(page, server, { 'errand.chat.model': '' });
		await runInChat(page, frame, 'Errand: New Conversation');
		await runCommand(page, 'Errand: Switch or Add Connection…');
		await row('Quillon').filter({ hasText: 'no key yet' }).click();
		const offer = toast(page, 'Now using Quillon. Chat requires its inference key.');
		await offer.getByRole('button', { name: 'Add Key' }).waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await chatIsOn('Quillon');

		await sendMessage(frame, 'text');
		await keyIsAsked('Inference key of Quillon', service.hosts.public);
		await dismissInput(page);
		await toast(page, 'Nothing was sent: Quillon requires a key for this (Inference key)').waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await frame.getByText('Not sent: Quillon has no key yet.').waitFor();
		assert.equal(await composer().inputValue(), 'text');
		assert.deepEqual([await turns(frame).count(), chats().length], [0, 0]);
		await composer().press('Shift+Tab');
		await frame.locator('chat-composer .hint button:focus').waitFor();
		await page.keyboard.press('Enter');
		await widget().getByText('Keys of Quillon').waitFor();
		await page.keyboard.press('Escape');
		await composerHasCursor(frame);

		await composer().press('Enter');
		await keyIsAsked('Inference key of Quillon', service.hosts.public);
		await answerInput(page, keys.inference);
		await until('the message is a turn', async () => (await turns(frame).count()) === 1);
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
		assert.equal(await composer().inputValue(), '');
	});

	it('shows the task view without a key and asks for none by itself, and lists the tasks once there is one', async () => {
		const asked = () => service.received.filter(({ host }) => host === 'cloud').length;
		await openView(page, 'Errand');
		await taskView().getByText('Tasks on this connection require a cloud key.').waitFor();
		await runCommand(page, 'Errand: Refresh Tasks');
		await taskView().getByText('Tasks on this connection require a cloud key.').waitFor();
		assert.deepEqual([await input().count(), asked()], [0, 0]);
		await runCommand(page, 'Errand: Open Task Log');
		await keyIsAsked('Cloud token of Quillon', service.hosts.cloud);
		await answerInput(page, keys.cloud);
		await row('Add the tide table to the harbour page').first().waitFor();
		await dismissInput(page);
		await taskView().locator('.monaco-list-row').filter({ hasText: 'Active (7)' }).waitFor();
	});

	it('makes a connection of an address and a key, which answers by the chosen provider', async () => {
		await runCommand(page, 'Errand: Add Service…');
		await isAt('Add Service');
		await input().fill(service.hosts.public);
		await row('Another Address…').click();
		await isAt('Address of the Service');
		await row('It responds and requires a key.').waitFor();
		await page.keyboard.press('Enter');
		await isAt(`Key of ${new URL(service.hosts.public).host}`);
		await input().fill(keys.inference);
		await page.keyboard.press('Enter');
		await isAt('Name of the Connection');
		await answerInput(page, NAME);
		await isAt(`Connection ${NAME}`);
		await pickItem(page, 'Switch to It');
		await until('it is in use', async () => server.settings()['errand.connection'] === NAME);
		await chatIsOn(NAME);
		await (await findModel(openModel.id)).click();
		await frame.getByRole('button', { name: new RegExp(`^Select Model: .*${openModel.id}`) }).waitFor();
		const [{ provider } = { provider: '' }] = openModel.hostings;
		await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
		await pickItem(page, 'Only these');
		await answerInput(page, provider);
		await frame.getByRole('button', { name: 'Select Routing Policy: Only these' }).waitFor();
		await ask(frame, 'text');
		assert.match(await replyEnds(frame), new RegExp(`^${chatReply.pieces[0]}`));
		await turns(frame).last().getByText(`via ${provider}`).first().waitFor();
		const sent = chats().at(-1)?.json as { model: string; provider: unknown } | undefined;
		assert.deepEqual([sent?.model, sent?.provider], [openModel.id, { only: [provider] }]);
	});

	/** All that the proxy was told is where to, and what went through it could not be read. */
	function assertProxySawNoKey(): void {
		const asked = new Set(proxy.requests.map(({ method, target }) => `${method} ${target}`));
		asked.delete(`CONNECT ${IMAGE_TUNNEL}`);
		assert.deepEqual([...asked], [`CONNECT ${HOST}:443`]);
		for (const key of Object.values(WALLED_KEYS)) {
			assert.equal(proxy.bytes.includes(key), false);
		}
	}

	/** Asks in the chat; what follows, the reply or an explanation, holds this text. */
	async function chatShows(text: string): Promise<void> {
		await ask(frame, 'hello');
		await turns(frame).last().getByText(text).waitFor();
	}

	it('reaches a service through http.proxy for chat, tasks and images, and trusts an authority of the system’s store', async () => {
		await runInChat(page, frame, 'Errand: New Conversation');
		await changeSettings(page, server, { 'errand.connection': 'walled', 'http.proxy': proxy.url() });
		await chatIsOn('Acme');
		await sendMessage(frame, 'hello');
		await keyIsAsked('Inference key of Acme', HOST);
		await answerInput(page, WALLED_KEYS.inference);
		await turns(frame).last().getByText(WALLED_REPLY).waitFor();
		await runCommand(page, 'Errand: Open Task Log');
		await keyIsAsked('Cloud token of Acme', HOST);
		await answerInput(page, WALLED_KEYS.cloud);
		await row(TASK.prompt).first().waitFor();
		await dismissInput(page);
		await taskRow(page, TASK.prompt).first().waitFor();
		walled.reply = `![a fence](https://${IMAGE_TUNNEL}/fence.png)`;
		await ask(frame, 'Show me');
		await turns(frame).last().getByRole('link', { name: 'Image: a fence (Load Image)' }).click();
		await turns(frame).last().getByRole('img', { name: 'Image: a fence' }).waitFor();
		walled.reply = WALLED_REPLY;
		const arrived = (start: string) => walled.arrived.find(request => request.path.startsWith(start))?.headers;
		assert.equal(arrived('/chat/completions')?.authorization, `Bearer ${WALLED_KEYS.inference}`);
		assert.equal(arrived('/api/tasks')?.authorization, `Bearer ${WALLED_KEYS.cloud}`);
		assert.deepEqual([arrived('/fence.png')?.authorization, arrived('/fence.png')?.cookie], [undefined, undefined]);
		assertProxySawNoKey();
	});

	it('says in the chat, in the task view and in a notification what a certificate or a proxy keeps from the service', async () => {
		await walled.serveWith(makeCertificate({ hosts: [HOST], issuer: authority, days: { from: -9, to: -1 } }));
		const before = walled.arrived.length;
		await chatShows('has expired. Nothing was sent.');
		await runCommand(page, 'Errand: Stop Task…');
		await pickItem(page, TASK.prompt);
		await toast(page, 'The certificate of Acme has expired').waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await runCommand(page, 'Errand: Refresh Tasks');
		await taskView().getByText('The certificate of Acme has expired').first().waitFor();
		assert.equal(walled.arrived.length, before);

		await walled.serveWith(makeCertificate({ hosts: [HOST], issuer: authority }));
		proxy.credentials = `me:${PASSWORD}`;
		await chatShows('The proxy requires a user name and password');
		await changeSettings(page, server, { 'http.proxy': proxy.url({ user: 'me', password: PASSWORD }) });
		await chatShows(WALLED_REPLY);
		assert.equal(proxy.requests.at(-1)?.credentials, `me:${PASSWORD}`);
		assert.equal(walled.arrived.at(-1)?.headers['proxy-authorization'], undefined);
		assertProxySawNoKey();
	});

	it('has left no key in a file, a log or a message of the editor, and shows none', async () => {
		assert.ok(filesWith(server.dataFolder, 'Errand').some(file => file.endsWith('Errand.log')));
		const used = [keys.inference, keys.cloud, SERVER_KEY, WRONG_KEY, ...Object.values(WALLED_KEYS)];
		const ofExtension = path.join(server.dataFolder, 'extensions');
		assert.deepEqual(
			filesWith(server.dataFolder, ...used).filter(file => !file.startsWith(ofExtension)),
			[],
		);
		for (const key of used) {
			assert.ok(!server.output().includes(key));
			assert.ok(!window().messages.some(({ text }) => text.includes(key)));
			assert.equal(await page.getByText(key).count(), 0);
		}
	});
});
