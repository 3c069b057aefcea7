import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pseudoText, untranslated } from '../support/pseudoLanguage.ts';
import { shownTexts } from '../support/shownTexts.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { SCENES } from '../ui/scenes.ts';

const texts: Record<string, string | { message: string }> = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8'));
const bundle = Object.fromEntries(Object.entries(texts).map(([key]) => [key, pseudoText(key)]));

describe('the chat page in another language', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	for (const width of [220, 300, 600]) {
		it(`cuts off none of its words in any state at ${width} pixels`, async () => {
			await open({ width, bundle });
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				const shown = await shownTexts(chat.page.locator('body'));
				const translated = shown.filter(({ text }) => untranslated(text) !== text.replaceAll(/\s+/g, ' ').trim());
				assert.ok(translated.length > 0, name);
				await chat.screenshot(`${name}-language-${width}`);
				assert.deepEqual(
					translated.filter(({ isCut }) => isCut).map(({ text, where }) => `${text} (${where})`),
					[],
					name,
				);
			}
		});
	}
});
