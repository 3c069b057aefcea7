import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';

const installed = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/usr/bin/google-chrome-stable',
	'/opt/google/chrome/chrome',
	'/snap/bin/chromium',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
	'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** Ours, so that CI, a container and a user's machine show the same. */
export const browserFlags = [
	// A container has no user namespaces to build the sandbox from; nothing but our own pages is opened.
	'--no-sandbox',
	'--disable-dev-shm-usage',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-background-timer-throttling',
	'--disable-component-update',
	'--disable-quic',
	'--disable-renderer-backgrounding',
	'--disable-sync',
	'--no-first-run',
];

/** A Chromium or Chrome of this machine. */
export function findBrowser(): string | undefined {
	const chosen = process.env['CHROME_PATH'];
	if (chosen) {
		if (!fs.existsSync(chosen)) {
			throw new Error(`CHROME_PATH names ${chosen}, which does not exist. Correct it or unset it.`);
		}
		return chosen;
	}
	const folders = (process.env['PATH'] ?? '').split(path.delimiter);
	const onPath = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'].flatMap(name =>
		folders.map(folder => path.join(folder, name)),
	);
	return [...installed, ...onPath].find(file => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** A browser for the tests: the one there is, or a new one where the user or CI agrees to that. */
export async function ensureBrowser(): Promise<string> {
	const found = findBrowser();
	if (found !== undefined) {
		return found;
	}
	const prefix = process.getuid?.() === 0 ? '' : 'sudo ';
	const command = `${prefix}apt-get update && ${prefix}apt-get install -y chromium`;
	const advice = 'The tests need a Chromium or Chrome. Install one, or name it in CHROME_PATH.';
	if (!fs.existsSync('/usr/bin/apt-get')) {
		throw new Error(advice);
	}
	if (!process.env['CI'] && !(await agrees(command))) {
		throw new Error(`${advice} On this system:\n  ${command}`);
	}
	console.log(`Installing a Chromium for the tests: ${command}`);
	const code = await shell(command);
	const browser = findBrowser();
	if (code !== 0 || browser === undefined) {
		throw new Error(`Chromium could not be installed (exit code ${code}). ${advice}`);
	}
	return browser;
}

async function agrees(command: string): Promise<boolean> {
	if (!process.stdin.isTTY || !process.stdout.isTTY) {
		return false;
	}
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	const closed = once(terminal, 'close').then(() => '');
	const question = `The tests need a Chromium. Install it now?\n  ${command}\n[y/N] `;
	const answer = await Promise.race([terminal.question(question), closed]);
	terminal.close();
	return /^y(es)?$/i.test(answer.trim());
}

function shell(command: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const child = spawn('sh', ['-c', command], {
			stdio: ['inherit', 'inherit', 'inherit'],
			env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		});
		child.on('error', reject);
		child.on('exit', code => resolve(code ?? 1));
	});
}
