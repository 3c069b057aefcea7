// The way of a new user, from the installed package to the first reply and to the first change, with a model server of
// somebody else. It counts what the user has to do, and prints how long each step takes.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { freePort } from '../interoperability/freePort.ts';
import { fileOf } from '../interoperability/packages.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { appears, screenshot, until, webviewFrame } from '../support/editorWindow.ts';
import { chooseInMenu, composerHasCursor, logText, replyEnds, taskRow, turns } from '../support/errandWindow.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { waitFor } from '../support/waitFor.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const MODEL = 'gpt-4o';
const QUESTION = 'What does discounted do for ten widgets?';
const ANSWER = 'It gives no discount: the code asks for **more than** ten, the comment for ten or more.';
const REPAIR = 'Give the discount from ten widgets on';

/** What a person needs, in seconds: to decide what comes next, to press a key, and to point and click. */
const THINK = 1.35;
const KEY = 0.2;
const POINT = 1.3;

/** Counts what a person does, and how long that takes by hand and by the machine. */
class Person {
	inputs = 0;
	private byHand = 0;
	private readonly began = performance.now();
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** Types a text, or pastes what is at hand. */
	async type(text: string, isPasted = false): Promise<void> {
		this.count(KEY * (isPasted ? 2 : text.length));
		await this.page.keyboard.insertText(text);
	}

	/** Presses keys, one after another. */
	async press(...keys: string[]): Promise<void> {
		this.count(KEY * keys.length);
		for (const key of keys) {
			await this.page.keyboard.press(key);
		}
	}

	async click(target: Locator): Promise<void> {
		this.count(POINT);
		await target.click();
	}

	/** The seconds from the first input on: what the hand needs, and what the machine has needed. */
	get seconds(): number {
		return this.byHand + (performance.now() - this.began) / 1000;
	}

	private count(seconds: number): void {
		this.inputs++;
		this.byHand += THINK + seconds;
	}
}

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
	const steps: string[] = [];

	before(async function () {
		await skipWithoutSandbox(this);
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
		// The editor knows the keys of an extension when it shows its views.
		await page.locator('.activitybar').getByRole('tab', { name: 'Errand' }).waitFor();
	});

	after(async () => {
		process.stdout.write(`${steps.join('\n')}\n`);
		await server?.stop();
		models?.kill();
		if (scratch) {
			rmSync(scratch, { recursive: true, force: true });
		}
	});

	const row = (text: string | RegExp): Locator =>
		page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: text });

	async function ends(step: string, { inputs, seconds }: Person, image: string): Promise<void> {
		steps.push(`      ${inputs} inputs, ${seconds.toFixed(1)} s: ${step}`);
		await screenshot(page, `first-minutes-${image}`);
	}

	it('lead to the first reply in six inputs', async () => {
		const person = new Person(page);
		await person.press('ControlOrMeta+K', 'a');
		frame = await webviewFrame(page, 'chat-composer');
		await composerHasCursor(frame);
		await person.type(QUESTION);
		await person.click(frame.getByRole('button', { name: 'Add Service…' }));
		await row('OpenRouter').waitFor();
		await person.type(address, true);
		await row('Another Address…').and(page.locator('.focused')).waitFor();
		await person.press('Enter');
		await row(MODEL).first().waitFor();
		await ends('the models of the server are listed', person, '1-models');
		await person.click(row(MODEL).first());
		await turns(frame).first().waitFor();
		assert.match(await replyEnds(frame), /more than ten/);
		await turns(frame).last().getByText(MODEL).first().waitFor();
		await ends('the first reply is there', person, '2-reply');
		assert.ok(person.inputs <= 6, `${person.inputs} inputs`);
	});

	it('lead to the first task’s changes in four more, and to its change in the user’s file', async () => {
		const person = new Person(page);
		await person.type(`/task ${REPAIR}`);
		await person.press('Enter');
		// The list chooses this row when it has looked at everything.
		await row('Start Task').and(page.locator('.focused')).waitFor();
		await row(/(?<!whether )Local has access/).waitFor();
		await ends('the list before the task is there', person, '3-preflight');
		await person.press('Enter');
		await until('the branch is there', async () => /git pushed/.test(logText(server, REPAIR)), 120_000);
		const review = taskRow(page, REPAIR).first().getByRole('button', { name: 'Review Task Changes' });
		await until('its changes can be reviewed', async () => {
			await taskRow(page, REPAIR).first().hover();
			return review.isVisible();
		});
		await person.click(review);
		await page.locator('.multiDiffEditor').getByText('widgets.length >= 10').first().waitFor();
		await ends('the first task’s changes are shown', person, '4-changes');
		assert.ok(person.inputs <= 4, `${person.inputs} inputs`);
		const preview = () => appears(row('price.ts').first(), 5_000);
		await chooseInMenu(page, /^Give the discount/, 'Apply Task Changes…', preview);
		await person.press('Enter');
		const file = path.join(server.folder, 'src', 'price.ts');
		await until('the change is applied', async () => readFileSync(file, 'utf8').includes('widgets.length >= 10'));
		await ends('the first change is applied', person, '5-applied');
	});
});
