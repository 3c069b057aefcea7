import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, decisionUsage, keys } from '../support/contractServer/fixtures.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import {
	acceptPicks,
	answerInput,
	changeSettings,
	openFile,
	runCommand,
	screenshot,
	type Theme,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { ReportPage } from '../support/reportPage.ts';

const ALL_KINDS = {
	state: { order: { status: 'late', days: 9 } },
	questions: {
		topic: {
			type: 'choice',
			instructions: 'What is state.order about?',
			criteria: { price: 'What it costs', delivery: 'When it comes', other: 'Anything else' },
		},
		mood: { type: 'score', instructions: 'How pressing is it?', criteria: ['calm', 'soon', 'now'] },
		late: { type: 'noul', instructions: 'The order is late.', criteria: { true: 'It is', false: 'It is not' } },
	},
};

describe('decision files in the window', () => {
	let service: ContractServer;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;
	let report: ReportPage;

	before(async () => {
		service = await ContractServer.start();
		server = await startEditor({
			settings: {
				'errand.connection': 'quillon',
				'errand.connections': { quillon: { label: 'Quillon', ...connectionFields(service) } },
			},
		});
		window = await openWindow(server, { viewport: { width: 1600, height: 1000 } });
		page = window.page;
		report = new ReportPage(page, 'decision');
		await runCommand(page, 'View: Close Primary Side Bar');
	});

	after(async () => {
		await server?.stop();
		await service?.stop();
	});

	const asked = () => service.received.filter(({ path }) => path === '/typesafe/v1/systemone');
	const write = (name: string, content: unknown) =>
		writeFileSync(
			path.join(server.folder, name),
			typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
		);
	const closeAll = () => runCommand(page, 'View: Close All Editors');
	/** Opens a file and evaluates it up to the point where it could be sent. */
	const prepare = async (name: string) => {
		await openFile(page, name);
		await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).first().click();
		await report.frame();
	};

	it('begin as an example that can be evaluated at once', async () => {
		await runCommand(page, 'Errand: Ask Model for Decision…');
		await acceptPicks(page, 'Classify a Diff');
		await page.locator('.tab.active').filter({ hasText: 'classify.decision.json' }).waitFor();
		await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).waitFor();
		await screenshot(page, 'decision-new');
		write('change.txt', 'something new');
		await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).first().click();
		await report.says(/^Nothing has been sent yet/);
		assert.match(await report.text(), /state\.diff\s+\d+ changed file/);
		await screenshot(page, 'decision-of-example');
		await runCommand(page, 'View: Close Editor');
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('show what will be sent, word by word, and send nothing before that', async () => {
		write('all.decision.json', ALL_KINDS);
		await prepare('all.decision.json');
		await report.says(/^Nothing has been sent yet/);
		assert.equal(asked().length, 0);
		const text = await report.text();
		assert.match(text, /Quillon: http:\/\/127\.0\.0\.1/);
		assert.match(text, /arbiter-latest/);
		assert.match(text, /3 questions/);
		assert.match(text, /not known: the connection states no price/);
		assert.match(text, /a model’s opinion/);
		await screenshot(page, 'decision-sending');
		await report.press('Show It Word by Word');
		const request = page.locator('.editor-instance .monaco-editor[data-uri^="errand-decision:"]');
		await request.first().locator('.view-lines').getByText('"arbiter-latest"').first().waitFor();
		await screenshot(page, 'decision-word-by-word');
		assert.equal(asked().length, 0);
	});

	it('are answered as the contract says, with the release that answered, usage, and each probability as a number', async () => {
		await report.press('Send and Evaluate');
		await answerInput(page, keys.inference);
		await report.says(/^The answers of /);
		const [request] = asked();
		assert.deepEqual(request?.json, { ...ALL_KINDS, model: 'arbiter-latest' });
		const frame = await report.frame();
		const text = await frame.locator('main').innerText();
		assert.match(text, /arbiter-latest → arbiter-2\.7\.1/);
		assert.match(text, new RegExp(`${decisionUsage.input_tokens} tokens in, ${decisionUsage.output_tokens} out`));
		assert.match(text, /94% likely to be true/);
		assert.match(text, /near 50 % the model does not know/);
		const rows = async (id: string) =>
			frame.locator('article').filter({ hasText: id }).getByRole('row').allInnerTexts();
		const topic = await rows('What is state.order about?');
		assert.match(topic[1] ?? '', /other\s+chosen\s+Anything else\s+57\.1%/);
		assert.match(topic[2] ?? '', /delivery\s+When it comes\s+28\.6%/);
		const mood = await rows('How pressing is it?');
		assert.match(mood[2] ?? '', /1\s+nearest\s+soon\s+28\.6%/);
		await screenshot(page, 'decision-answers');
	});

	it('are kept and compared', async () => {
		await report.press('Evaluate Again');
		await report.says(/^Nothing has been sent yet/);
		await report.press('Send and Evaluate');
		await report.says(/^The answers of /);
		const frame = await report.frame();
		const compare = frame.getByLabel('Compare with');
		await until('there is another result', async () => (await compare.locator('option').count()) === 2);
		await compare.selectOption({ index: 1 });
		await frame.getByText('Both results are about the same state.').waitFor();
		assert.equal(await frame.getByRole('columnheader', { name: 'Compared with' }).count(), 3);
		await screenshot(page, 'decision-compared');
	});

	it('are exported as JSON and as Markdown', async () => {
		for (const [button, name, form] of [
			['Export as JSON…', 'out.json', /"format": "errand-decision-1"/],
			['Export as Markdown…', 'out.md', /\| other \| Anything else \| 57\.1% \|/],
		] as const) {
			const file = path.join(server.folder, name);
			await report.press(button);
			const input = page.locator('.quick-input-widget:visible .quick-input-box input');
			await until('the dialog has its name', async () => /all-decision-json-.+/.test(await input.inputValue()));
			await answerInput(page, file);
			await until('the file is there', async () => existsSync(file) && form.test(readFileSync(file, 'utf8')));
		}
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] satisfies Theme[]) {
		it(`are legible in ${theme}, wide and narrow`, async () => {
			await useTheme(page, theme);
			for (const width of [1600, 760]) {
				await page.setViewportSize({ width, height: 1000 });
				await report.isDrawn(theme, width / 2);
				await report.isSound(`${theme}, ${width}`);
				await screenshot(page, `decision-${theme}-${width}`);
			}
			await page.setViewportSize({ width: 1600, height: 1000 });
		});
	}

	it('are worked by keyboard alone', async () => {
		const count = asked().length;
		await useTheme(page, 'dark');
		await (await report.frame()).getByRole('button', { name: 'Evaluate Again' }).focus();
		await page.keyboard.press('Enter');
		await report.says(/^Nothing has been sent yet/);
		const focused = async () => (await report.frame()).evaluate(() => document.activeElement?.textContent?.trim());
		assert.equal(await focused(), 'Send and Evaluate');
		await page.keyboard.press('Enter');
		await report.says(/^The answers of /);
		assert.equal(asked().length, count + 1);
		assert.equal(await focused(), 'Evaluate Again');
		await closeAll();
	});

	it('say what is wrong with them, and what the service refuses', async () => {
		write('broken.decision.json', '{"questions": ');
		await prepare('broken.decision.json');
		await report.says(/^The file is not valid JSON\./);
		await closeAll();
		write('wrong.decision.json', { ...ALL_KINDS, questions: {} });
		await prepare('wrong.decision.json');
		await report.says(/^The file is no decision: “questions”: .*at least one question/);
		await closeAll();
		write('outside.decision.json', { ...ALL_KINDS, sources: { secret: { from: 'file', path: '../../secret.txt' } } });
		await prepare('outside.decision.json');
		await report.says(/is no path inside of the folder that is open/);
		await closeAll();
		const count = asked().length;
		write('model.decision.json', { ...ALL_KINDS, model: 'oracle-9.9.9' });
		await prepare('model.decision.json');
		await report.says(/^Nothing has been sent yet/);
		assert.equal(asked().length, count);
		await report.press('Send and Evaluate');
		await report.says(/^Quillon has no decision model “oracle-9\.9\.9”.*there is no decision model/);
		await screenshot(page, 'decision-unknown-model');
		await report.press('Choose Another Model…');
		await answerInput(page, 'arbiter-2.6.0');
		await report.press('Send and Evaluate');
		await report.says(/^The answers of /);
		assert.match(await report.text(), /arbiter-2\.6\.0/);
		await closeAll();
	});

	it('warn of what looks like a secret, and take a state of a megabyte', async () => {
		write('big.txt', `token = "sk-${'a1B2c3D4e5'.repeat(3)}"\n${'x'.repeat(900_000)}`);
		write('big.decision.json', { ...ALL_KINDS, sources: { text: { from: 'file', path: 'big.txt' } } });
		await prepare('big.decision.json');
		await report.says(/^Nothing has been sent yet/);
		const frame = await report.frame();
		await frame.locator('.warnings').getByText('Line 1 looks like').waitFor();
		await screenshot(page, 'decision-warning');
		await report.press('Send Anyway');
		await report.says(/^The answers of /);
		const sent = asked().at(-1)?.json as { state: { text: string } };
		assert.ok(sent.state.text.length > 900_000);
		await closeAll();
	});

	it('tell what a connection lacks', async () => {
		const { decisionModel: _, ...fields } = connectionFields(service);
		await changeSettings(page, server, { 'errand.connections': { quillon: { label: 'Quillon', ...fields } } });
		await prepare('all.decision.json');
		await report.says(/^Quillon names no decision model, so nothing can be sent yet\. Choose one here/);
		await report.press('Choose Decision Model…');
		await answerInput(page, 'arbiter-latest');
		await report.says(/^Nothing has been sent yet/);
		await report.press('Send and Evaluate');
		await report.says(/^The answers of /);
		assert.equal((asked().at(-1)?.json as { model: string } | undefined)?.model, 'arbiter-latest');
	});

	it('broke no policy of their page', () => {
		assert.deepEqual(
			window.messages.filter(({ text }) => /Content Security Policy/.test(text)),
			[],
		);
	});
});
