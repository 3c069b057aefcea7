import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { DISCOVERY_FILE, type Discovery } from '../../src/contract/control.ts';
import type { EditorServer } from './editor.ts';
import { appears, dismissInput, openView, pickItem, runCommand, until, webviewFrame } from './editorWindow.ts';
import { windowLimitMs } from './openWindows.ts';

/** Opens the tasks and the chat, and resolves with the chat's page once the current conversation is shown. */
export async function openChat(page: Page): Promise<Frame> {
	await openView(page, 'Errand');
	// A reopened window restores its chat by itself.
	if (!(await appears(page.locator('.part.auxiliarybar'), 1_000))) {
		await runCommand(page, 'Errand: Focus on Chat View');
	}
	const frame = await webviewFrame(page, 'chat-composer');
	await frame.locator('chat-composer textarea').waitFor();
	// The turns or their placeholder must be shown first, because before that there are no turns to count.
	await frame.locator('chat-app .turns > *').first().waitFor({ state: 'attached' });
	return frame;
}

/** Chooses a row of the list that a button of the composer opens above it. */
export async function chooseInComposer(frame: Frame, button: RegExp, row: string): Promise<void> {
	await frame.locator('chat-composer').getByRole('button', { name: button }).click();
	await frame.locator('chat-composer').getByRole('option', { name: row }).first().click();
}

/** Opens the editor's list of all models. */
export const openModels = (frame: Frame): Promise<void> =>
	chooseInComposer(frame, /^Select Model/, 'All Models and Options…');

/** Resolves with true if typed keys go into the composer. */
const hasCursor = (frame: Frame): Promise<boolean> =>
	frame
		.locator('chat-composer textarea')
		.evaluate(field => document.hasFocus() && (field.getRootNode() as ShadowRoot).activeElement === field);

/** Waits until typed keys go into the composer. */
export const composerHasCursor = (frame: Frame): Promise<void> =>
	until('the composer has the cursor', () => hasCursor(frame));

/**
 * Runs a command that ends with the cursor in the composer, makes the choices that it asks for, and waits for the
 * cursor, because anything that opens earlier would be closed again, and a key pressed earlier would be lost.
 */
export async function runInChat(page: Page, frame: Frame, title: string, ...choices: string[]): Promise<void> {
	await untilCursorIsPut(frame, async () => {
		await runCommand(page, title);
		for (const choice of choices) {
			await pickItem(page, choice);
		}
	});
}

/** Does what puts the cursor into the composer in the end, and waits for that. */
export async function untilCursorIsPut(frame: Frame, act: () => Promise<void>): Promise<void> {
	// Otherwise, the composer would have the cursor long before, and what opens then would be closed again.
	await frame.locator('chat-composer textarea').evaluate(field => (field as HTMLElement).blur());
	await act();
	await composerHasCursor(frame);
}

/** Types a message into the composer and sends it with Enter, once the previous reply has ended. */
export async function sendMessage(frame: Frame, text: string): Promise<void> {
	await typeMessage(frame, text);
	await sendTyped(frame);
}

/** Types a message into the composer once the previous reply has ended. */
export async function typeMessage(frame: Frame, text: string): Promise<void> {
	// A reply's last words are visible before its end, and until then, Enter sends nothing.
	await frame.locator('chat-composer button.send:not([title="Stop"])').waitFor();
	const composer = frame.locator('chat-composer textarea');
	// What the browser inserts goes to whatever has the focus by then, which the editor may just have moved.
	await until('the composer has the message', async () => {
		await composer.fill(text);
		return (await composer.inputValue()) === text;
	});
}

/** Sends what the composer has with Enter. */
export async function sendTyped(frame: Frame): Promise<void> {
	const composer = frame.locator('chat-composer textarea');
	// A list that has just closed returns the focus late, and the key would be lost meanwhile.
	await until('the composer has the cursor', async () => {
		await composer.focus();
		return hasCursor(frame);
	});
	await composer.press('Enter');
}

/** Sends a message and waits until it appears in the conversation. */
export async function ask(frame: Frame, text: string): Promise<void> {
	const before = await turns(frame).count();
	await sendMessage(frame, text);
	await until('the message is a turn', async () => (await turns(frame).count()) === before + 1);
}

export const turns = (frame: Frame): Locator => frame.locator('chat-turn');

/** Resolves with everything that the last turn shows: question, reply and footer. */
export const lastTurnText = (frame: Frame): Promise<string> => turns(frame).last().locator('article').innerText();

/** Resolves with the current text of the last reply, which is empty if there is none. */
export async function replyText(frame: Frame): Promise<string> {
	const reply = turns(frame).last().locator('chat-markdown .content');
	return (await reply.count()) === 0 ? '' : reply.innerText();
}

/** Resolves with true if the last reply is streaming. */
export async function isStreaming(frame: Frame): Promise<boolean> {
	return (await turns(frame).last().locator('.progress.active').count()) > 0;
}

