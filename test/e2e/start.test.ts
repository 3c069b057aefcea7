import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { workbenchStands } from '../support/editor.ts';
import { screenshot, webviewFrame } from '../support/editorWindow.ts';
import { rememberWindow } from '../support/openWindows.ts';
import { waitFor } from '../support/waitFor.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const cache = path.join(root, '.cache');

/** What starting does not need, or makes for itself. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'test', 'test-output', 'bench']);

describe('npm start', () => {
	let folder: string;
	let launcher: ChildProcess;
	let printed: string;
	let browser: Browser;
	let page: Page;

	// It runs in a copy of the project: a launch of the developer's own may be open in this one.
	before(async () => {
		folder = fs.mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-start-'));
		for (const name of fs.readdirSync(root).filter(entry => !entry.startsWith('.') && !NOT_COPIED.has(entry))) {
			fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
		}
		fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
		fs.mkdirSync(path.join(folder, '.cache'));
		for (const name of fs.readdirSync(cache).filter(entry => /^(node|vscode)-/.test(entry))) {
			fs.symlinkSync(path.join(cache, name), path.join(folder, '.cache', name));
		}
		printed = '';
		const { scripts } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
		const [program, script] = scripts.start.split(' ');
		assert.equal(program, 'node');
		launcher = spawn(process.execPath, [script, '--served', '--port', '0'], { cwd: folder });
		for (const stream of [launcher.stdout, launcher.stderr]) {
			stream?.on('data', data => {
				printed += data;
			});
		}
	});

	after(async () => {
		await browser?.close();
		if (launcher?.exitCode === null) {
			launcher.kill();
			await once(launcher, 'exit');
		}
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const addressOf = (text: string) => /^Errand is ready: (http:\S+)\n/m.exec(text)?.[1];

	it('says in three lines, to which npm adds two, that it builds, which agents there are, and where the window is', async () => {
		await waitFor('the address', () => addressOf(printed) !== undefined || launcher.exitCode !== null, 150_000);
		const lines = printed.trimEnd().split('\n');
		assert.equal(lines.length, 3, printed);
		assert.equal(lines[0], 'Building …');
		assert.match(lines[1] ?? '', /^Agents: .*Errand's own/);
		assert.match(lines[2] ?? '', /^Errand is ready: http:\/\/127\.0\.0\.1:\d+\//);
	});

	it('opens chat and tasks beside each other', async () => {
		browser = await launchBrowser();
		page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
		rememberWindow(page);
		await page.goto(addressOf(printed) ?? '', { waitUntil: 'commit' });
		await workbenchStands(page);
		const frame = await webviewFrame(page, 'chat-composer');
		await frame.locator('chat-composer').first().waitFor();
		await page.locator('.part.sidebar').getByRole('button', { name: 'Start Task' }).first().waitFor();
		await screenshot(page, 'npm-start');
	});

	it('leaves no server behind when it is ended', async () => {
		const address = addressOf(printed) ?? '';
		launcher.kill('SIGTERM');
		const [code] = await once(launcher, 'exit');
		assert.equal(code, 0);
		await assert.rejects(fetch(address));
	});
});
