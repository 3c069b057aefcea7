import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	openFile,
	pickItem,
	runCommand,
	screenshot,
	screenshotInThemes,
	until,
} from '../support/editorWindow.ts';
import { Enclave } from '../support/enclave.ts';
import { ask, lastTurnText, openChat, replyText, runInChat, sendMessage, turns } from '../support/errandWindow.ts';
import { type Answer, FaultServer, sendEvents, sendJson, sseEvent } from '../support/faultServer.ts';
import { MODEL, replyErrors } from '../support/replyErrors.ts';
import { ReportPage } from '../support/reportPage.ts';

const KEY = 'sk-0123456789abcdefWXYZ';
const LABELS: Record<string, string> = {
	'errand.showLog': 'Show Log',
	'errand.manageKeys': 'Change Key…',
	'errand.selectModel': 'Choose Model',
};

const json =
	(status: number, body: unknown, headers?: Record<string, string>): Answer =>
	response =>
		sendJson(response, status, body, headers);
const loginPage =
	(status: number): Answer =>
	response =>
		void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');

/** The answers that a service may give to a decision, each with what the page says and the button that it offers. */
const DECISION_ERRORS: readonly { what: string; answer: Answer; sentence: RegExp; button?: string }[] = [
	{
		what: '400',
		answer: json(400, { error: { message: 'questions.ok: too vague' } }),
		sentence: /^Quillon does not accept the request: questions\.ok: too vague\.$/,
	},
	{
		what: '401',
		answer: json(401, { error: 'Unauthorized' }),
		sentence: /^Quillon refuses the key: Unauthorized\.$/,
		button: 'Change Key…',
	},
	{
		what: '402',
		answer: json(402, { error: { message: 'Pay first' } }),
		sentence: /^The credit or the quota of the account on Quillon is used up: Pay first\. Add to it/,
	},
	{
		what: '403',
		answer: json(403, { detail: 'Not you' }),
		sentence: /^Quillon does not allow this to the account of the key: Not you\.$/,
		button: 'Change Key…',
	},
	{
		what: '404',
		answer: json(404, { error: { message: 'No such model' } }),
		sentence: /^Quillon has no decision model “decider-latest”, or answers no decisions.* It said: “No such model”$/,
	},
	{
		what: '413',
		answer: json(413, { error: { message: 'At most 2 MB' } }),
		sentence: /^The request is too large for Quillon: At most 2 MB\. Send less\.$/,
	},
	{
		what: '422',
		answer: json(422, { detail: [{ loc: ['body', 'state'], msg: 'Field required', type: 'missing' }] }),
		sentence: /^Quillon does not accept the request: body\.state: Field required\.$/,
	},
	{
		what: '429',
		answer: json(429, { error: { message: 'Slow down' } }, { 'retry-after': '90' }),
		sentence: /^Quillon takes no more requests for now: Slow down\. Try again in \d+ s\.$/,
	},
	{
		what: '500',
		answer: json(500, { error: { message: 'It <b>broke</b>' } }),
		sentence: /^Quillon had an internal error: It <b>broke<\/b>\. Try again\.$/,
		button: 'Show Log',
	},
	{
		what: '502',
		answer: json(502, { error: { message: 'No model answered' } }),
		sentence: /^Quillon got no answer from a service behind it: No model answered\. Try again\.$/,
		button: 'Show Log',
	},
	{
		what: '503 of a gateway',
		answer: loginPage(503),
		sentence: /^Quillon cannot answer now \(HTTP 503\)\. Try again\.$/,
		button: 'Show Log',
	},
	{
		what: 'a login page',
		answer: loginPage(200),
		sentence: /^A web page answered in place of Quillon, such as one for a login\. Check the address/,
		button: 'Show Log',
	},
	{
		what: 'a reply without answers',
		answer: json(200, { model: 'decider-1.0.0' }),
		sentence: /^Quillon answered with something that is not in its contract\./,
		button: 'Show Log',
	},
	{
		what: 'a connection that breaks',
		answer: response => void response.destroy(),
		sentence:
			/^Quillon cannot be reached\. Check the network or the address, then try again\.$|^Quillon cannot be reached: nothing answers/,
		button: 'Show Log',
	},
];

