import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Frame, Locator, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	dialog,
	dismissInput,
	resizeChat,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, lastTurnText, openChat, openModels, replyEnds, replyText, turns } from '../support/errandWindow.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from '../support/faultServer.ts';
import { filesWith } from '../support/filesWith.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';

/** A server whose models nobody sees without its key. */
async function startKeyedServer(): Promise<FaultServer> {
	return FaultServer.start((response, { path, headers }) => {
		if (headers.authorization !== `Bearer ${KEY}`) {
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

describe('adding a service, in the window', () => {
	let ollama: UpstreamServer;
	let llama: UpstreamServer;
	let keyed: FaultServer;
	let wrongPath: FaultServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		ollama = await UpstreamServer.start({
			models: [{ id: 'found-model', owned_by: 'library' }],
			shows: { 'found-model': { capabilities: ['completion'] } },
			pieces: ['From', ' Ollama.'],
		});
		llama = await UpstreamServer.start({
			models: [{ id: 'gguf-model', owned_by: 'llamacpp' }],
			pieces: ['From', ' llama.cpp.'],
		});
		keyed = await startKeyedServer();
		wrongPath = await FaultServer.start(response => void response.writeHead(404).end());
		server = await startEditor({
			env: { OLLAMA_HOST: new URL(ollama.origin).host, LLAMA_ARG_PORT: new URL(llama.origin).port },
		});
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});
	after(async () => {
		await server?.stop();
		await Promise.all([ollama?.stop(), llama?.stop(), keyed?.stop(), wrongPath?.stop()]);
	});

	const input = () => page.locator('.quick-input-widget:visible .quick-input-box input');
	const row = (text: string | RegExp): Locator =>
		page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: text });
	const addButton = () => frame.getByRole('button', { name: 'Add Service…' });
	const isAt = (title: string) =>
		page.locator('.quick-input-widget:visible .quick-input-title').getByText(title, { exact: true }).waitFor();
	const machineSettings = (): Record<string, unknown> =>
		JSON.parse(fs.readFileSync(path.join(server.dataFolder, 'server', 'data', 'Machine', 'settings.json'), 'utf8'));

	it('is offered by the empty chat of a fresh profile, also where that is narrow, which says that there is no model', async () => {
		await addButton().waitFor();
		assert.match(
			await frame.locator('.empty').innerText(),
			/No model is set up yet\. Until then the built-in demo answers/,
		);
		await resizeChat(page, frame, 220);
		const { left, right, shown } = await addButton().evaluate(button => ({
			left: button.getBoundingClientRect().left,
			right: button.getBoundingClientRect().right,
			shown: document.documentElement.clientWidth,
		}));
		assert.ok(left >= 0 && right <= shown, `it reaches from ${left} to ${right} of ${shown} pixels`);
		await screenshotInThemes(page, 'model-server-empty-chat');
	});

	it('finds the two servers of this machine, by name and user, and names no program that it is not sure of', async () => {
		const user =
			process.platform === 'linux'
				? `It runs as you, ${os.userInfo().username}.`
				: 'The system does not tell which user it runs as.';
		const found = ({ url }: UpstreamServer, name: string, model: string) =>
			row(`${name}${new URL(url).host}`).filter({ hasText: `${model} · ${user}` });
		await frame.locator('chat-composer textarea').fill('Who are you?');
		// Many other programs use the port of llama.cpp.
		const named = llama.behaviour;
		llama.behaviour = { ...named, models: [{ id: 'gguf-model', owned_by: 'somebody' }] };
		await addButton().click();
		await isAt('Add Service');
		await found(llama, 'Model server at the usual port of llama.cpp', 'gguf-model').waitFor();
		await dismissInput(page);
		llama.behaviour = named;
		await addButton().click();
		await isAt('Add Service');
		await found(ollama, 'Ollama', 'found-model').waitFor();
		await found(llama, 'llama.cpp', 'gguf-model').waitFor();
		assert.equal(await row('at the usual port of').count(), 0);
		await screenshotInThemes(page, 'add-service', async () => {
			await dismissInput(page);
			await addButton().click();
			await found(llama, 'llama.cpp', 'gguf-model').waitFor();
		});
		// Only what is in sight of a list is drawn.
		await input().fill('router');
		await row('OpenRouter').waitFor();
	});

	it('says while an address is typed what is wrong with it', async () => {
		await input().fill('another');
		await row('Another Address…').click();
		await isAt('Address of the Service');
		const gone = await FaultServer.start(() => {});
		const { origin } = gone;
		await gone.stop();
		await input().fill(`${origin}/v1`);
		await row(`Nothing answers at ${new URL(origin).host}: the connection was refused.`).waitFor();
		await screenshot(page, 'model-server-refused');
		await input().fill(`${wrongPath.origin}/nowhere/v1`);
		await row('There is no list of models at').waitFor();
	});

	it('takes a pasted key out of the address, completes the address, and sends the key nowhere yet', async () => {
		await input().fill(`${keyed.origin}?api_key=${KEY}`);
		await row('The key that was pasted is not part of the address').waitFor();
		assert.equal(await input().inputValue(), keyed.origin);
		await row(`Use ${keyed.origin}/v1`).filter({ hasText: 'It answers and wants a key.' }).waitFor();
		assert.ok(keyed.received.every(({ headers }) => headers.authorization === undefined));
		await screenshot(page, 'model-server-pasted-key');
		await page.locator('.quick-input-widget:visible').getByRole('button', { name: 'Back' }).click();
		await isAt('Add Service');
	});

	it('asks for a key, says that one is wrong, and sends what was waiting to the model that is chosen', async () => {
		await input().fill(keyed.origin);
		await row('Another Address…').click();
		await row('wants a key').waitFor();
		await page.keyboard.press('Enter');
		await isAt(`Key of ${new URL(keyed.origin).host}`);
		await input().fill('sk-wrong');
		await page.keyboard.press('Enter');
		const widget = page.locator('.quick-input-widget:visible');
		await widget.getByText('refuses the key').waitFor();
		await screenshot(page, 'model-server-wrong-key');
		await input().fill(KEY);
		await page.keyboard.press('Enter');
		await row('private-large').waitFor();
		await screenshot(page, 'model-server-models');
		await row('private-large').click();
		await until('the message is sent', async () => (await turns(frame).count()) === 1);
		assert.equal(await replyEnds(frame), 'Answered in private.');
		assert.match(await lastTurnText(frame), /Who are you\?[\s\S]*private-large/);
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), '');
		assert.equal(await addButton().count(), 0);
		await screenshotInThemes(page, 'model-server-answered');
	});

	it('has written what a user would write, and the key nowhere', async () => {
		assert.deepEqual(machineSettings()['errand.local.upstreams'], { server: { url: `${keyed.origin}/v1` } });
		assert.equal(server.settings()['errand.chat.model'], 'private-large');
		assert.deepEqual(filesWith(server.dataFolder, KEY), []);
	});

	it('makes the model the default: it is checked in the list, and the demo is not', async () => {
		await openModels(frame);
		const checked = page.locator('.quick-input-widget:visible .monaco-list-row:has(.codicon-check)');
		await checked.first().waitFor();
		assert.equal(await checked.count(), 1);
		assert.match(await checked.innerText(), /private-large/);
		await screenshot(page, 'model-server-default');
		await dismissInput(page);
	});

	it('tests and removes a server in the same place, and the demo is back', async () => {
		const openServices = async () => {
			await runCommand(page, 'Errand: Switch or Add Connection…');
			await row('key set, ends in Lm2n').waitFor();
		};
		await openServices();
		await screenshotInThemes(page, 'services', openServices);
		await row('key set, ends in Lm2n').click();
		await row('Test').click();
		await row('It works. It lists 2 models.').waitFor();
		await screenshot(page, 'model-server-tested');
		await row('Remove…').click();
		await dialog(page, 'Remove the model server').getByRole('button', { name: 'Remove', exact: true }).click();
		// The list uses elements again that hold hidden words of earlier rows, so the shown words are read.
		await until('the list is without it', async () => {
			const words = await page.locator('.quick-input-widget:visible').innerText();
			return words.includes('Local') && !words.includes(new URL(keyed.origin).host);
		});
		await dismissInput(page);
		assert.deepEqual(machineSettings()['errand.local.upstreams'] ?? {}, {});
		await until('no model is the default', async () => server.settings()['errand.chat.model'] === undefined);
		await ask(frame, 'Hello again');
		await until('the demo answers', async () => /demo/i.test(await replyText(frame)));
	});

	it('is offered under the reply of the demo, and the model that is chosen answers the same message', async () => {
		await replyEnds(frame);
		await addButton().waitFor();
		await screenshotInThemes(page, 'model-server-under-demo');
		await addButton().click();
		await row('llama.cpp').first().click();
		await isAt('Model of llama.cpp');
		await row('gguf-model').first().click();
		await until('the message is answered', async () => (await replyText(frame)) === 'From llama.cpp.');
		assert.match(await lastTurnText(frame), /Hello again[\s\S]*gguf-model/);
		assert.deepEqual(machineSettings()['errand.local.upstreams'], {
			llamacpp: { url: llama.url, label: 'llama.cpp' },
		});
	});

	it('is used from the palette too: a found server needs no entry, only a yes', async () => {
		await runCommand(page, 'Errand: Add Service…');
		await row('Ollama').first().click();
		await isAt('Model of Ollama');
		await row('found-model').first().click();
		await toast(page, 'found-model of Ollama answers in the chat now.').waitFor();
		assert.deepEqual(Object.keys(machineSettings()['errand.local.upstreams'] as object), ['llamacpp']);
		await ask(frame, 'And you?');
		assert.equal(await replyEnds(frame), 'From Ollama.');
		assert.ok(ollama.chats.length > 0);
	});
});
