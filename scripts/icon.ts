import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './bootstrap/folders.mjs';
import { browserOptions, ensureBrowser } from './browser.ts';

/** The marketplaces do not accept vector images as icons, and show this one on pages of any colour. */
const SIZE = 256;

/** Draws the icon for the marketplaces' pages from the icon of the activity bar. */
export async function makeIcon(): Promise<number> {
	const drawing = fs.readFileSync(path.join(root, 'media', 'errand.svg'), 'utf8');
	const { color } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).galleryBanner;
	const browser = await chromium.launch(browserOptions(await ensureBrowser()));
	try {
		const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
		await page.setContent(
			`<style>
				body { margin: 0; }
				main { height: 100vh; display: grid; place-items: center; color: white; background: ${color}; border-radius: 22%; }
				svg { width: 70%; height: 70%; transform: translateY(3%); }
			</style><main>${drawing}</main>`,
		);
		await page.screenshot({ path: path.join(root, 'media', 'icon.png'), omitBackground: true });
	} finally {
		await browser.close();
	}
	return 0;
}