describe('a connection without lists, and what goes wrong with it, in the window', () => {
	let service: FaultServer;
	let elsewhere: FaultServer;
	let enclave: Enclave;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		enclave = await Enclave.start();
		service = await FaultServer.start(response => void response.writeHead(500).end());
		elsewhere = await FaultServer.start(response => void response.writeHead(500).end());
		server = await startEditor({
			settings: {
				'errand.connection': 'quillon',
				'errand.chat.model': MODEL,
				'errand.connections': {
					quillon: {
						label: 'Quillon',
						apiUrl: service.origin,
						enterpriseUrl: service.origin,
						service: 'quillon',
						encryptUrl: enclave.server.origin,
						decisionModel: 'decider',
					},
				},
			},
		});
		({ page } = await openWindow(server, { viewport: { width: 1600, height: 1000 } }));
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), elsewhere?.stop(), enclave?.stop()]);
	});

	describe('in the chat', () => {
		let frame: Frame;

		before(async () => {
			frame = await openChat(page);
			answerWell();
			await sendMessage(frame, 'Hello');
			await answerInput(page, KEY);
			await replies(/So it is/);
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
			enclave.answer = (response, { path, seal }) =>
				path.endsWith('_stream')
					? void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
					: sendJson(response, 200, seal('It is whole.'));
			await runInChat(page, frame, 'Errand: New Encrypted Conversation…', 'Keep the Conversation');
			await frame.locator('button.encryption').waitFor();
			await ask(frame, 'Is it so?');
			await lastSays(/What Quillon streamed is no encrypted reply .* The session goes on\./);
			await screenshotInThemes(page, 'errors-encrypted-foreign');
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

	describe('in a decision', () => {
		let report: ReportPage;

		before(async () => {
			report = new ReportPage(page, 'decision');
			const questions = {
				ok: { type: 'noul', instructions: 'All is well.', criteria: { true: 'It is', false: 'It is not' } },
			};
			writeFileSync(path.join(server.folder, 'errors.decision.json'), JSON.stringify({ state: {}, questions }));
			await runCommand(page, 'View: Close Primary Side Bar');
			await openFile(page, 'errors.decision.json');
			await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).first().click();
			await report.says(/^Nothing has been sent yet/);
			service.answer = json(400, { error: { message: 'first' } });
			await report.press('Send and Evaluate');
			await report.says(/: first\.$/);
		});

		const again = async () => {
			await report.press('Evaluate Again');
			await report.says(/^Nothing has been sent yet/);
		};

		for (const { what, answer, sentence, button } of DECISION_ERRORS) {
			it(`says what is wrong, keeps what can be sent again, and has the button that helps: ${what}`, async () => {
				service.answer = answer;
				await report.press('Send and Evaluate');
				await report.says(sentence);
				const frame = await report.frame();
				for (const label of ['Change Key…', 'Show Log', 'Switch Connection']) {
					assert.equal(await frame.getByRole('button', { name: label }).count(), label === button ? 1 : 0, label);
				}
				assert.equal(await frame.getByRole('button', { name: 'Send and Evaluate' }).count(), 1);
				assert.equal(await frame.locator('.sentence b').count(), 0);
				await screenshot(page, `decision-error-${what.replaceAll(/\W+/g, '-')}`);
			});
		}

		it('follows no redirect to another origin', async () => {
			service.answer = response => void response.writeHead(307, { location: elsewhere.origin }).end();
			await report.press('Send and Evaluate');
			await report.says(/^Quillon sends the request on to http:\/\/127\.0\.0\.1.* A key is not sent there\./);
			await screenshot(page, 'decision-error-redirect');
			assert.deepEqual(elsewhere.received, []);
		});

		it('is stopped, and can be sent again', async () => {
			const count = service.received.length;
			service.answer = () => {};
			await report.press('Send and Evaluate');
			await until('the service has the request', async () => service.received.length > count);
			await report.press('Stop');
			await report.says(/^Stopped\.$/);
			assert.equal((await service.received.at(-1)?.closed)?.isWhole, false);
		});

		it('shows hostile answers as text, and as no answers where they are none', async () => {
			const noul = {
				type: 'noul',
				noul: 5,
				more: '<img src=x onerror=alert(1)>',
				'hidden\u202E': 'x'.repeat(1_000_000),
			};
			const answers = { ok: noul, unasked: { type: 'noul', noul: 1 } };
			service.answer = json(200, { model: '<b>$(flame)</b>\u202E', answers });
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const frame = await report.frame();
			const text = await frame.locator('main').innerText();
			assert.match(text, /No answer/);
			assert.match(text, /did not answer this question in its form/);
			assert.match(text, /<b>\$\(flame\)<\/b>/);
			assert.doesNotMatch(text, /500%|unasked|\p{Cf}/u);
			assert.equal(await frame.locator('main img, main b').count(), 0);
			assert.ok(text.length < 20_000, String(text.length));
			await screenshot(page, 'decision-hostile-answer');
			await again();
		});

		it('says that nothing answers', async () => {
			await service.stop();
			await report.press('Send and Evaluate');
			await report.says(/Quillon .*(?:refused|reached|network|address)/);
			await screenshot(page, 'decision-error-offline');
		});
	});
});
