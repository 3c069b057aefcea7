import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { knownAgents } from '../../src/agents/catalogue/knownAgents.ts';
import { MODEL_SERVICES } from '../../src/models/model/modelServices.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	dismissInput,
	openFile,
	openView,
	quickRow,
	resizeChat,
	runCommand,
	until,
	webviewFrame,
} from '../support/editorWindow.ts';
import { ask, logText, openPrompt, promptEditor, replyEnds, takeStart, taskRow } from '../support/errandWindow.ts';
import { addPseudoLanguage, pseudoText, untranslated } from '../support/pseudoLanguage.ts';
import { type ShownText, shownTexts } from '../support/shownTexts.ts';

const QUESTION = 'qqq';
const PROMPT = 'ppp';
const DECISION_FILE = `${QUESTION}.decision.json`;

/** Names, which are the same in every language, and what the texts of the test are about. */
const NAMES: readonly string[] = [
	// A longer name comes before one that is a part of it.
	...MODEL_SERVICES.flatMap(({ label, url }) => [new URL(url).host, label]).sort(
		(one, other) => other.length - one.length,
	),
	'Local',
	'Demo image',
	'Demo search',
	'Demo Two',
	'demo-image',
	'demo-two',
	'errand-decisions-latest',
	'errand-decisions',
	'errand-search',
	'Errand',
	'Demo',
	'demo',
	...knownAgents.map(({ label }) => label),
	DECISION_FILE,
	QUESTION,
	PROMPT,
	'sample-origin',
	'sample',
	'main',
	// Fields of requests, and the example of a name.
	'temperature',
	'seed',
	'acme',
];

/** Matches text that is no word of a language. */
const NOT_WORDS = new RegExp(
	[
		String.raw`\b(?:chatcmpl-|errand/${PROMPT}-)[\da-f-]+`,
		String.raw`\berrand(?:\.\w+)+|\berrand-editor-\w+`,
		// The fields of requests.
		String.raw`\b[a-z]+(?:_[a-z]+)+\b`,
		// Why a reply ended, in the word of its provider.
		String.raw`\bstop\b`,
		// The values of a statement.
		String.raw`\b(?:true|false)\b`,
		String.raw`(?:Ctrl|Shift|Alt|Control)(?:\+\w+)+`,
		// Numbers, and what the platform says of times.
		String.raw`\b[A-Z][a-z]{2} \d{1,2}, \d{4}, |\bv?\d[\d.,:/]*(?: ?[AP]M\b)?|\bnow\b`,
		String.raw`\$\([\w~-]+\)`,
	].join('|'),
	'g',
);

/** Texts in English: the demo's replies, on the page and for screen readers, and a message's age in the platform's words. */
const CONTENT = 'chat-markdown, .announcements, .question, time';

/**
 * The parts of a list whose texts are ours. What surrounds them is the editor's, which shortens what stands behind and
 * below a label to the room that is left.
 */
const LABELS = [
	'.quick-input-title',
	'.quick-input-description',
	'.quick-input-box input',
	'.quick-input-list .label-name:not(.quick-input-list-label-meta *)',
	'.quick-input-list .quick-input-list-separator',
	'.quick-input-list .action-label',
	'.quick-input-inline-action-bar .action-label',
].join(', ');
const DESCRIPTIONS = '.quick-input-list .label-description, .quick-input-list-label-meta .label-name';

