import assert from 'node:assert/strict';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Frame, Locator, Page } from 'playwright-core';
import type { EditorServer } from './editor.ts';
import { describeWindows, screenshotFolder } from './openWindows.ts';

const limitMs = 30_000;

const themes = {
	light: { name: 'Light Modern', shown: '.monaco-workbench.vs' },
	dark: { name: 'Dark Modern', shown: '.monaco-workbench.vs-dark' },
	'high-contrast': { name: 'Dark High Contrast', shown: '.monaco-workbench.hc-black' },
	'high-contrast-light': { name: 'Light High Contrast', shown: '.monaco-workbench.hc-light' },
} as const;

export type Theme = keyof typeof themes;

/** Runs a command by the title that the palette shows, such as "Errand: Manage Keys". */
export async function runCommand(page: Page, title: string): Promise<void> {
	await until(`the command "${title}" is run from the palette`, async () => {
		await page.keyboard.press('F1');
		// A palette closes when something else takes the focus, and commands of an extension come when it has been found:
		// a palette that is open does not take them up.
		return findAndPick(page, `>${title}`, title);
	});
}

/** Opens the side bar of an activity bar entry, such as "Errand". */
export async function openView(page: Page, title: string): Promise<Locator> {
	const tab = page.locator('.activitybar').getByRole('tab', { name: title });
	const heading = page.locator('.part.sidebar .composite.title h2').filter({ hasText: title });
	await until(`the side bar shows ${title}`, async () => {
		// A window that opens again restores its side bar by itself, and a click on an open one would close it.
		if (!(await appears(heading.first(), 1_000))) {
			await tab.click({ timeout: limitMs });
		}
		return appears(heading.first(), 2_000);
	});
	// A pointer that stays on the activity bar brings up its hover, also after a reload, and that covers the view.
	const { width = 0, height = 0 } = page.viewportSize() ?? {};
	await page.mouse.move(width * 0.6, height * 0.6);
	return page.locator('.part.sidebar');
}

/** The frame, among the nested ones of the webviews, that holds an element. */
export async function webviewFrame(page: Page, selector: string): Promise<Frame> {
	let found: Frame | undefined;
	await until(
		`a webview holds ${selector}`,
		async () => {
			for (const frame of page.frames()) {
				// A frame that is just being replaced answers nothing.
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
		},
		2 * limitMs,
	);
	return found as Frame;
}

/** Types into the input box that is open or about to open, and is over when that has taken the answer. */
export async function answerInput(page: Page, text: string): Promise<void> {
	await fillInput(page, text);
	const title = page.locator('.quick-input-widget:visible .quick-input-title');
	const before = (await title.allInnerTexts()).join();
	await quickInput(page).press('Enter');
	// An extension judges an answer before its box goes; what opens before that would take the box away unanswered.
	await until('the answer is taken', async () => {
		const values = await quickInput(page).evaluateAll(boxes => boxes.map(box => (box as HTMLInputElement).value));
		return !values.includes(text) || (await title.allInnerTexts()).join() !== before;
	});
}

/** Types what will be refused into the input box that is open or about to open. */
export async function answerWrongly(page: Page, text: string): Promise<void> {
	await fillInput(page, text);
	await quickInput(page).press('Enter');
}

async function fillInput(page: Page, text: string): Promise<void> {
	// One that is about to be replaced takes it along.
	await until(`an input box takes “${text}”`, async () => (await write(page, text).catch(() => '')) === text);
}

/** Closes the box or list that is open, wherever the cursor is. */
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
		await runCommand(page, 'Go to File...');
		await quickInput(page).fill(name, { timeout: 5_000 });
		await quickRows(page).filter({ hasText: name }).first().click({ timeout: 15_000 });
		return appears(page.locator('.tab.active').filter({ hasText: name }), 5_000);
	});
}

/** Drags the edge of the side bar until that is so many pixels wide, and its page too. */
export async function resizeSideBar(page: Page, frame: Frame, width: number): Promise<void> {
	const bar = await page.locator('.part.sidebar').boundingBox();
	assert.ok(bar);
	await page.mouse.move(bar.x + bar.width + 2, 300);
	await page.mouse.down();
	await page.mouse.move(bar.x + width, 300, { steps: 5 });
	await page.mouse.up();
	await until(`the page is about ${width} pixels wide`, async () => {
		const shown = await frame.evaluate(() => document.documentElement.clientWidth);
		return Math.abs(shown - width) < 60;
	});
}

/** Chooses from the list that is open or about to open. */
export async function pickItem(page: Page, label: string): Promise<void> {
	const row = quickRows(page).filter({ has: page.getByText(label, { exact: true }) });
	await until(`a list offers “${label}”`, () => appears(row.first(), 2_000));
	await row.first().click();
}

