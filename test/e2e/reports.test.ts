import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { GPU_MAKER } from '../../src/client/channel/hardware/authority.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, decisionUsage, keys } from '../support/contractServer/fixtures.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	dialog,
	dismissInput,
	openFile,
	pickItem,
	quickRow,
	runCommand,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { Enclave } from '../support/enclave.ts';
import { ReportPage } from '../support/reportPage.ts';

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

describe('reports in tabs of the window', () => {
	let service: ContractServer;
	let enclave: Enclave;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;

	before(async () => {
		service = await ContractServer.start();
		enclave = await Enclave.start();
		const { origin } = enclave.server;
		server = await startEditor({
			settings: {
				'errand.connection': 'quillon',
				'errand.connections': {
					quillon: { label: 'Quillon', ...connectionFields(service) },
					acme: {
						label: 'Acme',
						apiUrl: 'https://api.example',
						service: 'acme',
						orgUrl: origin,
						encryptUrl: origin,
						models: [{ id: 'large', label: 'Large', kinds: ['chat', 'encrypted'], channelProvider: 'fast' }],
						providers: [{ slug: 'fast', label: 'Fast' }],
					},
				},
			},
		});
		window = await openWindow(server, { viewport: { width: 1600, height: 1000 } });
		page = window.page;
		await runCommand(page, 'View: Close Primary Side Bar');
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), enclave?.stop()]);
	});

	/** Presses a button that asks where to export to, and resolves with what is then in the file. */
	async function exported(report: ReportPage, button: string, name: string): Promise<string> {
		const file = path.join(server.folder, name);
		await report.press(button);
		// The dialog comes with a name of its own, and writes it into the input after it has shown that.
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await until('the dialog has its name', async () => /-\d{4}-.+\.\w+$/.test(await input.inputValue()));
		await answerInput(page, file);
		await until('the file is there', async () => existsSync(file) && readFileSync(file, 'utf8') !== '');
		return readFileSync(file, 'utf8');
	}

	function assertNoViolation(): void {
		const reported = window.messages.filter(({ text }) => /Content Security Policy/.test(text));
		assert.deepEqual(reported, []);
	}

	it('show what a decision file would send before it is sent, ask for the key, and keep the answers', async () => {
		const report = new ReportPage(page, 'decision');
		const asked = () => service.received.filter(({ path }) => path === '/typesafe/v1/systemone');
		const focused = async () => (await report.frame()).evaluate(() => document.activeElement?.textContent?.trim());
		writeFileSync(path.join(server.folder, 'order.decision.json'), JSON.stringify(DECISION, undefined, 2));
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
			const compare = (await report.frame()).getByLabel('Compare with');
			return (await compare.locator('option').count()) === 2;
		});

		assert.match(await exported(report, 'Export as Markdown…', 'out.md'), /\| other \| Anything else \| 57\.1% \|/);
		await runCommand(page, 'Notifications: Clear All Notifications');
		await useTheme(page, 'light');
		await report.isDrawn('light', 800);
		await report.isSound('a decision');
		assertNoViolation();
	});

	it('lead from a decision that is refused to the keys', async () => {
		const report = new ReportPage(page, 'decision');
		service.answer(({ path }) => path === '/typesafe/v1/systemone', { status: 401, headers: {} });
		await report.press('Evaluate Again');
		await report.says(/^Nothing has been sent yet/);
		await report.press('Send and Evaluate');
		await report.says(/^Quillon rejected the key/);
		await report.press('Change Key…');
		await quickRow(page, 'Inference key').first().waitFor();
		await dismissInput(page);
		await runCommand(page, 'View: Close All Editors');
	});

	it('show the evidence of an encrypted channel, ask the maker of the GPU nothing without a yes, and export all of it', async () => {
		const report = new ReportPage(page, 'attestation');
		await changeSettings(page, server, { 'errand.connection': 'acme' });
		await runCommand(page, 'Errand: Show Encryption Evidence');
		await pickItem(page, 'Large');
		await report.says(
			/^Encrypted\. GPU evidence not proven\. Not proven: that the key lives in a GPU; freshness; which/,
		);
		const frame = await report.frame();
		assert.match(await frame.locator('h1').innerText(), /Acme · large · fast/);
		await frame.getByText('The service reports: healthy and ready to encrypt').waitFor();
		assert.deepEqual(
			enclave.server.received.slice(-2).map(({ path }) => path),
			['/enc/fast/large/attestation', '/enc/fast/large/health'],
		);

		const claims = [{ alg: 'ES384', kid: 'key-1' }, { iss: GPU_MAKER.issuer }, {}];
		const token = claims.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
		enclave.alter = record => ({ ...record, gpu_eat: token });
		// A refusal is kept, but whoever checks again is asked again.
		for (const answer of ['Never Allow', 'Cancel']) {
			await report.press('Check Again');
			const question = dialog(page, 'Get the GPU maker’s public keys to check its token?');
			await question.getByRole('button', { name: answer }).click();
			await question.waitFor({ state: 'detached' });
			await report.says(/^Encrypted\./);
			const row = (await report.frame()).locator('tbody tr').filter({ hasText: 'Token of the GPU maker' });
			await until('its token is not known for want of a yes', async () =>
				/–\s*Unknown[\s\S]*did not allow it/.test(await row.innerText()),
			);
		}

		const file = JSON.parse(await exported(report, 'Export…', 'attestation.json'));
		assert.deepEqual([file.format, file.connection, file.verdicts.length], ['errand-attestation-1', 'Acme', 9]);
		assert.deepEqual(file.attestation, enclave.attestations.at(-1));
		assert.equal(enclave.messages.length, 0);
		assert.ok(enclave.server.received.every(({ headers }) => headers.authorization === undefined));
		assertNoViolation();
	});
});
