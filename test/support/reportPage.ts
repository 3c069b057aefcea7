import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { accessibilityViolations, violationLines } from './accessibility.ts';
import { type Theme, until, webviewFrame } from './editorWindow.ts';

/** The page of a report that is open in a window or about to open. */
export class ReportPage {
	private readonly window: Page;
	private readonly kind: string;

	constructor(window: Page, kind: 'comparison' | 'decision' | 'steps') {
		this.window = window;
		this.kind = kind;
	}

	/** Waits for the frame of the page, which is a new one each time the report is opened. */
	frame(): Promise<Frame> {
		return webviewFrame(this.window, `${this.kind}-report main`);
	}

	/** Resolves with everything that the page shows. */
	async text(): Promise<string> {
		return (await this.frame()).locator('main').innerText();
	}

	/** Waits until the sentence at the top of the page matches. The error contains the actual sentence. */
	async says(expected: RegExp): Promise<void> {
		let sentence = '';
		await until(`the report says ${expected}`, async () => {
			sentence = await this.sentence();
			return expected.test(sentence);
		}).catch((error: Error) => {
			throw new Error(`${error.message}; it says “${sentence}”`, { cause: error });
		});
	}

	/** Clicks on a button of the page. */
	async press(name: string): Promise<void> {
		await (await this.frame()).getByRole('button', { name, exact: true }).click();
	}

	/** Waits until the page is drawn in a theme, and is at most `widest` pixels wide. */
	async isDrawn(theme: Theme, widest: number): Promise<void> {
		const frame = await this.frame();
		await until('the page has its theme and its width', () =>
			frame.evaluate(
				([kind, pixels]) =>
					document.body.dataset['vscodeThemeKind'] === kind && document.documentElement.clientWidth <= pixels,
				[`vscode-${theme}`, widest] as const,
			),
		);
	}

	/** Asserts that the page as it is drawn now is accessible, and that it does not scroll sideways. */
	async isSound(what: string): Promise<void> {
		const frame = await this.frame();
		const serious = (await accessibilityViolations(frame)).filter(
			({ impact }) => impact === 'serious' || impact === 'critical',
		);
		assert.deepEqual(violationLines(serious), [], what);
		const { shown, needed } = await frame.evaluate(() => ({
			shown: document.documentElement.clientWidth,
			needed: document.documentElement.scrollWidth,
		}));
		assert.ok(needed <= shown, `${what}: it needs ${needed} of ${shown} pixels`);
	}

	private async sentence(): Promise<string> {
		const frame = await this.frame();
		// While the page is being redrawn, the frame may not answer, and there is no sentence to read.
		const texts = await frame
			.locator('.sentence')
			.allInnerTexts()
			.catch(() => []);
		return texts.join(' ');
	}
}