/** Takes what is chosen in the list of many choices that is open or about to open and shows `text`. */
export async function acceptPicks(page: Page, text: string): Promise<void> {
	const list = page.locator('.quick-input-widget:visible').filter({ hasText: text });
	await until(`the list that shows “${text}” is accepted`, async () => {
		if (await appears(list, 2_000)) {
			// What opened the list may still get the keyboard back after it has come.
			await quickInput(page).press('Enter', { timeout: 2_000 });
		}
		return (await list.count()) === 0;
	});
}

/** Chooses from a list that offers it, which then opens another one that offers `next`. */
export async function pickThrough(page: Page, label: string, next: string): Promise<void> {
	const rows = (text: string) => quickRows(page).filter({ has: page.getByText(text, { exact: true }) });
	await until(`“${label}” leads to “${next}”`, async () => {
		// A list that is drawn again at the moment of a click does not take it.
		await rows(label)
			.first()
			.click({ timeout: 2_000 })
			.catch(() => {});
		return appears(rows(next).first(), 2_000);
	});
}

/** A toast whose text holds `text`; its buttons are inside. */
export function toast(page: Page, text: string): Locator {
	return page.locator('.notifications-toasts .notification-toast').filter({ hasText: text });
}

/** A modal dialog whose text holds `text`; its buttons are inside. */
export function dialog(page: Page, text: string): Locator {
	return page.locator('.monaco-dialog-box').filter({ hasText: text });
}

/**
 * Changes the user's settings while a window is open, in their file as a user does: a served window does not notice
 * when another program writes to it.
 */
export async function changeSettings(
	page: Page,
	server: EditorServer,
	settings: Record<string, unknown>,
): Promise<void> {
	// Shows when the window has them: it notices some time after the save, and tells its extensions then.
	const title = `Settings ${Date.now()}`;
	const wanted = { ...server.settings(), ...settings, 'window.title': title };
	await runCommand(page, 'Preferences: Open User Settings (JSON)');
	const text = page.locator('.monaco-editor[data-uri$="/User/settings.json"]');
	await text.and(page.locator('.focused')).waitFor({ timeout: limitMs });
	// Pasted: what is typed would get brackets of the editor's own.
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
		// While the save is not over this asks, and the next one takes that back.
		await page.keyboard.press('Escape');
		return (await text.count()) === 0;
	});
}

/** Chooses it as a user does. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
	const { name, shown } = themes[theme];
	await until(`the window is ${name}`, async () => {
		// A window that has just opened may list them before it knows them, or take the focus from the list.
		await runCommand(page, 'Preferences: Color Theme');
		// The list is filled step by step; the name alone finds its place in it.
		const isChosen = await findAndPick(page, name, name);
		return isChosen && (await appears(page.locator(shown).first(), 5_000));
	});
}

/** Keeps an image in test-output/screenshots. */
export async function screenshot(page: Page, name: string): Promise<string> {
	const file = path.join(screenshotFolder, `${name}.png`);
	await page.screenshot({ path: file });
	return file;
}

/** Waits on a condition; the error says what did not come true. What throws meanwhile, as a frame that is replaced, is asked again. */
export async function until(what: string, condition: () => Promise<boolean>, withinMs = limitMs): Promise<void> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		// Once more after the time is over: the machine may have stood still for all of it.
		const isLast = Date.now() > deadline;
		let thrown: unknown;
		try {
			if (await condition()) {
				return;
			}
		} catch (error) {
			thrown = error;
		}
		if (isLast) {
			const windows = await describeWindows();
			throw new Error(`Waited ${withinMs / 1000} s in vain until ${what}.\n${windows}`, { cause: thrown });
		}
		await new Promise(resolve => setTimeout(resolve, 50));
	}
}

/** Types into the list that is about to open and clicks on a row of it. False where it does not come or is gone again. */
async function findAndPick(page: Page, typed: string, label: string): Promise<boolean> {
	const row = quickRows(page).filter({ has: page.getByText(label, { exact: true }) });
	const isPicked = await write(page, typed)
		.then(() => row.first().click({ timeout: 5_000, trial: true }))
		// A window that stalls now may still take the click: given up, it would come a second time.
		.then(() => row.first().click({ timeout: 20_000 }))
		.then(
			() => true,
			() => false,
		);
	if (!isPicked) {
		await page.keyboard.press('Escape');
		return false;
	}
	// What is filled next is meant for the box that the row opens.
	await until('the list is gone', async () =>
		(await quickInput(page).evaluateAll(boxes => boxes.map(box => (box as HTMLInputElement).value))).every(
			value => value !== typed,
		),
	);
	return true;
}

/**
 * Puts a text into the box that is open or about to open, and gives what it then holds. In one go: an editor that takes
 * the focus between two keys would get the rest of them.
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

/** Whether it is shown before the time is over. */
export function appears(locator: Locator, withinMs: number): Promise<boolean> {
	return locator.waitFor({ timeout: withinMs }).then(
		() => true,
		() => false,
	);
}
