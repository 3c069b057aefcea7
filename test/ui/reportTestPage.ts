import type { Locator } from 'playwright-core';
import { TestPage } from './testPage.ts';

/** The page of a report, which is given all that it shows at once. */
export class ReportTestPage<View> extends TestPage {
	/** Resolves when the page has drawn the view. */
	async show(view: View, state?: unknown): Promise<void> {
		await this.page.evaluate(
			async message => {
				window.postMessage(message, '*');
				await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			},
			{ kind: 'view-set', view, state },
		);
	}

	button(name: string): Locator {
		return this.page.getByRole('button', { name, exact: true });
	}

	/** Presses buttons, and resolves with what the page has posted for them. */
	async press(...names: string[]): Promise<unknown[]> {
		const before = (await this.posted()).length;
		for (const name of names) {
			await this.button(name).click();
		}
		return (await this.posted()).slice(before);
	}
}
