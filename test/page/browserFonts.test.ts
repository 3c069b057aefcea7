import assert from 'node:assert/strict';
import process from 'node:process';
import { sharedBrowser } from '../support/browser.ts';

/** The families that the editor asks for, that its browser falls back to, and one that nobody has. */
const FAMILIES = ['system-ui', 'sans-serif', 'serif', 'monospace', 'Arial', 'A Family That Nobody Has'];

describe('the browser of the tests', () => {
	before(function () {
		// Other systems choose fonts by themselves.
		if (process.platform !== 'linux') {
			this.skip();
		}
	});

	it('draws every text with the fonts of the project, whichever the machine has', async () => {
		const page = await (await sharedBrowser()).newPage();
		await page.setContent('<p>Errand → ✓</p>');
		const devtools = await page.context().newCDPSession(page);
		await devtools.send('DOM.enable');
		await devtools.send('CSS.enable');
		const { root } = await devtools.send('DOM.getDocument');
		const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
		for (const family of FAMILIES) {
			await page.locator('p').evaluate((text, wanted) => {
				text.style.fontFamily = wanted;
			}, family);
			const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
			assert.ok(fonts.length > 0, family);
			for (const { familyName } of fonts) {
				assert.match(familyName, /^DejaVu Sans|^DejaVu Serif/, family);
			}
		}
		await page.close();
	});
});
