import { type Browser, chromium } from 'playwright-core';
import { browserOptions, findBrowser } from '../../scripts/browser.ts';

/** Launches the Chromium or Chrome of this machine. */
export function launchBrowser(): Promise<Browser> {
	const executablePath = findBrowser();
	if (executablePath === undefined) {
		throw new Error('No Chromium or Chrome is installed. Install one, or name it in CHROME_PATH.');
	}
	return chromium.launch(browserOptions(executablePath));
}
