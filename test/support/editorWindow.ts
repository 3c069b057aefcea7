import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Frame, Locator, Page } from 'playwright-core';
import { commandOf } from './commandTitles.ts';
import type { EditorServer } from './editor.ts';
import { describeWindows, keepsImages, screenshotFolder, windowLimitMs } from './openWindows.ts';
import { probeOf } from './probeExtension.ts';
import { valueWithin } from './waitFor.ts';

/** Leaves time for a second attempt if the first one hangs on the window. */
const conditionLimitMs = 1.5 * windowLimitMs;

/** The longest pause between checks, because a check of a window involves several processes. */
const LONGEST_PAUSE_MS = 200;

const themes = {
	light: { name: 'Light Modern', id: 'Light Modern', shown: '.monaco-workbench.vs' },
	dark: { name: 'Dark Modern', id: 'Dark Modern', shown: '.monaco-workbench.vs-dark' },
	'high-contrast': {
		name: 'Dark High Contrast',
		id: 'Default High Contrast',
		shown: '.monaco-workbench.hc-black',
	},
	'high-contrast-light': {
		name: 'Light High Contrast',
		id: 'Default High Contrast Light',
		shown: '.monaco-workbench.hc-light',
	},
} as const;

export type Theme = keyof typeof themes;

/** Runs a command by its title in the palette, such as "Errand: Manage Keys", without typing where possible. */
export async function runCommand(page: Page, title: string): Promise<void> {
	const [probe, command] = [probeOf(page), commandOf(title)];
	if (probe !== undefined && command !== undefined) {
		await probe.do({ do: 'command', command, arguments: [] });
	} else {
		await typeCommand(page, title);
	}
}

/** Runs a command from the palette, with the keyboard. */
export async function typeCommand(page: Page, title: string): Promise<void> {
	await until(`the command "${title}" is run from the palette`, async () => {
		await page.keyboard.press('F1');
		// The palette is opened anew for each attempt: it closes when something else takes the focus, and an open palette
		// does not pick up the commands of an extension that is found later.
		return findAndPick(page, `>${title}`, title);
	});
}

/** The commands that open side bars, and leave open ones as they are, by the entries of the activity bar. */
const viewCommands: Readonly<Record<string, string>> = {
	Errand: 'workbench.view.extension.errand',
	Explorer: 'workbench.view.explorer',
};

/** Opens the side bar of an activity bar entry, such as "Errand". */
export async function openView(page: Page, title: string): Promise<Locator> {
	const tab = page.locator('.activitybar').getByRole('tab', { name: title });
	const heading = page.locator('.part.sidebar .composite.title h2').filter({ hasText: title });
	const [probe, command] = [probeOf(page), viewCommands[title]];
	if (probe !== undefined && command !== undefined) {
		await probe.do({ do: 'command', command, arguments: [] });
	}
	await until(`the side bar shows ${title}`, async () => {
		// A reopened window restores its side bar by itself, and a click on the entry of an open side bar would close it.
		if (!(await appears(heading.first(), 1_000))) {
			await tab.click();
		}
		return appears(heading.first(), 2_000);
	});
	// The hover of the activity bar comes up even after a reload, and covers the view.
	await movePointerAway(page);
	return page.locator('.part.sidebar');
}

/** Waits for the frame, among the nested frames of the webviews, that holds an element. */
export async function webviewFrame(page: Page, selector: string): Promise<Frame> {
	let found: Frame | undefined;
	await until(`a webview holds ${selector}`, async () => {
		for (const frame of page.frames()) {
			// A frame that is being replaced does not answer.
			const count =
				frame === page.mainFrame()
					? 0
					: await frame
							.locator(selector)
							.count()
							.catch(() => 0);
			if (count > 0) {
				found = frame;
				return true;
			}
		}
		return false;
	});
	return found as Frame;
}

/** Types into the input box that is open or about to open, and resolves when the box has accepted the answer. */
export async function answerInput(page: Page, text: string): Promise<void> {
	// An input box that is about to be replaced takes the text with it.
	await until(`an input box takes “${text}”`, async () => (await write(page, text).catch(() => '')) === text);
	const title = page.locator('.quick-input-widget:visible .quick-input-title');
	const before = (await title.allInnerTexts()).join();
	await quickInput(page).press('Enter');
	// An extension validates an answer before its box closes. Anything that opens before that would replace the box
	// before it has accepted the answer.
	await until('the answer is taken', async () => {
		const values = await quickInput(page).evaluateAll(boxes => boxes.map(box => (box as HTMLInputElement).value));
		return !values.includes(text) || (await title.allInnerTexts()).join() !== before;
	});
}

