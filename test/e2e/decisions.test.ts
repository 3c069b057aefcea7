import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, decisionUsage, keys } from '../support/contractServer/fixtures.ts';
import { answerInput, openFile, runCommand, until, useTheme } from '../support/editorWindow.ts';
import { ReportPage } from '../support/reportPage.ts';
import { useWindow } from '../support/useWindow.ts';

const DECISION = {
	state: { order: { status: 'late', days: 9 } },
	questions: {
		topic: {
			type: 'choice',
			instructions: 'What is state.order about?',
			criteria: { price: 'What it costs', delivery: 'When it comes', other: 'Anything else' },
		},
		late: { type: 'noul', instructions: 'The order is late.', criteria: { true: 'It is', false: 'It is not' } },
	},
};

describe('a decision in the window', () => {
	let service: ContractServer;
	let page: Page;

	const window = useWindow(async () => {
		service = await ContractServer.start();
		return {
			settings: {
				'editor.codeLens': true,
				'errand.connections': { quillon: { label: 'Quillon', ...connectionFields(service) } },
				'errand.connection': 'quillon',
			},
		};
	});

	before(async () => {
		({ page } = window());
		await runCommand(page, 'View: Close Primary Side Bar');
	});

	after(() => service?.stop());

	it('is shown as it would be sent, asks for the key, is worked by the keyboard, and keeps and exports the answers', async () => {
		const { sample, messages } = window();
		const before = messages.length;
		const report = new ReportPage(page, 'decision');
		const asked = () => service.received.filter(({ path }) => path === '/typesafe/v1/systemone');
		const focused = async () => (await report.frame()).evaluate(() => document.activeElement?.textContent?.trim());
		sample.write({ 'order.decision.json': JSON.stringify(DECISION, undefined, 2) });
		await openFile(page, 'order.decision.json');
		await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).first().click();
		await report.says(/^Nothing has been sent yet/);
		assert.equal(asked().length, 0);

		// From here on, the keyboard is enough.
		await (await report.frame()).getByRole('button', { name: 'Send and Evaluate' }).focus();
		await page.keyboard.press('Enter');
		await answerInput(page, keys.inference);
		await report.says(/^The answers of /);
		assert.deepEqual(asked()[0]?.json, { ...DECISION, model: 'arbiter-latest' });
		const text = await report.text();
		assert.match(text, /arbiter-latest → arbiter-2\.7\.1/);
		assert.match(text, new RegExp(`${decisionUsage.input_tokens} tokens in, ${decisionUsage.output_tokens} out`));
		assert.match(text, /94% likely to be true/);
		await (await report.frame()).getByRole('button', { name: 'Evaluate Again' }).focus();
		await page.keyboard.press('Enter');
		await report.says(/^Nothing has been sent yet/);
		assert.equal(await focused(), 'Send and Evaluate');
		await page.keyboard.press('Enter');
		await report.says(/^The answers of /);
		await until('there is another result', async () => {
			const results = (await report.frame()).getByLabel('Result', { exact: true });
			return (await results.locator('option').count()) === 2;
		});

		const file = sample.file('out.json');
		await report.press('Export as JSON…');
		// The dialog comes with a name of its own, and writes it into the input after it has shown that.
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await until('the dialog has its name', async () => /-\d{4}-.+\.\w+$/.test(await input.inputValue()));
		await answerInput(page, file);
		await until('the file is there', async () => existsSync(file) && readFileSync(file, 'utf8') !== '');
		assert.match(readFileSync(file, 'utf8'), /other · 57\.1%/);
		await runCommand(page, 'Notifications: Clear All Notifications');
		await useTheme(page, 'light');
		await report.isDrawn('light', 800);
		await report.isSound('a decision');
		const reported = messages.slice(before).filter(({ text }) => /Content Security Policy/.test(text));
		assert.deepEqual(reported, []);
	});
});