/** Waits until the last reply has ended and all of it is shown, and resolves with its text. */
export async function replyEnds(frame: Frame): Promise<string> {
	const unfinished = turns(frame).last().locator('.progress.active, .content[aria-busy="true"]');
	await until('the reply ends', async () => (await replyText(frame)) !== '' && (await unfinished.count()) === 0);
	return replyText(frame);
}

/** Returns the paths of the files of all conversations. */
export function conversationFiles({ dataFolder }: EditorServer): string[] {
	const files = globSync('server/**/globalStorage/*/conversations/*.jsonl', { cwd: dataFolder });
	return files.map(file => path.join(dataFolder, file));
}

/** Returns the editor for a longer prompt of a task. */
export const promptEditor = (page: Page): Locator =>
	page.locator('.editor-instance .monaco-editor[data-uri^="errand-prompt:"]');

/** Returns the composer's line about the next task, which exists while the prompt of a task is being written. */
export const taskLine = (frame: Frame): Locator => frame.locator('chat-composer .task');

/**
 * Runs the command that shows the place for a task's prompt, and resolves with the chat's page once it accepts text.
 * `command` is the command's title.
 */
export async function openPrompt(page: Page, command = 'Errand: Start Task…'): Promise<Frame> {
	let frame: Frame | undefined;
	await until('the prompt can be written', async () => {
		// A view that is still loading may take the focus from the composer.
		await runCommand(page, command);
		frame = await webviewFrame(page, 'chat-composer');
		return (await appears(taskLine(frame), 10_000)) && hasCursor(frame);
	});
	return frame as Frame;
}

/** Writes a task's prompt into the composer, replacing the text that is there. */
export async function writePrompt(page: Page, prompt: string): Promise<Frame> {
	const frame = await openPrompt(page);
	await frame.locator('chat-composer textarea').fill(prompt);
	return frame;
}

/** Empties the composer and leaves its Task mode. */
export async function leavePrompt(frame: Frame): Promise<void> {
	await frame.locator('chat-composer textarea').fill('');
	await chooseInComposer(frame, /^Select Chat/, 'Ask the chat model');
	await composerHasCursor(frame);
}

/** Moves the prompt into its editor, and resolves with that editor once it has the cursor. */
export async function openPromptEditor(page: Page): Promise<Locator> {
	const frame = await openPrompt(page);
	await frame.getByRole('button', { name: 'Open in Editor' }).click();
	const editor = promptEditor(page);
	await editor.and(page.locator('.focused')).waitFor();
	return editor;
}

/** Empties the composer of everything that waits in it, and shows a new conversation. */
export async function emptyChat(page: Page): Promise<void> {
	const frame = await openChat(page);
	await frame.locator('chat-composer textarea').fill('');
	if ((await taskLine(frame).count()) > 0) {
		await leavePrompt(frame);
	}
	const remove = frame.locator('chat-composer chat-chips').getByRole('button', { name: /^Remove / });
	await until('no context waits', async () => {
		if ((await remove.count()) > 0) {
			await remove.first().click({ timeout: 2_000 });
		}
		return (await remove.count()) === 0;
	});
	await runCommand(page, 'Errand: New Conversation');
	await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
}

/**
 * Goes through Start Task, from the prompt to the confirmation. Resolves when the composer is empty because the task
 * exists, or when `isSent`, if given, returns true.
 */
export async function startTask(page: Page, prompt: string, isSent?: () => boolean): Promise<void> {
	await writePrompt(page, prompt);
	await page.keyboard.press('Enter');
	await confirmTask(page, isSent);
}

/** Confirms the task in the list that is open or about to open, and resolves like `startTask`. */
export async function confirmTask(page: Page, isSent?: () => boolean): Promise<void> {
	await pickItem(page, 'Start Task');
	await takeStart(page, 'Start Task', isSent);
}

/**
 * Chooses the row that starts the task until the task has started: the list is redrawn when a fact arrives, and comes
 * back if something has changed meanwhile. Resolves like `startTask`.
 */
export async function takeStart(page: Page, label: string, isSent?: () => boolean): Promise<void> {
	const prompt = (await webviewFrame(page, 'chat-composer')).locator('chat-composer textarea');
	const isUsed = async () => (await prompt.inputValue()) === '' && (await promptEditor(page).count()) === 0;
	const start = page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: label });
	await until('the task is started', async () => {
		if ((await start.count()) > 0) {
			await start.click({ timeout: 1_000 }).catch(() => {});
		}
		return isSent ? isSent() : isUsed();
	});
}

/** Returns the row of a task in the tree, found by the task's prompt. */
export const taskRow = (page: Page, prompt: string): Locator =>
	page.locator('.part.sidebar .pane-body .monaco-list-row').filter({ hasText: prompt });

/**
 * Resolves with the screen reader text of the focused row in the side bar's tree. The text is empty while no row has
 * the focus.
 */
