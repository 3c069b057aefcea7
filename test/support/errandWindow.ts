import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { DISCOVERY_FILE, type Discovery } from '../../src/contract/control.ts';
import type { EditorServer } from './editor.ts';
import { appears, dismissInput, openView, pickItem, runCommand, until, webviewFrame } from './editorWindow.ts';

/** The chat view's page, shown with the conversation that it is on. */
export async function openChat(page: Page): Promise<Frame> {
	await openView(page, 'Errand');
	const frame = await webviewFrame(page, 'chat-composer');
	await frame.locator('chat-composer textarea').waitFor();
	// Turns, or what stands in their place: until then there are none to be counted.
	await frame.locator('chat-app .turns > *').first().waitFor({ state: 'attached' });
	return frame;
}

/** Keys that are typed go into the composer. */
export const composerHasCursor = (frame: Frame): Promise<void> =>
	until('the composer has the cursor', () =>
		frame
			.locator('chat-composer textarea')
			.evaluate(field => document.hasFocus() && (field.getRootNode() as ShadowRoot).activeElement === field),
	);

/** Runs a command that ends with the cursor in the composer, and waits for that: what opens before would be closed again. */
export async function runInChat(page: Page, frame: Frame, title: string): Promise<void> {
	// It would be back there as soon as the palette closes.
	await frame.locator('chat-composer textarea').evaluate(field => (field as HTMLElement).blur());
	await runCommand(page, title);
	await composerHasCursor(frame);
}

/** Types a message into the composer and sends it with Enter. */
export async function sendMessage(frame: Frame, text: string): Promise<void> {
	const composer = frame.locator('chat-composer textarea');
	await composer.fill(text);
	await composer.press('Enter');
}

/** Sends a message and waits until it stands in the conversation. */
export async function ask(frame: Frame, text: string): Promise<void> {
	const before = await turns(frame).count();
	await sendMessage(frame, text);
	await until('the message is a turn', async () => (await turns(frame).count()) === before + 1);
}

export const turns = (frame: Frame): Locator => frame.locator('chat-turn');

/** Everything that the last turn shows: question, reply, footer. */
export const lastTurnText = (frame: Frame): Promise<string> => turns(frame).last().locator('article').innerText();

/** The text of the last reply as it is now. */
export async function replyText(frame: Frame): Promise<string> {
	const reply = turns(frame).last().locator('chat-markdown .content');
	return (await reply.count()) === 0 ? '' : reply.innerText();
}

/** A reply is streaming. */
export async function isStreaming(frame: Frame): Promise<boolean> {
	return (await turns(frame).last().locator('article[aria-busy="true"]').count()) > 0;
}

/** Waits for the end of the last reply and gives its text. */
export async function replyEnds(frame: Frame): Promise<string> {
	await until('the reply ends', async () => (await replyText(frame)) !== '' && !(await isStreaming(frame)));
	return replyText(frame);
}

/** The editor that a task’s prompt is written in, opened by its command. */
export async function openPrompt(page: Page): Promise<Locator> {
	const editor = page.locator('.editor-instance .monaco-editor[data-uri^="errand-prompt:"]');
	await until('the prompt can be written', async () => {
		// A view that is still being loaded may take the focus from it.
		await runCommand(page, 'Errand: Start Task…');
		return appears(editor.and(page.locator('.focused')), 10_000);
	});
	return editor;
}

/** Writes a task's prompt into its editor, in place of what stands there. */
export async function writePrompt(page: Page, prompt: string): Promise<Locator> {
	const editor = await openPrompt(page);
	const words = (text: string) => text.replace(/\s+/g, ' ').trim();
	await until('the prompt is written', async () => {
		// The editor may still put the cursor to the end of what it has just opened.
		await page.keyboard.press('ControlOrMeta+A');
		await page.keyboard.insertText(prompt);
		return words(await editor.locator('.view-lines').innerText()) === words(prompt);
	});
	return editor;
}