/** Closes the open input box or list, wherever the focus is. */
export async function dismissInput(page: Page): Promise<void> {
	await until('nothing is asked any more', async () => {
		if ((await quickInput(page).count()) > 0) {
			await quickInput(page).press('Escape', { timeout: 2_000 });
		}
		return (await quickInput(page).count()) === 0;
	});
}

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
	await until(`${name} is open`, async () => {
		await page.keyboard.press('ControlOrMeta+P');
		// The list may have opened before the file existed, and is then opened anew.
		const isPicked = await typeAndTake(page, name, quickRow(page, name).first());
		return isPicked && (await appears(page.locator('.tab.active').filter({ hasText: name }), 5_000));
	});
}

/** Opens a new unsaved text file, and resolves with its editor once that has the cursor. */
export async function openUntitledFile(page: Page): Promise<Locator> {
	await runCommand(page, 'File: New Untitled Text File');
	const editor = page.locator('.editor-instance .monaco-editor[data-uri^="untitled:"]');
	await editor.and(page.locator('.focused')).waitFor();
	return editor;
}

/** Drags the edge of the secondary side bar until its page is about `width` pixels wide. */
export async function resizeChat(page: Page, frame: Frame, width: number): Promise<void> {
	await until(`the page is about ${width} pixels wide`, async () => {
		const shown = await frame.evaluate(() => document.documentElement.clientWidth);
		const isWide = Math.abs(shown - width) < 60;
		if (!isWide) {
			await dragEdge(page, 'auxiliarybar', width);
		}
		return isWide;
	});
}

/** Clicks an item of the context menu that is just opening. */
export async function pickInMenu(page: Page, name: string): Promise<void> {
	const item = page.getByRole('menuitem', { name });
	await item.waitFor();
	// A click too soon after the menu's opening counts as the end of the click that opened it.
	await until('the menu has taken the click', async () => {
		await item.click({ timeout: 1_000 }).catch(() => {});
		return (await page.locator('.monaco-menu').count()) === 0;
	});
}

/** Returns the width in pixels of the hidden portion of a part of a row. */
export function hiddenWidth(part: Locator): Promise<number> {
	return part.first().evaluate(element => {
		const shown = element.closest('.monaco-icon-label-container')?.getBoundingClientRect();
		return Math.max(0, Math.ceil(element.getBoundingClientRect().right - (shown?.right ?? 0)));
	});
}

/** Drags the edge of the side bar until the bar is about `width` pixels wide. */
export async function resizeSideBar(page: Page, width: number): Promise<void> {
	await until(`the side bar is about ${width} pixels wide`, async () => {
		const box = await page.locator('.part.sidebar').boundingBox();
		const isWide = box !== null && Math.abs(box.width - width) < 8;
		if (!isWide) {
			await dragEdge(page, 'sidebar', width);
		}
		return isWide;
	});
}

/** Drags the inner edge of a bar once. A drag that begins while the layout changes may miss the edge. */
async function dragEdge(page: Page, bar: 'sidebar' | 'auxiliarybar', width: number): Promise<void> {
	const box = await page.locator(`.part.${bar}`).boundingBox();
	if (!box) {
		return;
	}
	const right = box.x + box.width;
	const [from, to] = bar === 'sidebar' ? [right, box.x + width] : [box.x - 1, right - width];
	await page.mouse.move(from, 300);
	await page.mouse.down();
	await page.mouse.move(to, 300, { steps: 5 });
	await page.mouse.up();
	// The rows of the bar would show their hovers and buttons.
	await movePointerAway(page);
}

/** Moves the pointer into the editors, because what it stays on brings up a hover, which covers what lies beside it. */
export async function movePointerAway(page: Page): Promise<void> {
	const { width = 0, height = 0 } = page.viewportSize() ?? {};
	await page.mouse.move(width * 0.6, height * 0.6);
}

/** Chooses an item from the list that is open or about to open. */
export async function pickItem(page: Page, label: string): Promise<void> {
	const row = quickRows(page).filter({ has: page.getByText(label, { exact: true }) });
	const list = page.locator('.quick-input-widget:visible');
	await until(`a list offers “${label}”`, () => appears(row.first(), 2_000));
	const before = (await list.allInnerTexts()).join();
	const { width = 0, height = 0 } = page.viewportSize() ?? {};
	await until(`the list takes “${label}”`, async () => {
		// A list that is redrawn at the moment of a click misses it, and so does a row that is covered by the hover of the
		// row above. The pointer leaves the list, which closes that hover.
		await row
			.first()
			.click({ timeout: 2_000 })
			.catch(() => page.mouse.move(width * 0.6, height * 0.8));
		return isTrueWithin(2_000, async () => (await list.allInnerTexts()).join() !== before);
	});
}

