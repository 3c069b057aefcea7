// What must hold of the chat page in every state.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { ChatPage } from './chatPage.ts';

/** What axe finds wrong with the page. */
export async function inaccessible(chat: ChatPage): Promise<string[]> {
	// The policy of the page lets no script in, so axe comes in the way of the developer tools.
	await chat.page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
	const results = await chat.page.evaluate(() =>
		// The order of the headings in a reply is the model's.
		(window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
			rules: { 'heading-order': { enabled: false } },
		}),
	);
	assert.ok(results.passes.length > 10, 'axe looked at the page');
	return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
}

/** Code is coloured a moment after it is shown. */
export async function coloured(chat: ChatPage): Promise<void> {
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
export function overflowing(chat: ChatPage): Promise<string[]> {
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
