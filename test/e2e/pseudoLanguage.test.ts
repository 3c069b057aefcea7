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
	screenshot,
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

	it('has a chat without an untranslated word, empty and with a reply', async () => {
		await assertTranslated(chat.locator('body'), CONTENT);
		await ask(chat, QUESTION);
		await replyEnds(chat);
		await assertTranslated(chat.locator('body'), CONTENT);
		await chat.getByRole('button', { name: 'Details of the reply' }).click();
		await screenshot(page, 'language-chat');
		await assertTranslated(chat.locator('body'), CONTENT);
	});

	for (const width of [220, 600]) {
		it(`cuts off nothing in a chat of ${width} pixels`, async () => {
			await resizeChat(page, chat, width);
			await screenshot(page, `language-chat-${width}`);
			await assertTranslated(chat.locator('body'), CONTENT);
			await resizeChat(page, chat, 300);
		});
	}

	it('has an empty list of tasks that is translated, with its button', async () => {
		await assertTranslated(
			page.locator(
				'.welcome-view-content .welcome-view-content, .welcome-view-content p, .welcome-view-content .button-container',
			),
		);
		assert.equal(await page.locator('.welcome-view-content .monaco-button').count(), 1);
	});

	const press = (name: RegExp) => chat.locator('chat-composer').getByRole('button', { name }).click();
	const connections = command('Switch or Add Connection…');
	/** The words are typed, because a row further down is not drawn. */
	const pickTranslated = async (label: string) => {
		await page.locator('.quick-input-widget:visible input').fill(label);
		await quickRow(page, label).click();
	};
	const lists: Record<string, () => Promise<unknown>> = {
		'Select Model': () => press(/Select Model/),
		'Select Routing Policy': () => press(/Select Routing Policy/),
		Parameters: async () => {
			await press(/Select Model/);
			await pickTranslated('Parameters…');
		},
		'Add Context': () => runCommand(page, pseudoText('Add Context to Errand Chat…')),
		'Switch or Add Connection': () => runCommand(page, connections),
		'Add Service': () => runCommand(page, command('Add Service…')),
		'Set Up Agents': () => runCommand(page, command('Set Up Agents…')),
		'Filter Tasks': () => page.locator('.part.sidebar').getByRole('button', { name: 'Filter Tasks…' }).first().click(),
		'Show Encryption Evidence': () => runCommand(page, command('Show Encryption Evidence')),
	};
	for (const [title, open] of Object.entries(lists)) {
		it(`asks in that language after ${title}`, async () => {
			await open();
			const list = page.locator('.quick-input-widget:visible');
			await list.waitFor();
			await assertTranslatedList(list);
			await screenshot(page, `language-${title.replaceAll(/\W+/g, '-')}`);
			await dismissInput(page);
		});
	}

	it('lists conversations in that language, each with what was said in it', async () => {
		await runCommand(page, command('Open Conversation…'));
		await assertTranslated(page.locator('.quick-input-widget:visible').locator(LABELS));
		await dismissInput(page);
	});

	it('describes its settings in that language', async () => {
		await runCommand(page, 'Preferences: Open Settings (UI)');
		const field = page.locator('.settings-editor .settings-header .monaco-editor');
		await field.click();
		await page.keyboard.insertText('@ext:errand.errand');
		const descriptions = page.locator('.settings-editor .setting-item-description');
		await until('the settings are shown', async () => (await shownTexts(descriptions)).some(isTranslated));
		await screenshot(page, 'language-settings');
		await assertTranslated(descriptions);
		await runCommand(page, 'View: Close Editor');
	});

	it('shows a decision in that language, before it is sent and with its answers', async () => {
		const question = { instructions: QUESTION, criteria: { true: QUESTION, false: PROMPT } };
		const decision = { state: { [PROMPT]: QUESTION }, questions: { [PROMPT]: { type: 'noul', ...question } } };
		writeFileSync(path.join(server.folder, DECISION_FILE), JSON.stringify(decision));
		await openFile(page, DECISION_FILE);
		await runCommand(page, command('Evaluate Decision File'));
		const main = (await webviewFrame(page, 'decision-report main')).locator('main');
		await main.locator('table.parts').waitFor();
		await screenshot(page, 'language-decision');
		await assertTranslated(main, 'h1, code');
		await main.locator('button.primary').click();
		await main.locator('.runs').waitFor();
		await screenshot(page, 'language-decision-answers');
		await assertTranslated(main, 'h1, code');
		await runCommand(page, 'View: Close All Editors');
	});

	it('starts a task in that language: prompt, list before it, row, hover and menu', async () => {
		const frame = await openPrompt(page, command('Start Task…'));
		const composer = frame.locator('chat-composer');
		// The names of a repository, a branch, an agent and a model stay as they are.
		await composer.locator('.task-choice').nth(5).waitFor();
		await assertTranslated(composer.locator('.task-choice:nth-child(n + 5) .word, .choice .word'));
		await composer.locator('textarea').fill(PROMPT);
		await composer.locator('.row .icon-button').nth(1).click();
		// The editor comes before the prompt is in it, and starts no task without one.
		await promptEditor(page).and(page.locator('.focused')).filter({ hasText: PROMPT }).waitFor();
		await assertTranslated(page.locator('.editor-instance .codelens-decoration:visible, .tab.active .label-name'));
		await page.keyboard.press('ControlOrMeta+Enter');
		const list = page.locator('.quick-input-widget:visible');
		await list.locator('.monaco-list-row').filter({ hasText: '⟦Start Task ' }).waitFor();
		await assertTranslatedList(list);
		await screenshot(page, 'language-preflight');
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
		await screenshot(page, 'language-hover');
		await assertTranslated(hover);
		await taskRow(page, PROMPT).first().click({ button: 'right' });
		const menu = page.locator('.context-view .monaco-menu');
		await menu.waitFor();
		await screenshot(page, 'language-menu');
		await assertTranslated(menu.locator('.action-label'));
		await page.keyboard.press('Escape');
	});

	it('tells in that language that no task is at work', async () => {
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