describe('the window in another language', () => {
	let scratch: string;
	let server: EditorServer;
	let page: Page;
	let chat: Frame;

	const command = (title: string) => `Errand: ${pseudoText(title)}`;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-language-'));
		const extension = path.join(scratch, 'extension');
		addPseudoLanguage(process.env['ERRAND_TEST_EXTENSION'] ?? '', extension);
		server = await startEditor({ extension, pseudoLanguage: true });
		({ page } = await openWindow(server));
		await openView(page, 'Errand');
		// The second key of a chord is lost where the window is busy for longer than the editor waits for it.
		await until('the chat is in sight', async () => {
			await page.keyboard.press('ControlOrMeta+K');
			await page.keyboard.press('a');
			return appears(page.locator('.part.auxiliarybar'), 10_000);
		});
		chat = await webviewFrame(page, 'chat-composer');
		await chat.locator('chat-app .turns > *').first().waitFor({ state: 'attached' });
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	/** Asserts that some elements show texts, all of them translated and none of them cut off. */
	async function assertTranslated(regions: Locator, without?: string): Promise<void> {
		await until('something is translated', async () => (await shownTexts(regions, without)).some(isTranslated));
		const texts = await shownTexts(regions, without);
		assert.deepEqual(texts.map(problemOf).filter(Boolean), []);
	}

	/** Asserts the same of texts that the editor shortens where it has no room. */
	async function assertWords(regions: Locator): Promise<void> {
		const texts = await shownTexts(regions);
		assert.deepEqual(texts.map(text => problemOf({ ...text, isCut: false })).filter(Boolean), []);
	}

	async function assertTranslatedList(list: Locator): Promise<void> {
		await assertTranslated(list.locator(LABELS));
		await assertWords(list.locator(DESCRIPTIONS));
	}

	it('has no untranslated word in the chat, empty and with a reply, and cuts nothing off, narrow and wide', async () => {
		await assertTranslated(chat.locator('body'), CONTENT);
		await ask(chat, QUESTION);
		await replyEnds(chat);
		await assertTranslated(chat.locator('body'), CONTENT);
		await chat.getByRole('button', { name: 'Details of the reply' }).click();
		for (const width of [300, 220, 600]) {
			await resizeChat(page, chat, width);
			await assertTranslated(chat.locator('body'), CONTENT);
		}
		await resizeChat(page, chat, 300);
		await assertTranslated(
			page.locator(
				'.welcome-view-content .welcome-view-content, .welcome-view-content p, .welcome-view-content .button-container',
			),
		);
		assert.equal(await page.locator('.welcome-view-content .monaco-button').count(), 1);
	});

	it('asks, lists, describes its settings and reports in that language', async () => {
		const press = (name: RegExp) => chat.locator('chat-composer').getByRole('button', { name }).click();
		const list = page.locator('.quick-input-widget:visible');
		const lists: (() => Promise<unknown>)[] = [
			() => press(/Select Model/),
			() => press(/Select Routing Policy/),
			async () => {
				await press(/Select Model/);
				// The words are typed, because a row further down is not drawn.
				await list.locator('input').fill('Parameters…');
				await quickRow(page, 'Parameters…').click();
			},
			() => runCommand(page, pseudoText('Add Context to Errand Chat…')),
			() => runCommand(page, command('Switch or Add Connection…')),
			() => runCommand(page, command('Add Service…')),
			() => runCommand(page, command('Set Up Agents…')),
			() => page.locator('.part.sidebar').getByRole('button', { name: 'Filter Tasks…' }).first().click(),
			() => runCommand(page, command('Show Encryption Evidence')),
		];
		for (const open of lists) {
			await open();
			await list.waitFor();
			await assertTranslatedList(list);
			await dismissInput(page);
		}
		// A conversation is described with what was said in it.
		await runCommand(page, command('Open Conversation…'));
		await assertTranslated(list.locator(LABELS));
		await dismissInput(page);

		await runCommand(page, 'Preferences: Open Settings (UI)');
		await page.locator('.settings-editor .settings-header .monaco-editor').click();
		await page.keyboard.insertText('@ext:errand.errand');
		const descriptions = page.locator('.settings-editor .setting-item-description');
		await until('the settings are shown', async () => (await shownTexts(descriptions)).some(isTranslated));
		await assertTranslated(descriptions);
		await runCommand(page, 'View: Close Editor');

		const question = { instructions: QUESTION, criteria: { true: QUESTION, false: PROMPT } };
		const decision = { state: { [PROMPT]: QUESTION }, questions: { [PROMPT]: { type: 'noul', ...question } } };
		writeFileSync(path.join(server.folder, DECISION_FILE), JSON.stringify(decision));
		await openFile(page, DECISION_FILE);
		await runCommand(page, command('Evaluate Decision File'));
		const main = (await webviewFrame(page, 'decision-report main')).locator('main');
		await main.locator('table.parts').waitFor();
		await assertTranslated(main, 'h1, code');
		await main.locator('button.primary').click();
		await main.locator('.runs').waitFor();
		await assertTranslated(main, 'h1, code');
		await runCommand(page, 'View: Close All Editors');
	});

	it('leads a task in that language from its prompt and the list before it to its log, its row, its menu and a notification', async () => {
		const frame = await openPrompt(page, command('Start Task…'));
		const composer = frame.locator('chat-composer');
		// The names of a repository, a branch, an agent and a model stay as they are.
		await composer.locator('.task-choice').nth(5).waitFor();
		await assertTranslated(composer.locator('.task-choice:nth-child(n + 5) .word, .choice .word'));
		await composer.locator('textarea').fill(PROMPT);
		await composer.locator('.row .icon-button').nth(1).click();
		// The editor comes before the prompt is in it, and starts no task without one.
		const editor = promptEditor(page);
		await editor.and(page.locator('.focused')).filter({ hasText: PROMPT }).waitFor();
		await until('the prompt is empty', async () => {
			// The cursor is put behind the prompt a moment after its text has come, which ends a selection.
			await page.keyboard.press('ControlOrMeta+A');
			await page.keyboard.press('Delete');
			return (await editor.filter({ hasText: PROMPT }).count()) === 0;
		});
		// An empty prompt shows a hint of its own, and not the editor's for empty files.
		await editor.locator('.view-lines [class*="ced-"]').last().waitFor();
		assert.equal(await editor.locator('.empty-editor-hint').count(), 0);
		await page.keyboard.insertText(PROMPT);
		await assertTranslated(page.locator('.editor-instance .codelens-decoration:visible, .tab.active .label-name'));
		await page.keyboard.press('ControlOrMeta+Enter');
		const list = page.locator('.quick-input-widget:visible');
		await list.locator('.monaco-list-row').filter({ hasText: '⟦Start Task ' }).waitFor();
		await assertTranslatedList(list);
		await takeStart(page, '⟦Start Task ');
		await taskRow(page, PROMPT).filter({ hasText: 'in 1 file' }).waitFor();
		await assertWords(
			page.locator('.part.sidebar .pane-body .monaco-list-row').locator('.label-name, .label-description'),
		);
		// The service's own words stay as they are. How the task ended is said by Errand.
		await until('the log is whole', async () => /⟦[^\n]*$/.test(logText(server, PROMPT).trimEnd()));
		await taskRow(page, PROMPT).first().hover();
		const hover = page.locator('.workbench-hover:visible .hover-contents');
		await hover.first().waitFor();
		await assertTranslated(hover);
		await taskRow(page, PROMPT).first().click({ button: 'right' });
		const menu = page.locator('.context-view .monaco-menu');
		await menu.waitFor();
		await assertTranslated(menu.locator('.action-label'));
		await page.keyboard.press('Escape');
		// No task is at work any more, which a notification tells.
		await runCommand(page, command('Stop Task…'));
		const notice = page.locator('.notification-toast').first();
		await notice.waitFor();
		await assertTranslated(notice.locator('.notification-list-item-message, .monaco-button'));
		await runCommand(page, 'Notifications: Clear All Notifications');
	});
});

const isTranslated = ({ text }: ShownText): boolean => untranslated(text) !== text.replaceAll(/\s+/g, ' ').trim();

/** Returns what is wrong with a text, if something is. */
function problemOf({ text, where, isCut }: ShownText): string | undefined {
	const words = untranslated(text).replaceAll(NOT_WORDS, ' ');
	const rest = NAMES.reduce((left, name) => left.replaceAll(name, ' '), words);
	if (/\p{L}{2}/u.test(rest)) {
		return `not translated: “${rest.replaceAll(/\s+/g, ' ').trim()}” of “${text}” (${where})`;
	}
	return isCut ? `cut off: “${text}” (${where})` : undefined;
}
