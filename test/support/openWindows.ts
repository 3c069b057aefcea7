import path from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';

export const screenshotFolder = path.resolve(import.meta.dirname, '../../test-output/screenshots');

/** True if this run keeps images of the windows. */
export const keepsImages = process.env['ERRAND_TEST_SCREENSHOTS'] !== undefined;

/** The time that a test waits for a window, in milliseconds. A busy machine needs a multiple of a quiet one's time. */
export const windowLimitMs = Number(process.env['ERRAND_TEST_WINDOW_MS'] ?? 60_000);

/** A window that does not answer within this time hangs, and is described as such. */
const answerLimitMs = 3_000;

/** The number of a window's failed requests that are described, the last ones. */
const FAILED_SHOWN = 5;

/** The open windows, each with its failed requests. */
const windows = new Map<Page, string[]>();

/** Gives a window the tests' time limit, and registers it for `describeWindows` until it is closed. */
export function rememberWindow(page: Page): void {
	page.setDefaultTimeout(windowLimitMs);
	const failed: string[] = [];
	windows.set(page, failed);
	page.on('requestfailed', request => {
		failed.push(`${request.failure()?.errorText} ${request.url().slice(0, 150)}`);
		failed.splice(0, failed.length - FAILED_SHOWN);
	});
	page.once('close', () => windows.delete(page));
}

/** Saves an image of each open window in test-output/screenshots, unless the run keeps none. */
export async function keepImages(name: string): Promise<void> {
	for (const [index, page] of keepsImages ? [...windows.keys()].entries() : []) {
		const file = path.join(screenshotFolder, `${name}${index === 0 ? '' : `-${index + 1}`}.png`);
		// A window that can no longer be drawn fails the test that looks at it.
		await page.screenshot({ path: file }).catch(() => {});
	}
}

/**
 * Describes what the open windows of this process show, one line each. The lines go into the error of a test that
 * waited in vain, often on a machine that nobody can look at. Each window's webview pages follow with their last words.
 * An image of each window is saved as well.
 */
export async function describeWindows(): Promise<string> {
	const lines = await Promise.all(
		[...windows].map(async ([page, failed], index) => {
			const unanswered = new Promise<string>(resolve =>
				setTimeout(resolve, answerLimitMs, 'It does not answer.').unref(),
			);
			const answerOf = (answer: Promise<string>) => Promise.race([answer, unanswered]).catch(String);
			const frames = page.frames().filter(frame => frame !== page.mainFrame());
			const [shown, ...inFrames] = await Promise.all([
				answerOf(page.evaluate(describe)),
				...frames.map(frame => answerOf(frame.evaluate(lastWords))),
			]);
			const file = path.join(screenshotFolder, `in-vain-${process.pid}-${index + 1}.png`);
			await Promise.race([page.screenshot({ path: file }), unanswered]).catch(() => {});
			const told = [
				`: ${shown}`,
				...failed.map(request => `, failed request: ${request}`),
				...inFrames.filter(words => words !== '').map(words => `, webview: … ${words}`),
			];
			return told.map(line => `  window ${index + 1}${line}`).join('\n');
		}),
	);
	return lines.join('\n');
}

/** Runs inside the page. */
async function describe(): Promise<string> {
	const words = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 300);
	const texts = (selector: string) =>
		[...document.querySelectorAll<HTMLElement>(selector)]
			.filter(element => element.getClientRects().length > 0)
			.map(element => words(element.innerText));
	const values = [...document.querySelectorAll<HTMLInputElement>('.quick-input-widget input')]
		.filter(element => element.getClientRects().length > 0)
		.map(element => words(element.value));
	const focus = document.activeElement;
	// Without animation frames, the page draws no list and performs no click.
	const draws = await new Promise<boolean>(resolve => {
		requestAnimationFrame(() => resolve(true));
		setTimeout(resolve, 1_000, false);
	});
	return JSON.stringify({
		title: document.title,
		focus: focus && `${focus.tagName} ${focus.getAttribute('class') ?? ''} ${focus.getAttribute('aria-label') ?? ''}`,
		draws,
		dialogs: texts('.monaco-dialog-box'),
		toasts: texts('.notification-toast'),
		quickInput: values,
		quickRows: texts('.quick-input-list .monaco-list-row').slice(0, 5),
		editors: [...document.querySelectorAll('.editor-instance .monaco-editor')].map(editor =>
			editor.getAttribute('data-uri'),
		),
	});
}

/** Runs inside the page of a webview. */
function lastWords(): string {
	const texts: string[] = [];
	const visit = (node: Node) => {
		if (node instanceof Text) {
			texts.push(node.data);
		} else if (!(node instanceof Element && node.matches('script, style'))) {
			for (const child of [...((node as Element).shadowRoot?.childNodes ?? []), ...node.childNodes]) {
				visit(child);
			}
		}
	};
	visit(document.body);
	return texts.join(' ').replace(/\s+/g, ' ').trim().slice(-500);
}
