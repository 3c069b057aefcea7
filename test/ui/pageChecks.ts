// What must hold of a page in every state.
import assert from 'node:assert/strict';
import { accessibilityViolations, THEME_RULES, violationLines } from '../support/accessibility.ts';
import type { TestPage } from './testPage.ts';
import { themeNames } from './themes.ts';

/** Shows a state of the page. */
type Scene<P> = (page: P) => Promise<void>;

/** The widths of the tab of a report. The first one is what 200 % zoom leaves of a narrow one. */
export const REPORT_WIDTHS = [200, 1000];

/**
 * Shows each scene, and asserts that everybody can use it: in any theme, with forced colours and with reduced motion, and
 * with nothing wider than the view at any of the widths. What no theme can change is checked in the dark one alone; the
 * first width is the narrowest that is checked in all of them.
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
			await fits(chat, `${name}-${theme}`, theme === 'dark' ? widths : widths.slice(0, 1));
		}
		await chat.page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
		await fits(chat, `${name}-forced-colours`, widths.slice(0, 1));
		assert.deepEqual(await moving(chat), [], `${name} with reduced motion`);
		// What has the focus is looked for last, because a list closes where another element gets it.
		assert.deepEqual(await withUnseenFocus(chat), [], `${name} with forced colours`);
		await chat.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
		for (const theme of themeNames) {
			await chat.setTheme(theme);
			assert.deepEqual(await withUnseenFocus(chat), [], `${name} in ${theme}`);
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

/** Finds elements that move. */
function moving(chat: TestPage): Promise<string[]> {
	return chat.page.evaluate(() => {
		const visit = (root: Document | ShadowRoot): string[] => [
			...root.getAnimations().map(animation => `${(animation as CSSAnimation).animationName}`),
			...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? visit(shadowRoot) : [])),
		];
		return visit(document);
	});
}

/**
 * Finds elements that look the same with the keyboard focus as without it. One of each kind is tried. A field may show
 * the focus by the border of the box that it is in.
 */
async function withUnseenFocus(chat: TestPage): Promise<string[]> {
	// From now on, the browser shows where the focus is.
	await chat.page.keyboard.press('F9');
	return chat.page.evaluate(() => {
		const elements: HTMLElement[] = [];
		const visit = (root: Document | ShadowRoot) => {
			for (const element of root.querySelectorAll<HTMLElement>('*')) {
				if (element.tabIndex >= 0 && element.checkVisibility({ contentVisibilityAuto: true })) {
					elements.push(element);
				}
				if (element.shadowRoot) {
					visit(element.shadowRoot);
				}
			}
		};
		visit(document);
		const look = (element: HTMLElement) => {
			const styles = [element, element.parentElement].flatMap(each => (each ? [getComputedStyle(each)] : []));
			return styles.map(({ outlineStyle, outlineWidth, outlineColor, borderColor }) =>
				[borderColor, ...(outlineStyle === 'none' ? [] : [outlineStyle, outlineWidth, outlineColor])].join(),
			);
		};
		const found = new Set<string>();
		const tried = new Set<string>();
		for (const element of elements) {
			const kind = `${element.localName}.${element.className}`;
			if (tried.has(kind)) {
				continue;
			}
			tried.add(kind);
			let focused = document.activeElement;
			while (focused?.shadowRoot?.activeElement) {
				focused = focused.shadowRoot.activeElement;
			}
			(focused as HTMLElement | null)?.blur();
			const before = look(element);
			element.focus({ preventScroll: true });
			if (element.matches(':focus') && look(element).join() === before.join()) {
				found.add(kind);
			}
		}
		return [...found];
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
				// What only screen readers read is clipped.
				if (isSkipped || getComputedStyle(element).clipPath === 'inset(50%)') {
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