/** Accepts the checked items of the multi-select list that is open or about to open and shows `text`. */
export async function acceptPicks(page: Page, text: string): Promise<void> {
	const list = page.locator('.quick-input-widget:visible').filter({ hasText: text });
	await until(`the list that shows “${text}” is accepted`, async () => {
		if (await appears(list, 2_000)) {
			// Whatever opened the list may still take the focus back after the list is shown.
			await quickInput(page).press('Enter', { timeout: 2_000 });
		}
		return (await list.count()) === 0;
	});
}

/**
 * Chooses `label` from a list, and waits until that has opened another list that shows `next` as its title or in a row.
 * A list that changes by itself needs this instead of `pickItem`, which takes any change for a sign of the choice.
 */
export async function pickThrough(page: Page, label: string, next: string): Promise<void> {
	const row = quickRows(page).filter({ has: page.getByText(label, { exact: true }) });
	const shown = page.locator('.quick-input-widget:visible').getByText(next, { exact: true });
	await until(`“${label}” leads to “${next}”`, async () => {
		// A list that is redrawn at the moment of a click misses the click.
		await row
			.first()
			.click({ timeout: 2_000 })
			.catch(() => {});
		return appears(shown.first(), 2_000);
	});
}

/**
 * Clicks a row of the list that is open or about to open until `isDone`. A list that is redrawn at the moment of a click
 * misses it.
 */
export async function clickRow(page: Page, text: string, isDone: () => Promise<boolean>): Promise<void> {
	await until(`the list takes “${text}”`, async () => {
		if (!(await isDone())) {
			await quickRow(page, text)
				.first()
				.click({ timeout: 2_000 })
				.catch(() => {});
		}
		return isTrueWithin(10_000, isDone);
	});
}

/** Returns the row of the open list whose text contains or matches `text`. */
export function quickRow(page: Page, text: string | RegExp): Locator {
	return quickRows(page).filter({ hasText: text });
}

/** Returns the toast whose text contains `text`. Its buttons are inside. */
export function toast(page: Page, text: string): Locator {
	return page.locator('.notifications-toasts .notification-toast').filter({ hasText: text });
}

/** Returns the modal dialog whose text contains `text`. Its buttons are inside. */
export function dialog(page: Page, text: string): Locator {
	return page.locator('.monaco-dialog-box').filter({ hasText: text });
}

/**
 * Changes the user's settings while a window is open. Without a probe to do it, it edits their file in the editor,
 * because a served window does not notice when another program writes the file.
 */
export async function changeSettings(
	page: Page,
	server: EditorServer,
	settings: Record<string, unknown>,
): Promise<void> {
	const probe = probeOf(page);
	if (probe !== undefined) {
		await probe.do({ do: 'change', settings });
		return;
	}
	// The title shows when the window has the settings. It notices them some time after the save, and notifies its
	// extensions then.
	const title = `Settings ${Date.now()}`;
	const wanted = { ...server.settings(), ...settings, 'window.title': title };
	await runCommand(page, 'Preferences: Open User Settings (JSON)');
	const text = page.locator('.monaco-editor[data-uri$="/User/settings.json"]');
	await text.and(page.locator('.focused')).waitFor();
	// The text is pasted, because the editor would add brackets of its own to typed text.
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.evaluate(content => navigator.clipboard.writeText(content), JSON.stringify(wanted, undefined, '\t'));
	await page.keyboard.press('ControlOrMeta+A');
	await page.keyboard.press('ControlOrMeta+V');
	await until('the settings are saved', async () => {
		await page.keyboard.press('ControlOrMeta+S');
		return isDeepStrictEqual(server.settings(), wanted);
	});
	await until('the window has the settings', async () => (await page.title()).includes(title));
	await until('the settings are closed', async () => {
		// Until the save is finished, Escape makes the editor ask a question, and the next Escape dismisses it.
		await page.keyboard.press('Escape');
		return (await text.count()) === 0;
	});
}

/** Chooses a theme as a user does. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
	const { name, id, shown } = themes[theme];
	const probe = probeOf(page);
	if (probe !== undefined) {
		await probe.do({ do: 'change', settings: { 'workbench.colorTheme': id } });
		await page.locator(shown).first().waitFor();
		return;
	}
	await until(`the window is ${name}`, async () => {
		// A window that has just opened may show the list before it knows the themes, or take the focus from the list.
		await runCommand(page, 'Preferences: Color Theme');
		// The list is filled step by step, and typing the name is enough to find the theme in it.
		const isChosen = await findAndPick(page, name, name);
		return isChosen && (await appears(page.locator(shown).first(), 5_000));
	});
}

/** Saves an image in test-output/screenshots, unless the run keeps none. */
export async function screenshot(page: Page, name: string): Promise<void> {
	if (keepsImages) {
		await page.screenshot({ path: path.join(screenshotFolder, `${name}.png`) });
	}
}

