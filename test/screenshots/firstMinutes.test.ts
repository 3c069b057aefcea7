// The way of a new user, from the installed package to the first change that was applied, with a model server of
// somebody else. It prints how long each step took.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { freePort } from '../interoperability/freePort.ts';
import { fileOf } from '../interoperability/packages.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { appears, runCommand, screenshot, until } from '../support/editorWindow.ts';
import { ask, chooseInMenu, logText, openChat, replyEnds, turns, writePrompt } from '../support/errandWindow.ts';
import { waitFor } from '../support/waitFor.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const MODEL = 'gpt-4o';
const QUESTION = 'What does discounted do for ten widgets?';
const ANSWER = 'It gives no discount: the code asks for **more than** ten, the comment for ten or more.';
const REPAIR = 'Give the discount from ten widgets on';

const call = (name: string, input: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(input) }] });
const FIXTURES = [
	{ match: { userMessage: QUESTION }, response: { content: ANSWER } },
	...[
		call('read', { path: 'src/price.ts' }),
		call('edit', { path: 'src/price.ts', old: 'widgets.length > 10', new: 'widgets.length >= 10' }),
		call('run', { command: 'git diff --stat' }),
		{ content: 'Ten widgets are 5 % cheaper now.' },
	].map((response, turnIndex) => ({ match: { userMessage: REPAIR, turnIndex }, response })),
];

describe('the first minutes with the packed extension', () => {
	let scratch: string;
	let models: ChildProcess;
	let address: string;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;
	let last: number;
	const times: string[] = [];

	before(async function () {
		// Agents run in the sandbox alone, which not every kernel has.
		if (!(await trySandbox()).works) {
			this.skip();
		}
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-first-'));
		const vsix = path.join(scratch, 'errand.vsix');
		execFileSync(process.execPath, [path.join(root, 'scripts', 'run.ts'), 'package', vsix], { stdio: 'pipe' });
		const fixtures = path.join(scratch, 'fixtures.json');
		writeFileSync(fixtures, JSON.stringify({ fixtures: FIXTURES }));
		const port = await freePort();
		address = `http://127.0.0.1:${port}`;
		const program = fileOf('@copilotkit/aimock', 'dist/cli.js');
		models = spawn(process.execPath, [program, '--port', String(port), '--fixtures', fixtures], { stdio: 'ignore' });
		await waitFor('the model server to answer', () =>
			fetch(`${address}/v1/models`).then(
				response => response.ok,
				() => false,
			),
		);
		server = await startEditor({ package: vsix, settings: { 'errand.local.upstreams': { ollama: false } } });
		({ page } = await openWindow(server));
		last = performance.now();
	});

	after(async () => {
		process.stdout.write(`${times.join('\n')}\n`);
		await server?.stop();
		models?.kill();
		if (scratch) {
			rmSync(scratch, { recursive: true, force: true });
		}
	});

	const row = (text: string | RegExp): Locator =>
		page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: text });

	async function ends(step: string, image: string): Promise<void> {
		const now = performance.now();
		times.push(`      ${((now - last) / 1000).toFixed(1).padStart(5)} s  ${step}`);
		await screenshot(page, `first-minutes-${image}`);
		last = performance.now();
	}

	it('lead from the walkthrough to a model', async () => {
		await runCommand(page, 'Errand: Get Started');
		const walkthrough = page.locator('.gettingStartedContainer');
		await walkthrough.getByText('Add a model', { exact: true }).click();
		await ends('the walkthrough is open', '1-walkthrough');
		await walkthrough.getByRole('button', { name: 'Add Service' }).click();
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await row('OpenRouter').waitFor();
		await input.fill(address);
		await row('Another Address…').click();
		await row(MODEL).first().waitFor();
		await ends('the models of the server are listed', '2-models');
		await row(MODEL).first().click();
		await until('the model is the default', async () => server.settings()['errand.chat.model'] !== undefined);
		await ends('a model is chosen', '3-chosen');
	});

	it('lead to the first reply', async () => {
		frame = await openChat(page);
		await ask(frame, QUESTION);
		assert.match(await replyEnds(frame), /more than ten/);
		await turns(frame).last().getByText(MODEL).first().waitFor();
		await ends('the first reply is there', '4-reply');
	});

	it('lead to the first task, and to its change in the user’s file', async () => {
		await runCommand(page, 'View: Close All Editors');
		await writePrompt(page, REPAIR);
		await page.keyboard.press('Enter');
		// The list chooses this row when it has looked at everything.
		await row('Start Task').and(page.locator('.focused')).waitFor();
		await ends('the prompt is written, and the preflight has looked', '5-preflight');
		await page.keyboard.press('Enter');
		await until('the branch is there', async () => /git pushed/.test(logText(server, REPAIR)), 120_000);
		await ends('the first task is done', '6-task');
		const preview = () => appears(row('price.ts').first(), 5_000);
		await chooseInMenu(page, /^Give the discount/, 'Apply Task Changes…', preview);
		await ends('its changes are shown', '7-preview');
		await page.keyboard.press('Enter');
		const file = path.join(server.folder, 'src', 'price.ts');
		await until('the change is applied', async () => readFileSync(file, 'utf8').includes('widgets.length >= 10'));
		await ends('the first change is applied', '8-applied');
	});
});