export const focusedRow = (page: Page): Promise<string> =>
	page.evaluate(
		() => document.activeElement?.querySelector('.monaco-list-row.focused')?.getAttribute('aria-label') ?? '',
	);

/** Moves through the task tree with the arrow keys, to the row whose label for screen readers matches. */
export async function walkTo(page: Page, label: RegExp): Promise<void> {
	await until(`the keyboard has walked to ${label}`, async () => {
		await page.locator('.part.sidebar .monaco-list').last().focus();
		await page.keyboard.press('Home');
		let last: string | undefined;
		let row = await focusedRow(page);
		// If rows were redrawn on the way, the walk may reach the end without a match, and then starts again.
		while (!label.test(row) && row !== last) {
			last = row;
			await page.keyboard.press('ArrowDown');
			row = await focusedRow(page);
		}
		return label.test(row);
	});
}

/** Unfolds a row with the keyboard. A key that is pressed while the editor replaces the rows goes to none of them. */
export async function unfold(page: Page, label: RegExp): Promise<void> {
	const unfolded = page.locator('.part.sidebar .monaco-list-row.focused[aria-expanded="true"]');
	await until(`${label} is unfolded`, async () => {
		await walkTo(page, label);
		if (!(await unfolded.isVisible())) {
			await page.keyboard.press('ArrowRight');
		}
		return appears(unfolded, 3_000);
	});
}

/**
 * Chooses an item of a row's menu with only the keyboard; with `submenu`, an item of that submenu. `isTaken` resolves
 * with true if the item has taken effect for that row.
 */
export async function chooseInMenu(
	page: Page,
	label: RegExp,
	item: string,
	isTaken: () => Promise<boolean>,
	submenu?: 'Branch' | 'Log',
): Promise<void> {
	const which = page
		.locator('.quick-input-widget:visible .quick-input-title')
		.getByText(item.replace(/…$/, ''), { exact: true });
	await pressInMenu(page, label, item, submenu);
	await until(`${item} is taken`, async () => {
		if (await isTaken()) {
			return true;
		}
		// While the rows are being replaced, the editor passes no row to the command, which then asks for the task. The
		// item's own question may have the same title, and may have appeared since the check above.
		if ((await which.isVisible()) && !(await isTaken())) {
			await dismissInput(page);
			await pressInMenu(page, label, item, submenu);
		}
		return false;
	});
}

async function pressInMenu(page: Page, label: RegExp, item: string, submenu?: string): Promise<void> {
	const entry = page.getByRole('menuitem', { name: item }).first();
	const outer = submenu === undefined ? entry : page.getByRole('menuitem', { name: submenu, exact: true }).first();
	await until(`the menu is at ${item}`, async () => {
		// A row that is redrawn closes its menu. Keys pressed then would go to the tree.
		if (!(await outer.isVisible())) {
			await walkTo(page, label);
			await page.keyboard.press('Shift+F10');
			if (!(await appears(outer, 3_000))) {
				return false;
			}
		}
		await page.keyboard.press('ArrowDown');
		const text = await focusedText(page);
		if (submenu !== undefined && text.trim() === submenu) {
			await page.keyboard.press('ArrowRight');
			await appears(entry, 3_000);
		}
		return text.includes(item);
	});
	await page.keyboard.press('Enter');
}

/** Resolves with the text of the element that has the focus. */
const focusedText = (page: Page): Promise<string> =>
	page.evaluate(() => {
		let element = document.activeElement;
		while (element?.shadowRoot?.activeElement) {
			element = element.shadowRoot.activeElement;
		}
		return element?.textContent ?? '';
	});

/** Waits until the tree shows a text in the row of a task. */
export async function taskShows(page: Page, prompt: string, text: string, withinMs = windowLimitMs): Promise<void> {
	const row = taskRow(page, prompt).filter({ hasText: text });
	await row.first().waitFor({ timeout: withinMs });
}

/**
 * Returns the whole text of a task's log channel, from the file that the extension host writes for the channel. A
 * reloaded window has a channel of its own, so the newest file is read.
 */
export function logText(server: EditorServer, prompt: string): string {
	// The editor omits characters from the file's name that some file systems forbid.
	const name = prompt.slice(0, 34).replace(/[\\/:*?"<>|]/g, '');
	const cwd = path.join(server.dataFolder, 'server');
	const files = globSync(`**/output_logging_*/*Errand*${name}*.log`, { cwd }).map(file => path.join(cwd, file));
	const madeAt = new Map(files.map(file => [file, statSync(file).birthtimeMs]));
	const newest = files.sort((one, other) => (madeAt.get(one) ?? 0) - (madeAt.get(other) ?? 0)).at(-1);
	return newest === undefined ? '' : readFileSync(newest, 'utf8');
}

/** Returns the content of the local service's discovery file, or undefined if there is none. */
export function localService(server: EditorServer): Discovery | undefined {
	try {
		return JSON.parse(readFileSync(path.join(server.stateFolder, DISCOVERY_FILE), 'utf8'));
	} catch {
		return undefined;
	}
}
