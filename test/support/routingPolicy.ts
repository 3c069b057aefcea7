// The routing policy of a conversation in the window: choices, and who answers under them.
import type { Frame, Locator, Page } from 'playwright-core';
import { quickRow } from './editorWindow.ts';
import { ask, replyEnds, turns } from './errandWindow.ts';

export const policyButton = (frame: Frame): Locator => frame.getByRole('button', { name: /^Select Routing Policy/ });

/** Chooses one of the policies that are offered by name. */
export async function choosePreset(page: Page, frame: Frame, name: string): Promise<void> {
	await policyButton(frame).click();
	await quickRow(page, new RegExp(`^\\s*${name}`))
		.first()
		.click();
}

/** Allows a single provider. */
export async function allowOnly(page: Page, frame: Frame, slug: string): Promise<void> {
	await choosePreset(page, frame, 'Only these');
	const boxes = page.locator('.quick-input-widget:visible .monaco-list-row');
	await page.locator('.quick-input-widget:visible').getByText('Only These Providers').waitFor();
	await boxes.filter({ hasText: slug }).first().waitFor();
	for (const box of await boxes.all()) {
		const isWanted = (await box.innerText()).trim().startsWith(slug);
		if ((await box.locator('[role="checkbox"], input').first().getAttribute('aria-checked')) !== String(isWanted)) {
			await box.click();
		}
	}
	await page.keyboard.press('Enter');
	// The name of the policy may be the one that it had already.
	await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
	await frame.getByRole('button', { name: 'Select Routing Policy: Only these' }).waitFor();
}

/** Asks, and resolves with the heading of the whole reply, which names its provider. */
export async function askAndRead(frame: Frame, question: string): Promise<string> {
	await ask(frame, question);
	await replyEnds(frame);
	return turns(frame).last().locator('h3').innerText();
}
