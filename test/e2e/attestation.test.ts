import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { GPU_MAKER } from '../../src/client/channel/hardware/authority.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	dialog,
	pickItem,
	runCommand,
	screenshot,
	type Theme,
	toast,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { Enclave } from '../support/enclave.ts';
import { GpuMaker } from '../support/gpuMaker.ts';
import { ReportPage } from '../support/reportPage.ts';

const HOSTILE = '<img src="https://evil.example/x" onerror="document.title=1">\u202e</script>';
const forger = new GpuMaker();
const forged = forger.device();

describe('the attestation report', () => {
	let enclave: Enclave;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;
	let report: ReportPage;

	before(async () => {
		enclave = await Enclave.start();
		const { origin } = enclave.server;
		server = await startEditor({
			settings: {
				'errand.connections': {
					acme: {
						label: 'Acme',
						apiUrl: 'https://api.example',
						service: 'acme',
						orgUrl: origin,
						encryptUrl: origin,
						models: [{ id: 'large', label: 'Large', kinds: ['chat', 'encrypted'], channelProvider: 'fast' }],
						providers: [{ slug: 'fast', label: 'Fast' }],
					},
					plain: { label: 'Plain', apiUrl: 'https://api.example', service: 'plain' },
				},
			},
		});
		window = await openWindow(server, { viewport: { width: 1048, height: 900 } });
		page = window.page;
		report = new ReportPage(page, 'attestation');
		await runCommand(page, 'View: Close Primary Side Bar');
	});

	after(async () => {
		await server?.stop();
		await enclave?.stop();
	});

	const row = (frame: Frame, label: string): Locator =>
		frame.locator('tbody tr').filter({ has: frame.getByRole('rowheader', { name: label, exact: true }) });
	const checkAgain = () => report.press('Check Again');

	function alterReport(value: unknown): void {
		enclave.alter = record => {
			const reportJson = JSON.stringify(value);
			return { ...record, report: value, report_json: reportJson, signature: enclave.signReport(reportJson) };
		};
	}

	it('says of the service on this machine that it is encrypted and has no hardware', async () => {
		await runCommand(page, 'Errand: Show Encryption Evidence');
		await pickItem(page, 'Shared address');
		await report.says(
			/^Local: encrypted, no hardware\. .+order and completeness of a streamed reply are not proven\.$/,
		);
		const frame = await report.frame();
		assert.match(await row(frame, 'Public key').innerText(), /✓\s*Pass/);
		assert.match(await row(frame, 'GPU evidence').innerText(), /–\s*Unknown/);
		assert.match(await row(frame, 'Token of the GPU maker').innerText(), /self-issued/);
		// Its connection names an address that only stands for the present one.
		assert.doesNotMatch(await frame.locator('main').innerText(), /127\.0\.0\.1/);
		await frame.locator('summary').filter({ hasText: 'report_json' }).click();
		assert.match(await frame.locator('pre').first().innerText(), /There is no hardware evidence/);
		await screenshot(page, 'attestation-local');
		await runCommand(page, 'View: Close All Editors');
	});

	it('names what is missing where a connection has no channel', async () => {
		await changeSettings(page, server, { 'errand.connection': 'plain' });
		await runCommand(page, 'Errand: Show Encryption Evidence');
		await toast(page, 'Plain has no encrypted channel. Add its shared host').waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	it('asks which channel where there are several, and says what is not proven', async () => {
		await changeSettings(page, server, { 'errand.connection': 'acme' });
		await runCommand(page, 'Errand: Show Encryption Evidence');
		await screenshot(page, 'attestation-places');
		await pickItem(page, 'Large');
		await report.says(
			/^Encrypted\. GPU evidence not proven\. Not proven: that the key lives in a GPU; freshness; which software\. Each part is signed; order and completeness of a streamed reply are not proven\.$/,
		);
		const frame = await report.frame();
		assert.match(await frame.locator('h1').innerText(), /Acme · large · fast/);
		assert.match(await row(frame, 'Signature of the report').innerText(), /Pass[\s\S]*DER, SHA-256/);
		await frame.getByText('The service reports: healthy and ready to encrypt (enclave 1.4)').waitFor();
		await frame.getByText('An attestation serves many messages, each with a key of its own').waitFor();
		assert.deepEqual(
			enclave.server.received.slice(-2).map(({ path }) => path),
			['/enc/fast/large/attestation', '/enc/fast/large/health'],
		);
		await screenshot(page, 'attestation-health');
	});

	it('no longer speaks of streamed replies once whole ones are asked for', async () => {
		await changeSettings(page, server, { 'errand.channel.wholeReplies': true });
		await report.says(/^Encrypted\. .+which software; that nothing is missing at the end of a reply\.$/);
		await changeSettings(page, server, { 'errand.channel.wholeReplies': false });
		await report.says(/order and completeness of a streamed reply are not proven\.$/);
	});

	it('shows hostile evidence as text, and loads nothing of it', async () => {
		alterReport({ arch: HOSTILE, [HOSTILE]: HOSTILE });
		await checkAgain();
		await report.says(/^Encrypted\./);
		const frame = await report.frame();
		const shown = frame.locator('details').filter({ hasText: 'report_json' });
		await until('the new record is there', async () =>
			((await shown.locator('pre').textContent()) ?? '').includes('evil'),
		);
		await shown.locator('summary').click();
		assert.match(await shown.locator('pre').innerText(), /<img src=[\s\S]*\\u\{202e\}<\/script>/);
		assert.equal(await frame.locator('img').count(), 0);
		assert.equal(await frame.evaluate(() => document.title === '1'), false);
		await screenshot(page, 'attestation-hostile');
		await shown.locator('summary').click();
	});

	it('says first that the channel is not to be trusted where evidence is forged, and which check fails', async () => {
		enclave.alter = record => {
			const nonce = Buffer.from(String(record['nonce_b64']), 'base64');
			const value = [forger.evidence(forged, { nonce })];
			const reportJson = JSON.stringify(value);
			return { ...record, report: value, report_json: reportJson, signature: enclave.signReport(reportJson) };
		};
		await checkAgain();
		await report.says(/^Not to be trusted: the check “GPU evidence” fails\. Nothing is sent over this channel\.$/);
		const frame = await report.frame();
		assert.match(await row(frame, 'GPU evidence').innerText(), /✕\s*Fail[\s\S]*maker’s root/);
		await screenshot(page, 'attestation-failed');
	});

	for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] satisfies Theme[]) {
		it(`is legible in ${theme}, wide and narrow`, async () => {
			await useTheme(page, theme);
			for (const width of [400, 1000]) {
				await page.setViewportSize({ width: width + 48, height: 900 });
				await report.isDrawn(theme, width);
				await report.isSound(`${theme}, ${width}`);
				await screenshot(page, `attestation-${theme}-${width}`);
			}
		});
	}

	it('is worked by keyboard: check again, open the evidence', async () => {
		enclave.alter = record => record;
		const frame = await report.frame();
		const button = frame.getByRole('button', { name: 'Check Again' });
		await button.focus();
		await page.keyboard.press('Enter');
		await report.says(/^Encrypted\./);
		await until('it keeps the focus', () => button.evaluate(element => element === document.activeElement));
		const evidence = frame.locator('summary').first();
		await evidence.focus();
		await page.keyboard.press('Enter');
		await frame.locator('details[open] pre').first().waitFor();
	});

	it('sends the GPU maker no question without a yes, says so, and asks again when told to check again', async () => {
		const claims = [{ alg: 'ES384', kid: 'key-1' }, { iss: GPU_MAKER.issuer }, {}];
		const token = claims.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
		enclave.alter = record => ({ ...record, gpu_eat: token });
		for (const answer of ['Never Ask', 'Cancel']) {
			await checkAgain();
			const question = dialog(page, 'Ask the GPU maker for the keys of its tokens?');
			await question.waitFor();
			await screenshot(page, 'attestation-consent');
			await question.getByRole('button', { name: answer }).click();
			await question.waitFor({ state: 'detached' });
			await report.says(/^Encrypted\./);
			const token = row(await report.frame(), 'Token of the GPU maker');
			const isRefused = async () => /–\s*Unknown[\s\S]*did not allow it/.test(await token.innerText());
			await until('its token is not known for want of a yes', isRefused);
		}
		enclave.alter = record => record;
	});

	it('is exported as one JSON file', async () => {
		const file = path.join(server.folder, 'attestation.json');
		await report.press('Export…');
		// The dialog comes with a name of its own, and writes it into the input after it has shown that.
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await until('the dialog has its name', async () => /attestation-.+\.json$/.test(await input.inputValue()));
		await answerInput(page, file);
		await until('the file is there', async () => {
			try {
				return JSON.parse(readFileSync(file, 'utf8')).format === 'errand-attestation-1';
			} catch {
				return false;
			}
		});
		const { connection, verdicts, attestation } = JSON.parse(readFileSync(file, 'utf8'));
		assert.equal(connection, 'Acme');
		assert.equal(verdicts.length, 9);
		assert.deepEqual(attestation, enclave.attestations.at(-1));
	});

	it('says what is wrong where the service cannot be reached, and goes on with Check Again', async () => {
		const { answer } = enclave.server;
		enclave.server.answer = response => void response.writeHead(503).end();
		await checkAgain();
		await report.says(/Acme cannot answer now.* Try again\./);
		await screenshot(page, 'attestation-unreachable');
		enclave.server.answer = answer;
		await checkAgain();
		await report.says(/^Encrypted\./);
	});

	it('sent no message and no key, and broke no policy of its page', () => {
		assert.equal(enclave.messages.length, 0);
		assert.ok(enclave.server.received.every(({ headers }) => headers.authorization === undefined));
		const reports = window.messages.filter(({ text }) => /Content Security Policy|evil\.example/.test(text));
		assert.deepEqual(reports, []);
	});
});
