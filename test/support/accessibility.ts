import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, Result, RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

/** The rules whose verdict depends on the theme. */
export const THEME_RULES = ['color-contrast', 'link-in-text-block'];

type WithAxe = { axe?: { run(options: RunOptions): Promise<AxeResults> } };

/** Resolves with axe's findings for a page as it is drawn now, by all rules or only by the named ones. */
export async function accessibilityViolations(page: Page | Frame, rules?: readonly string[]): Promise<Result[]> {
	if (!(await page.evaluate(() => (globalThis as WithAxe).axe !== undefined))) {
		// The policy of the page lets no script in, so axe is injected like the developer tools' own code.
		await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
	}
	const { passes, violations } = await page.evaluate(
		async chosen => {
			const { axe } = globalThis as WithAxe;
			return axe?.run({
				// Only violations need the long description of each element.
				resultTypes: ['violations'],
				...(chosen && { runOnly: chosen }),
				rules: {
					// The order of the headings in a reply is the model's.
					'heading-order': { enabled: false },
					'target-size': { enabled: true },
				},
			}) as Promise<AxeResults>;
		},
		rules && [...rules],
	);
	assert.ok(passes.length > (rules ? 0 : 10), 'axe looked at the page');
	return violations;
}

/** Returns a line for each violation, with the elements that it is about. */
export const violationLines = (violations: readonly Result[]): string[] =>
	violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