/** Goes through Start Task: prompt and confirmation. Done when the prompt has made a task, or `isSent` says so. */
export async function startTask(page: Page, prompt: string, isSent?: () => boolean): Promise<void> {
	const editor = await writePrompt(page, prompt);
	await page.keyboard.press('ControlOrMeta+Enter');
	await pickItem(page, 'Start Task');
	// Where something has changed meanwhile the list comes back, and says so.
	const start = page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: 'Start Task' });
	await until(
		'the task is started',
		async () => {
			if ((await start.count()) > 0) {
				await start.click({ timeout: 1_000 }).catch(() => {});
			}
			return isSent ? isSent() : (await editor.count()) === 0;
		},
		60_000,
	);
}

/** The row of a task in the tree, by what it was told. */
export const taskRow = (page: Page, prompt: string): Locator =>
	page.locator('.part.sidebar .pane-body .monaco-list-row').filter({ hasText: prompt });

/** What a screen reader says of the row of the side bar's tree that has the keyboard; empty while none has. */
export const focusedRow = (page: Page): Promise<string> =>
	page.evaluate(
		() => document.activeElement?.querySelector('.monaco-list-row.focused')?.getAttribute('aria-label') ?? '',
	);

/** Walks through the task tree with the arrow keys, to the row that a screen reader says so of. */
export async function walkTo(page: Page, label: RegExp): Promise<void> {
	await until(`the keyboard has walked to ${label}`, async () => {
		await page.locator('.part.sidebar .monaco-list').last().focus();
		await page.keyboard.press('Home');
		let last: string | undefined;
		let row = await focusedRow(page);
		// At the end of rows that were drawn anew on the way it begins again.
		while (!label.test(row) && row !== last) {
			last = row;
			await page.keyboard.press('ArrowDown');
			row = await focusedRow(page);
		}
		return label.test(row);
	});
}

/** Takes an item of the menu of a row, with keys alone. `isTaken` says that it has begun, for that row. */
export async function chooseInMenu(
	page: Page,
	label: RegExp,
	item: string,
	isTaken: () => Promise<boolean>,
): Promise<void> {
	const which = page.locator('.quick-input-widget:visible .quick-input-title').getByText(item, { exact: true });
	await pressInMenu(page, label, item);
	await until(`${item} is taken`, async () => {
		// While rows are given anew the editor has none of them for the command, which then asks for the task.
		if (await which.isVisible()) {
			await dismissInput(page);
			await pressInMenu(page, label, item);
		}
		return isTaken();
	});
}

async function pressInMenu(page: Page, label: RegExp, item: string): Promise<void> {
	const entry = page.getByRole('menuitem', { name: item }).first();
	await until(`the menu is at ${item}`, async () => {
		// A row that is drawn again takes its menu with it; what is pressed then would go to the tree.
		if (!(await entry.isVisible())) {
			await walkTo(page, label);
			await page.keyboard.press('Shift+F10');
			if (!(await appears(entry, 3_000))) {
				return false;
			}
		}
		await page.keyboard.press('ArrowDown');
		return page.evaluate(wanted => {
			let element = document.activeElement;
			while (element?.shadowRoot?.activeElement) {
				element = element.shadowRoot.activeElement;
			}
			return element?.textContent?.includes(wanted) === true;
		}, item);
	});
	await page.keyboard.press('Enter');
}

/** Waits until the tree says so of a task. */
export async function taskShows(page: Page, prompt: string, text: string, withinMs = 60_000): Promise<void> {
	const row = taskRow(page, prompt).filter({ hasText: text });
	await row.first().waitFor({ timeout: withinMs });
}

/**
 * The whole text of a task's log channel, as the extension host has written it to the channel's file. A reloaded window
 * has a channel of its own; the newest counts.
 */
export function logText(server: EditorServer, prompt: string): string {
	// The editor leaves out of the file's name what some file systems forbid.
	const name = prompt.slice(0, 34).replace(/[\\/:*?"<>|]/g, '');
	const files = globSync(`**/output_logging_*/*Errand*${name}*.log`, {
		cwd: path.join(server.dataFolder, 'server'),
	}).sort();
	const newest = files.at(-1);
	return newest === undefined ? '' : readFileSync(path.join(server.dataFolder, 'server', newest), 'utf8');
}

/** What the discovery file says of the local service, or undefined while there is none. */
export function localService(server: EditorServer): Discovery | undefined {
	try {
		return JSON.parse(readFileSync(path.join(server.stateFolder, DISCOVERY_FILE), 'utf8'));
	} catch {
		return undefined;
	}
}
