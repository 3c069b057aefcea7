import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { answerInput, pickItem, screenshot, until, useTheme } from '../support/editorWindow.ts';
import { Enclave } from '../support/enclave.ts';
import { ask, lastTurnText, openChat, replyText, runInChat, sendMessage, turns } from '../support/errandWindow.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from '../support/faultServer.ts';
import { MODEL, replyErrors } from '../support/replyErrors.ts';

const KEY = 'sk-0123456789abcdefWXYZ';
const LABELS: Record<string, string> = {
	'errand.showLog': 'Show Log',
	'errand.manageKeys': 'Manage Keys',
	'errand.selectModel': 'Choose Model',
};

describe('A connection without lists, and what goes wrong with it, in the window', function () {
	this.timeout(120_000);
	let service: FaultServer;
	let enclave: Enclave;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		enclave = await Enclave.start();
		service = await FaultServer.start(response => void response.writeHead(500).end());
		server = await startEditor({
			settings: {
				'errand.connection': 'quillon',
				'errand.chat.model': MODEL,
				'errand.connections': {
					quillon: {
						label: 'Quillon',
						apiUrl: service.origin,
						service: 'quillon',
						encryptUrl: enclave.server.origin,
					},
				},
			},
		});
		({ page } = await openWindow(server));
		frame = await openChat(page);
		answerWell();
		await sendMessage(frame, 'Hello');
		await answerInput(page, KEY);
		await replies(/So it is/);
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), enclave?.stop()]);
	});

	const answerWell = () => {
		service.answer = response =>
			sendEvents(
				response,
				sseEvent({ choices: [{ index: 0, delta: { content: 'So it is.' }, finish_reason: 'stop' }] }),
				sseEvent('[DONE]'),
			);
	};
	const lastSays = (text: RegExp) =>
		until(`the last turn says ${text}`, async () => text.test((await lastTurnText(frame)).replaceAll('\n', ' ')));
	const replies = (text: RegExp) => until(`the last reply is ${text}`, async () => text.test(await replyText(frame)));
	const bodies = () => service.received.map(({ body }) => JSON.parse(body || '{}'));
	/** A sentence as it stands among others. */
	const within = ({ source }: RegExp) => new RegExp(source.replace(/^\^/, '').replace(/\$$/, ''));

	it('is searched, because the contract names the model', async () => {
		await ask(frame, '/search who wrote it?');
		await replies(/So it is/);
		assert.equal(bodies().at(-1).model, 'quillon-search');
	});

	it('has providers, alternates and an image model that are typed', async () => {
		await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
		await pickItem(page, 'Only these');
		await answerInput(page, 'fastlane, openhub');
		await frame.getByRole('button', { name: 'Select Routing Policy: Only these' }).waitFor();
		await ask(frame, 'Only these?');
		await replies(/So it is/);
		assert.deepEqual(bodies().at(-1).provider, { only: ['fastlane', 'openhub'] });
		await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
		await pickItem(page, 'Balanced');
		await frame.getByRole('button', { name: 'Select Routing Policy: Balanced' }).waitFor();

		await sendMessage(frame, '/image a lighthouse');
		await frame.getByText('No image model of Quillon is known here.').first().waitFor();
		await screenshot(page, 'errors-no-image-model');
		await frame.getByRole('button', { name: 'Choose Model' }).first().click();
		await page.locator('.quick-input-widget:visible').getByText('Image Model…').waitFor();
		await screenshot(page, 'errors-model-list');
		await pickItem(page, 'Image Model…');
		await answerInput(page, MODEL);
	});

	for (const { what, answer, mode = 'chat', sentence, button } of replyErrors) {
		it(`says what is wrong, with its button: ${what}`, async () => {
			service.answer = answer;
			await ask(frame, mode === 'image' ? '/image a lighthouse' : 'And now?');
			await lastSays(within(sentence));
			const last = turns(frame).last();
			for (const [command, label] of Object.entries(LABELS)) {
				assert.equal(await last.getByRole('button', { name: label }).count(), command === button ? 1 : 0, label);
			}
			await screenshot(page, `errors-${what.replaceAll(/\W+/g, '-')}`);
		});
	}

	it('goes on with whole replies where what streams is no encrypted reply', async () => {
		await useTheme(page, 'high-contrast');
		enclave.answer = (response, { path, seal }) =>
			path.endsWith('_stream')
				? void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
				: sendJson(response, 200, seal('It is whole.'));
		await runInChat(page, frame, 'Errand: New Encrypted Conversation…', 'Keep the Conversation');
		await frame.locator('button.encryption').waitFor();
		await ask(frame, 'Is it so?');
		await lastSays(/What Quillon streamed is no encrypted reply .* The session goes on\./);
		await screenshot(page, 'errors-encrypted-foreign');
		await turns(frame).last().getByRole('button', { name: 'Ask for Whole Replies' }).click();
		await replies(/It is whole\./);
		enclave.answer = (response, { seal }) => sendJson(response, 200, seal('Whole again.'));
		await ask(frame, 'And on?');
		await replies(/Whole again\./);
		assert.deepEqual(
			enclave.messages.map(({ path }) => path),
			['/message_stream', '/message', '/message'],
		);
		await screenshot(page, 'errors-encrypted-whole');
	});
});
