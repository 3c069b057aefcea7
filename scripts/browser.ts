import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './bootstrap/folders.mjs';
import { ensureDebianPackage } from './debianPackage.ts';

/** Chromium without its user interface, which takes half of the processor time in a run of the tests. */
const HEADLESS_SHELL = 'chromium-headless-shell';

const installed = [
	`/usr/bin/${HEADLESS_SHELL}`,
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

/** We choose these flags, so that CI, a container and a user's machine show the same. */
const flags = [
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

/**
 * Returns the launch options of a browser. On Linux it gets only the project's fonts, because text of other widths
 * wraps and is cut off elsewhere. Other systems have no fontconfig and ignore its variable.
 */
export function browserOptions(executablePath: string) {
	const fonts = path.join(root, 'scripts', 'fonts.conf');
	return { executablePath, args: flags, env: { ...process.env, FONTCONFIG_FILE: fonts } };
}

/** Returns a Chromium or Chrome of this machine. */
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

/**
 * Resolves with the path of a browser for the tests: the installed one, or a new one if the user agrees or the run is
 * in CI. CI gets the fastest one if the system offers it.
 */
export async function ensureBrowser(): Promise<string> {
	const found = findBrowser();
	const isOffered = () => spawnSync('apt-cache', ['show', HEADLESS_SHELL], { stdio: 'ignore' }).status === 0;
	if (found !== undefined && (found.endsWith(HEADLESS_SHELL) || !process.env['CI'] || !isOffered())) {
		return found;
	}
	const installing = ensureDebianPackage({
		what: 'a Chromium',
		packageName: HEADLESS_SHELL,
		find: () => (findBrowser() === found ? undefined : findBrowser()),
		advice: 'The tests need a Chromium or Chrome. Install one, or name it in CHROME_PATH.',
	});
	return found === undefined ? installing : installing.catch(() => found);
}
