import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { SCENES } from '../ui/scenes.ts';
import { type ThemeName, themes } from '../ui/themes.ts';

describe('the chat page', function () {
	this.timeout(120_000);
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	describe('looks', () => {
		for (const theme of ['dark', 'light', 'highContrast'] as const satisfies ThemeName[]) {
			for (const width of [200, 300, 600]) {
				it(`right in ${theme} at ${width} pixels: nothing wider than the view`, async () => {
					await open({ theme, width });
					for (const [name, show] of Object.entries(SCENES)) {
						await show(chat);
						await chat.screenshot(`${name}-${theme}-${width}`);
						assert.deepEqual(await overflowing(chat), [], name);
					}
				});
			}
		}

		it('right at 200 % zoom, where half the pixels are left', async () => {
			await open({ width: 150, height: 350, scale: 2 });
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				await chat.screenshot(`${name}-zoomed`);
				assert.deepEqual(await overflowing(chat), [], name);
			}
		});

		it('right with forced colours', async () => {
			await open({ forcedColors: true, width: 300 });
			for (const name of ['rich', 'error', 'streaming'] as const) {
				await SCENES[name]?.(chat);
				await chat.screenshot(`${name}-forced-colours`);
			}
		});

		it('still with reduced motion, and says in a word that it streams', async () => {
			await open({ reducedMotion: true, width: 300 });
			await SCENES['streaming']?.(chat);
			await chat.screenshot('streaming-reduced-motion');
			assert.equal(await chat.page.getByText('Streaming', { exact: true }).isVisible(), true);
			const animation = () =>
				chat.page.locator('.progress.active').evaluate(element => getComputedStyle(element, '::before').animationName);
			assert.equal(await animation(), 'none');
			await chat.close();
			await open({ width: 300 });
			await SCENES['streaming']?.(chat);
			assert.equal(await chat.page.getByText('Streaming', { exact: true }).isVisible(), false);
			assert.equal(await animation(), 'slide');
		});
	});

	for (const theme of Object.keys(themes) as ThemeName[]) {
		it(`has no accessibility violation in any state, in ${theme}`, async () => {
			await open({ theme, width: 300 });
			// The policy of the page lets no script in, so axe comes in the way of the developer tools.
			await chat.page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				await coloured(chat);
				const results = await chat.page.evaluate(() =>
					// The order of the headings in a reply is the model's.
					(window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
						rules: { 'heading-order': { enabled: false } },
					}),
				);
				assert.deepEqual(
					results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`),
					[],
					name,
				);
				assert.ok(results.passes.length > 10, 'axe looked at the page');
			}
		});
	}
});

/** Code is coloured a moment after it is shown. */
async function coloured(chat: ChatPage): Promise<void> {
	await chat.page.waitForFunction(() => {
		const codes: Element[] = [];
		const visit = (root: Document | ShadowRoot) => {
			codes.push(...root.querySelectorAll('pre > code[class^="language-"]'));
			for (const element of root.querySelectorAll('*')) {
				if (element.shadowRoot) {
					visit(element.shadowRoot);
				}
			}
		};
		visit(document);
		return codes.every(code => code.childElementCount > 0);
	});
}

/** What sticks out of the view to the side. Boxes that scroll by themselves may hold what is wider. */
function overflowing(chat: ChatPage): Promise<string[]> {
	return chat.page.evaluate(() => {
		const found: string[] = [];
		const visit = (root: Document | ShadowRoot | Element) => {
			for (const element of root.children) {
				if (element.classList.contains('screen-reader')) {
					continue;
				}
				const { right, width } = element.getBoundingClientRect();
				if (width > 0 && right > document.documentElement.clientWidth + 0.5) {
					found.push(`${element.localName}.${element.className}`);
				}
				const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
				if (!scrolls) {
					visit(element);
					if (element.shadowRoot) {
						visit(element.shadowRoot);
					}
				}
			}
		};
		visit(document.body);
		const log = document.querySelector('chat-app')?.shadowRoot?.querySelector('.log');
		if (log && log.scrollWidth > log.clientWidth) {
			found.push('the log scrolls sideways');
		}
		return found;
	});
}
