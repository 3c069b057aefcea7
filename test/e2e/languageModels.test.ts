import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	appears,
	changeSettings,
	dialog,
	quickRow,
	runCommand,
	screenshot,
	toast,
	until,
} from '../support/editorWindow.ts';
import { Probe } from '../support/probeExtension.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const KEY = 'sk-0123456789abcdefWXYZ';
const QUESTION = 'Let the editor’s chat and other extensions use the models of Local?';

describe('the models in the editor’s own chat and in other extensions, without an account', () => {
	let upstream: UpstreamServer;
	/** A service that wants a key. */
	let remote: UpstreamServer;
	let probe: Probe;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		upstream = await UpstreamServer.start({ pieces: ['Blue', ' sky'] });
		remote = await UpstreamServer.start();
		probe = await Probe.start();
		server = await startEditor({
			env: probe.environment,
			installOthers: folder => probe.install(folder),
			settings: {
				'errand.local.upstreams': {
					ollama: false,
					cellar: {
						url: upstream.url,
						label: 'Cellar',
						images: true,
						contextLength: 32_768,
						prices: { input: 1, output: 2 },
						dataPolicy: { zeroDataRetention: true, storesData: false },
					},
				},
				'errand.connections': {
					acme: { label: 'Acme', apiUrl: remote.origin, service: 'acme', models: [{ id: 'large' }] },
				},
			},
		});
		({ page } = await openWindow(server));
	});

	after(async () => {
		await server?.stop();
		await probe?.stop();
		await remote?.stop();
		await upstream?.stop();
	});

	const listed = async () => ((await probe.tell({ do: 'list' })).value as { id: string }[]).map(({ id }) => id);
	const lastRequest = () => upstream.chats.at(-1)?.body ?? assert.fail('nothing was asked');

	it('are listed for another extension, and nothing is asked of anyone for that', async () => {
		const { value } = await probe.tell({ do: 'list' });
		assert.deepEqual(value, [{ id: 'local/small', name: 'small', family: 'small', maxInputTokens: 28_672 }]);
		assert.equal(upstream.chats.length, 0);
		assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
	});

	it('are asked after a yes alone', async () => {
		const asked = probe.tell({ do: 'ask', text: 'Why?' });
		const box = dialog(page, QUESTION);
		await box.waitFor();
		assert.match(await box.innerText(), /One of them has sent a request to small \(Local · Cellar/);
		await screenshot(page, 'language-models-question');
		assert.equal(upstream.chats.length, 0);
		await box.getByRole('button', { name: 'Allow in This Window' }).click();
		const { value, error } = await asked;
		assert.equal(error, undefined);
		assert.deepEqual(value, [{ text: 'Blue' }, { text: ' sky' }]);
		assert.deepEqual(lastRequest()['messages'], [{ role: 'user', content: 'Why?' }]);
	});

	it('call the tools of another extension, and get its images', async () => {
		const call = (delta: object) => ({ choices: [{ index: 0, delta: { tool_calls: [delta] }, finish_reason: null }] });
		upstream.behaviour = {
			chunks: [
				call({ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":' } }),
				call({ index: 0, function: { arguments: '"sky"}' } }),
			],
		};
		const image = demoImage('a fox').toString('base64');
		const { value, error } = await probe.tell({ do: 'ask', text: 'Look.', image, tools: true, mustCall: true });
		assert.equal(error, undefined);
		assert.deepEqual(value, [{ call: 'look', input: { at: 'sky' } }]);
		const { messages, tool_choice, tools } = lastRequest() as {
			messages: { content: { image_url?: { url: string } }[] }[];
			tool_choice: string;
			tools: { function: { name: string } }[];
		};
		assert.equal(messages[0]?.content[1]?.image_url?.url, `data:image/png;base64,${image}`);
		assert.deepEqual([tool_choice, tools[0]?.function.name], ['required', 'look']);
	});

	it('end their request at the model server when another extension cancels it', async () => {
		upstream.behaviour = { pieces: Array.from({ length: 10_000 }, (_, number) => `${number} `), pauseMs: 20 };
		const { value } = await probe.tell({ do: 'cancel', text: 'Count.' });
		assert.ok((value as { count: number }).count >= 1);
		await until('the model server is left', async () => upstream.chats.at(-1)?.wasAbandoned === true);
	});

	it('are in the editor’s model picker, with the providers that may serve them, the routing policy and the reasons', async () => {
		await probe.tell({ do: 'command', command: 'workbench.action.chat.open', arguments: [] });
		const button = page.locator('.interactive-session .interactive-input-part').getByText('small', { exact: true });
		await button.first().waitFor();
		const row = page.locator('.action-widget .monaco-list-row').filter({ hasText: 'small' });
		await until('the list of models is open', async () => {
			await button.first().click({ timeout: 5_000 });
			return appears(row.first(), 3_000);
		});
		assert.match(await row.first().innerText(), /small\s+Local · Cellar · Balanced/);
		await row.first().hover();
		const hover = page.locator('.chat-model-hover').filter({ hasText: 'Routing policy: Balanced.' });
		await hover.first().waitFor();
		const words = await hover.first().innerText();
		assert.match(words, /May be served by: Cellar \(.*\$1 in, \$2 out for 1M tokens\)\./);
		assert.match(words, /Zero data retention: Not in force/);
		assert.match(words, /Served last by Cellar\./);
		await screenshot(page, 'language-models-picker');
		await page.keyboard.press('Escape');
		await until('the list of models is closed', async () => {
			if ((await row.count()) > 0) {
				await page.keyboard.press('Escape');
			}
			return (await row.count()) === 0;
		});
	});

	it('answer a chat participant of another extension in the editor’s own chat', async () => {
		upstream.behaviour = { pieces: ['Because ', 'of the light.'] };
		const open = { query: '@probe Why is it blue?', modelSelector: { vendor: 'errand' } };
		await probe.tell({ do: 'command', command: 'workbench.action.chat.open', arguments: [open] });
		await page.locator('.interactive-session .interactive-response').getByText('Because of the light.').waitFor();
		const messages = lastRequest()['messages'] as { content: string }[];
		assert.equal(messages.at(-1)?.content, 'From the participant: Why is it blue?');
		await screenshot(page, 'language-models-chat');
	});

	it('are counted by Show Costs', async () => {
		await runCommand(page, 'Errand: Show Costs');
		await quickRow(page, /Local.*other extensions: at least /)
			.first()
			.waitFor();
		await screenshot(page, 'language-models-costs');
	});

	it('tell another extension what is wrong in a sentence, with the code that it looks for', async () => {
		upstream.behaviour = { status: 429, body: { error: { message: 'slow' } }, headers: { 'retry-after': '300' } };
		const { error } = await probe.tell({ do: 'ask', text: 'Why?' });
		assert.equal(error?.code, 'Blocked');
		assert.match(error.message, /takes no more requests for now: slow\. Try again in \d+ s\./);
	});

	it('of another connection are none without its key, for which nothing asks before the user adds them', async () => {
		await changeSettings(page, server, { 'errand.connection': 'acme' });
		await until('no model is listed', async () => (await listed()).length === 0);
		assert.equal(await page.locator('.monaco-dialog-box, .quick-input-widget:visible, .notification-toast').count(), 0);
		await probe.tell({ do: 'command', command: 'workbench.action.chat.manage', arguments: [] });
		const errand = page.getByRole('menuitem', { name: 'Errand' });
		const asked = page.locator('.quick-input-widget:visible').getByText('Inference key of Acme');
		// A menu takes no click in its first tenth of a second, so that the click that opened it chooses nothing.
		await until('the editor offers to add models of Errand', async () => {
			if (!(await errand.first().isVisible())) {
				await page.getByRole('button', { name: 'Add Models' }).first().click({ timeout: 5_000 });
			}
			if (await appears(errand.first(), 3_000)) {
				await errand.first().click({ timeout: 5_000 });
			}
			return appears(asked, 3_000);
		});
		await answerInput(page, KEY);
		await until('the model is listed', async () => (await listed()).join() === 'acme/large');
	});

	it('lead to the key manager when the key is refused', async () => {
		remote.behaviour = { status: 401, body: { error: { message: 'no such key' } } };
		const asked = probe.tell({ do: 'ask', text: 'Why?' });
		await dialog(page, QUESTION.replace('Local', 'Acme')).getByRole('button', { name: 'Allow in This Window' }).click();
		const { error } = await asked;
		assert.equal(error?.code, 'NoPermissions');
		assert.match(error.message, /^Acme refuses the key: no such key\.$/);
		assert.equal(remote.chats.at(-1)?.headers.authorization, `Bearer ${KEY}`);
		await toast(page, 'Acme refuses the key').getByRole('button', { name: 'Change Key…' }).click();
		await quickRow(page, 'Inference key').first().waitFor();
		await screenshot(page, 'language-models-key');
	});
});
