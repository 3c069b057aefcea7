// What must hold of a page in every state.
import assert from 'node:assert/strict';
import { accessibilityViolations, THEME_RULES, violationLines } from '../support/accessibility.ts';
import type { TestPage } from './testPage.ts';
import { themeNames } from './themes.ts';

/** Shows a state of the page. */
type Scene<P> = (page: P) => Promise<void>;

/**
 * Shows each scene, and asserts that everybody can use it in any theme, and that nothing is wider than the view in any theme
 * at any of the widths. The rules of accessibility that no theme can break are checked in the dark one alone.
 */
export async function looksRight<P extends TestPage>(
	chat: P,
	scenes: Readonly<Record<string, Scene<P>>>,
	widths: readonly number[],
): Promise<void> {
	for (const [name, show] of Object.entries(scenes)) {
		await show(chat);
		await coloured(chat);
		for (const theme of themeNames) {
			await chat.setTheme(theme);
			const violations = await accessibilityViolations(chat.page, theme === 'dark' ? undefined : THEME_RULES);
			assert.deepEqual(violationLines(violations), [], `${name} in ${theme}`);
			await fits(chat, `${name}-${theme}`, widths);
		}
	}
}

/** Asserts that nothing in the page is wider than the view at any of the widths. `name` names the screenshots. */
export async function fits(chat: TestPage, name: string, widths: readonly number[]): Promise<void> {
	const size = chat.page.viewportSize();
	assert.ok(size);
	for (const width of widths) {
		await chat.page.setViewportSize({ ...size, width });
		await chat.screenshot(`${name}-${width}`);
		assert.deepEqual(await overflowing(chat), [], `${name} at ${width} pixels`);
	}
	await chat.page.setViewportSize(size);
}

/** Waits for the colours of code, which come a moment after it is shown. */
async function coloured(chat: TestPage): Promise<void> {
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

/** Finds elements that are wider than the view. Boxes that scroll by themselves may hold wider content. */
export function overflowing(chat: TestPage): Promise<string[]> {
	return chat.page.evaluate(() => {
		const found: string[] = [];
		const visit = (root: Document | ShadowRoot | Element) => {
			for (const element of root.children) {
				// Turns out of sight get their new width when they come into sight.
				const isSkipped = !element.checkVisibility({ contentVisibilityAuto: true });
				if (isSkipped || element.classList.contains('screen-reader')) {
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
