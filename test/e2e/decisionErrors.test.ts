import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { answerInput, openFile, runCommand, screenshot, until } from '../support/editorWindow.ts';
import { type Answer, FaultServer, sendJson } from '../support/faultServer.ts';
import { ReportPage } from '../support/reportPage.ts';

const KEY = 'sk-0123456789abcdefWXYZ';
const json =
	(status: number, body: unknown, headers?: Record<string, string>): Answer =>
	response =>
		sendJson(response, status, body, headers);
const loginPage =
	(status: number): Answer =>
	response =>
		void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');

/** What a service may answer to a decision, with what the page says and the button that it offers. */
const ERRORS: readonly { what: string; answer: Answer; sentence: RegExp; button?: string }[] = [
	{
		what: '400',
		answer: json(400, { error: { message: 'questions.ok: too vague' } }),
		sentence: /^Quillon did not accept the request\. It said: “questions\.ok: too vague”$/,
	},
	{
		what: '401',
		answer: json(401, { error: 'Unauthorized' }),
		sentence: /^Quillon did not accept the key\. Check or replace it\. It said: “Unauthorized”$/,
		button: 'Manage Keys',
	},
	{
		what: '402',
		answer: json(402, { error: { message: 'Pay first' } }),
		sentence: /^The credit or the quota of the account on Quillon is used up\. .*It said: “Pay first”$/,
	},
	{
		what: '403',
		answer: json(403, { detail: 'Not you' }),
		sentence: /^Quillon refused: this account may not do that\. .*It said: “Not you”$/,
		button: 'Manage Keys',
	},
	{
		what: '404',
		answer: json(404, { error: { message: 'No such model' } }),
		sentence: /^Quillon has no decision model “decider-latest”, or answers no decisions.* It said: “No such model”$/,
	},
	{
		what: '413',
		answer: json(413, { error: { message: 'At most 2 MB' } }),
		sentence: /^The request is too large for Quillon\. Send less\. It said: “At most 2 MB”$/,
	},
	{
		what: '422',
		answer: json(422, { detail: [{ loc: ['body', 'state'], msg: 'Field required', type: 'missing' }] }),
		sentence: /^Quillon did not accept the request\. It said: “body\.state: Field required”$/,
	},
	{
		what: '429',
		answer: json(429, { error: { message: 'Slow down' } }, { 'retry-after': '90' }),
		sentence: /^Quillon is receiving too many requests\. Try again in \d+ s\. It said: “Slow down”$/,
	},
	{
		what: '500',
		answer: json(500, { error: { message: 'It <b>broke</b>' } }),
		sentence: /^Quillon failed while it answered\. Try again\. It said: “It <b>broke<\/b>”$/,
		button: 'Show Log',
	},
	{
		what: '502',
		answer: json(502, { error: { message: 'No model answered' } }),
		sentence: /^Quillon got no answer from a service behind it.* It said: “No model answered”$/,
		button: 'Show Log',
	},
	{
		what: '503 of a gateway',
		answer: loginPage(503),
		sentence: /^Quillon failed while it answered\. Try again\.$/,
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

describe('what goes wrong with decisions, in the window', function () {
	this.timeout(120_000);
	let service: FaultServer;
	let elsewhere: FaultServer;
	let server: EditorServer;
	let page: Page;
	let report: ReportPage;

	before(async () => {
		service = await FaultServer.start(response => void response.writeHead(500).end());
		elsewhere = await FaultServer.start(response => void response.writeHead(500).end());
		server = await startEditor({
			settings: {
				'errand.connection': 'quillon',
				'errand.connections': {
					quillon: {
						label: 'Quillon',
						apiUrl: service.origin,
						enterpriseUrl: service.origin,
						service: 'quillon',
						decisionModel: 'decider',
					},
				},
			},
		});
		({ page } = await openWindow(server, { viewport: { width: 1600, height: 1000 } }));
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
		await answerInput(page, KEY);
		await report.says(/“first”$/);
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), elsewhere?.stop()]);
	});

	const again = async () => {
		await report.press('Evaluate Again');
		await report.says(/^Nothing has been sent yet/);
	};

	for (const { what, answer, sentence, button } of ERRORS) {
		it(`says what is wrong, keeps what can be sent again, and has the button that helps: ${what}`, async () => {
			service.answer = answer;
			await report.press('Send and Evaluate');
			await report.says(sentence);
			const frame = await report.frame();
			for (const label of ['Manage Keys', 'Show Log', 'Switch Connection']) {
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
		const noul = { type: 'noul', noul: 5, more: '<img src=x onerror=alert(1)>', 'hidden\u202E': 'x'.repeat(1_000_000) };
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

	it('says that nobody is there', async () => {
		await service.stop();
		await report.press('Send and Evaluate');
		await report.says(/Quillon .*(?:refused|reached|network|address)/);
		await screenshot(page, 'decision-error-offline');
	});
});
