import { type Browser, chromium } from 'playwright-core';
import { browserOptions, findBrowser } from '../../scripts/browser.ts';

let shared: Promise<Browser> | undefined;

/** Resolves with the browser that the tests of this process share, each in a profile of its own. */
export function sharedBrowser(): Promise<Browser> {
	shared ??= launchBrowser().then(browser => browser.once('disconnected', () => (shared = undefined)));
	return shared;
}

export async function closeSharedBrowser(): Promise<void> {
	await (await shared)?.close();
}

/** Launches the Chromium or Chrome of this machine. */
export function launchBrowser(): Promise<Browser> {
	const executablePath = findBrowser();
	if (executablePath === undefined) {
		throw new Error('No Chromium or Chrome is installed. Install one, or name it in CHROME_PATH.');
	}
	return chromium.launch(browserOptions(executablePath));
}