/**
 * Lets the window write down what it is to remember, as it does when the user looks at another one, and returns whether
 * a reload would find a text among the addresses of what is open in its editors.
 */
export function remembersOpen(page: Page, text: string): Promise<boolean> {
	return page.evaluate(async wanted => {
		// A page that is tested always has the focus.
		const turnTo = (event: 'blur' | 'focus') => {
			document.hasFocus = () => event === 'focus';
			window.dispatchEvent(new Event(event));
		};
		turnTo('blur');
		turnTo('focus');
		const result = <T>(request: IDBRequest<T>) =>
			new Promise<T>((resolve, reject) => {
				request.onsuccess = () => resolve(request.result);
				request.onerror = () => reject(request.error);
			});
		for (const { name = '' } of await indexedDB.databases()) {
			if (name.startsWith('vscode-web-state-db-')) {
				const database = await result(indexedDB.open(name));
				const items = database.transaction('ItemTable').objectStore('ItemTable');
				const state = await result(items.get('memento/workbench.parts.editor'));
				database.close();
				if (String(state).includes(wanted)) {
					return true;
				}
			}
		}
		return false;
	}, text);
}

/**
 * Waits until a condition is true. The error names the condition and describes the open windows. A condition that
 * throws, for example because a frame is being replaced, is checked again.
 */
export async function until(
	what: string,
	condition: () => Promise<boolean>,
	withinMs = conditionLimitMs,
): Promise<void> {
	let thrown: unknown;
	const isTrue = await isTrueWithin(withinMs, async () => {
		thrown = undefined;
		try {
			return await condition();
		} catch (error) {
			thrown = error;
			return false;
		}
	});
	if (!isTrue) {
		const windows = await describeWindows();
		throw new Error(`Waited ${withinMs / 1000} s in vain until ${what}.\n${windows}`, { cause: thrown });
	}
}

/**
 * Types into the list that is about to open, chooses the row with a label, and waits until the list is gone. Resolves
 * with false if the row does not appear or disappears again.
 */
async function findAndPick(page: Page, typed: string, label: string): Promise<boolean> {
	const row = quickRows(page).filter({ has: page.getByText(label, { exact: true }) });
	if (!(await typeAndTake(page, typed, row.first()))) {
		return false;
	}
	// The next text is meant for the box that the row opens, so this list must be gone first.
	await until('the list is gone', async () =>
		(await quickInput(page).evaluateAll(boxes => boxes.map(box => (box as HTMLInputElement).value))).every(
			value => value !== typed,
		),
	);
	return true;
}

/**
 * Types into the list that is about to open, and chooses one of its rows. Closes the list and resolves with false if
 * the row does not appear or disappears again.
 */
async function typeAndTake(page: Page, typed: string, row: Locator): Promise<boolean> {
	try {
		await write(page, typed);
		await row.waitFor({ timeout: 5_000 });
		await takeRow(page, row);
		return true;
	} catch {
		await page.keyboard.press('Escape');
		return false;
	}
}

/** Chooses a row of the open list: with Enter if the list has selected it, which is much cheaper than a click. */
async function takeRow(page: Page, row: Locator): Promise<void> {
	if ((await row.and(page.locator('.focused')).count()) > 0) {
		await quickInput(page).press('Enter', { timeout: 5_000 });
		return;
	}
	await row.click({ timeout: 5_000, trial: true });
	// A window that stalls now may still handle the click. If this call gave up, a second click would follow.
	await row.click({ timeout: 20_000 });
}

/**
 * Puts a text into the box that is open or about to open, and resolves with the box's value afterwards. The text is set
 * at once, because an editor that takes the focus between two keys would get the rest of them.
 */
function write(page: Page, text: string): Promise<string> {
	return quickInput(page).evaluate(
		(box, value) => {
			const input = box as HTMLInputElement;
			input.focus();
			input.value = value;
			input.dispatchEvent(new InputEvent('input', { bubbles: true }));
			return input.value;
		},
		text,
		{ timeout: 2_000 },
	);
}

function quickInput(page: Page): Locator {
	return page.locator('.quick-input-widget:visible .quick-input-box input');
}

function quickRows(page: Page): Locator {
	return page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
}

async function isTrueWithin(withinMs: number, condition: () => Promise<boolean>): Promise<boolean> {
	return (await valueWithin(withinMs, LONGEST_PAUSE_MS, condition)) === true;
}

/** Resolves with true if the element becomes visible in time. */
export function appears(locator: Locator, withinMs: number): Promise<boolean> {
	return locator.waitFor({ timeout: withinMs }).then(
		() => true,
		() => false,
	);
}
