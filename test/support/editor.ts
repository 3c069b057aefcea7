import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { copyExtension, installExtension } from '../../scripts/editor/installExtension.ts';
import { type Editor, startEditorServer } from '../../scripts/editor/server.ts';
import { testSettings } from '../../scripts/editor/settings.ts';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { type SettingId, settingScopes } from '../../src/platform/ids.ts';
import { launchBrowser } from './browser.ts';
import { builtByTheRunner } from './builtByTheRunner.ts';
import { rememberWindow } from './openWindows.ts';
import { probeOf } from './probeExtension.ts';
import { installPseudoLanguage, PSEUDO_LOCALE } from './pseudoLanguage.ts';
import { waitFor } from './waitFor.ts';

export interface EditorOptions {
	/** The folder that windows open; by default, a fresh sample repository. */
	folder?: string;
	/**
	 * Settings in addition to the quiet ones for tests. They become the user's settings, except those of `machine` scope,
	 * which become the machine's.
	 */
	settings?: Record<string, unknown>;
	/** True to install the built extension as for a user; true by default. */
	installed?: boolean;
	/** An unpacked extension to install instead of ours. */
	extension?: string;
	/** A package (`.vsix`) to install instead of ours, as the editor itself installs one. */
	package?: string;
	/**
	 * Puts other extensions into the folder. The editor reads the folder at its start, and may miss extensions that are
	 * added meanwhile.
	 */
	installOthers?: (extensionsFolder: string) => void;
	/**
	 * A module to run inside the extension host of each window, on the extension in development. The editor then hides
	 * toasts and answers dialogs itself, so tests of toasts and dialogs cannot use it.
	 */
	extensionTests?: string;
	env?: Record<string, string>;
	/** True if the editor uses the pseudo-language, which the extension must then have. */
	pseudoLanguage?: boolean;
}

export interface EditorServer {
	folder: string;
	/** The folder with `server`, `extensions` and `service`. It is removed when the server stops. */
	dataFolder: string;
	/** The folder in which the local service of these windows keeps its state. */
	stateFolder: string;
	/** Returns the address of a folder's page, with the token that opens it. */
	address(folder?: string): string;
	/** Reads the user's settings as saved. */
	settings(): Record<string, unknown>;
	/** Reads the machine's settings as saved. */
	machineSettings(): Record<string, unknown>;
	/** Returns the output of the server. */
	output(): string;
	browser: Browser;
	stop(): Promise<void>;
}

export interface WindowOptions {
	folder?: string;
	/** The context of another window of the same user, with the same storage and the same secrets. */
	context?: BrowserContext;
	viewport?: { width: number; height: number };
	/** Receives the output of an extension test. */
	onPrint?: (text: string) => void;
}

export interface EditorWindow {
	page: Page;
	context: BrowserContext;
	/** Everything that the page and its frames have reported so far. */
	messages: readonly { type: string; text: string }[];
	/** Resolves with the exit code of `extensionTests`. */
	testsEnded: Promise<number>;
}

/**
 * The delay of a simulated slow line. With `ERRAND_TEST_DELAY=250`, messages between windows and extensions take 250
 * ms.
 */
const DELAY_MS = Number(process.env['ERRAND_TEST_DELAY'] ?? 0);

/** Serves a real VS Code with its own data, extensions and local service, and launches a browser for it. */
export async function startEditor(options: EditorOptions = {}): Promise<EditorServer> {
	const scratch = fs.mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-editor-'));
	const dataFolder = path.join(scratch, 'data');
	const folder = options.folder ?? makeSampleRepository(path.join(scratch, 'sample')).folder;
	const extension = options.extension ?? builtByTheRunner('ERRAND_TEST_EXTENSION');
	const settingsFile = path.join(dataFolder, 'server', 'data', 'User', 'settings.json');
	const isOfMachine = ([id]: [string, unknown]) => settingScopes[id as SettingId] === 'machine';
	const given = Object.entries({ ...testSettings, ...options.settings });
	writeWholeJson(settingsFile, Object.fromEntries(given.filter(entry => !isOfMachine(entry))));
	// A served window reliably takes machine settings from this file only. It uses those in the user's file only as long
	// as it does not know the extension: by chance at its start, and no longer once any setting is written.
	const machineFile = path.join(dataFolder, 'server', 'data', 'Machine', 'settings.json');
	writeWholeJson(machineFile, Object.fromEntries(given.filter(isOfMachine)));
	if (options.extensionTests !== undefined) {
		copyExtension(extension, path.join(scratch, 'extension'));
	} else if (options.package !== undefined) {
		installPackage(builtByTheRunner('ERRAND_TEST_EDITOR'), options.package, dataFolder);
	} else if (options.installed !== false) {
		installExtension(extension, path.join(dataFolder, 'extensions'));
	}
	options.installOthers?.(path.join(dataFolder, 'extensions'));
	if (options.pseudoLanguage) {
		installPseudoLanguage(path.join(dataFolder, 'server', 'data'));
	}
	const editor = await startEditorServer({
		editor: builtByTheRunner('ERRAND_TEST_EDITOR'),
		dataFolder,
		flags: [
			...(options.extensionTests === undefined ? [] : ['--enable-smoke-test-driver']),
			...(options.pseudoLanguage ? ['--locale', PSEUDO_LOCALE] : []),
		],
		...(DELAY_MS > 0 && { delayMs: DELAY_MS }),
		// Nothing listens on this port, so that no test meets the model servers of the machine on which it runs.
		environment: { OLLAMA_HOST: '127.0.0.1:1', ...options.env },
	});
	const removeScratch = () => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
	let browser: Browser;
	try {
		browser = await launchBrowser();
	} catch (error) {
		await editor.stop();
		removeScratch();
		throw error;
	}
	return {
		folder,
		dataFolder,
		stateFolder: editor.stateFolder,
		address: (other = folder) => {
			const page = editor.address(other);
			return options.extensionTests === undefined
				? page
				: `${page}&payload=${testPayload(editor, path.join(scratch, 'extension'), options.extensionTests)}`;
		},
		settings: () => readWholeJson(settingsFile),
		machineSettings: () => readWholeJson(machineFile),
		output: editor.output,
		browser,
		stop: async () => {
			// Windows that are closed properly end their extension hosts at once.
			await Promise.all(browser.contexts().map(context => context.close()));
			await Promise.all([browser.close(), editor.stop()]);
			removeScratch();
		},
	};
}

/** Opens a window and waits until its workbench is shown. */
export async function openWindow(server: EditorServer, options: WindowOptions = {}): Promise<EditorWindow> {
	const context =
		options.context ??
		(await server.browser.newContext({
			viewport: options.viewport ?? { width: 1280, height: 800 },
			locale: 'en-US',
			reducedMotion: 'reduce',
		}));
	const page = await context.newPage();
	rememberWindow(page);
	const messages: { type: string; text: string }[] = [];
	page.on('console', message => messages.push({ type: message.type(), text: message.text() }));
	page.on('pageerror', error => messages.push({ type: 'error', text: String(error) }));
	const testsEnded = new Promise<number>((resolve, reject) => {
		page.once('crash', () => reject(new Error('The browser ran out of memory or crashed.')));
		void page.exposeFunction('codeAutomationExit', resolve);
	});
	// Only extension tests wait for this promise. In other tests, its rejection must not count as unhandled.
	testsEnded.catch(() => {});
	await page.exposeFunction('codeAutomationLog', (_type: string, values: unknown[]) => {
		for (const value of values) {
			options.onPrint?.(String(value));
		}
	});
	await page.goto(server.address(options.folder), { waitUntil: 'commit' });
	await workbenchStands(page);
	return { page, context, messages, testsEnded };
}

/** Reloads a window as a user does, and waits until its workbench is shown. */
export async function reloadWindow(page: Page): Promise<void> {
	probeOf(page)?.leaveWindow();
	// The page's load event comes only after all of its scripts, which takes long on a slow machine.
	await page.reload({ waitUntil: 'commit' });
	await workbenchStands(page);
}

/** Waits until the workbench of a new or reloaded window is shown. */
export async function workbenchStands(page: Page): Promise<void> {
	await page.locator('.monaco-workbench .statusbar').first().waitFor();
}

/**
 * Waits for something that a window can do only with the folders of its workspace file. A served window begins without
 * them, and now and then misses the moment at which it can first read the file; it reads it whenever it changes.
 */
export async function readsWorkspaceFile(file: string, hasFolders: () => boolean | Promise<boolean>): Promise<void> {
	await waitFor('the window to read its workspace file', async () => {
		if (await hasFolders()) {
			return true;
		}
		fs.copyFileSync(file, `${file}.next`);
		fs.renameSync(`${file}.next`, file);
		return false;
	});
}

/** Writes the file atomically, so that a window that reads it meanwhile sees either the old or the new content. */
function writeWholeJson(file: string, value: object): void {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	const next = `${file}.next`;
	fs.writeFileSync(next, JSON.stringify(value, undefined, '\t'));
	fs.renameSync(next, file);
}

/** Reads a JSON file, and repeats that while the file is incomplete, because the editor empties it before writing. */
function readWholeJson(file: string): Record<string, unknown> {
	for (let tries = 0; ; tries++) {
		try {
			return JSON.parse(fs.readFileSync(file, 'utf8'));
		} catch (error) {
			if (tries === 50) {
				throw error;
			}
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
		}
	}
}

function installPackage(editor: string, file: string, dataFolder: string): void {
	const folders = ['--server-data-dir', path.join(dataFolder, 'server')];
	folders.push('--extensions-dir', path.join(dataFolder, 'extensions'));
	const args = [path.join(editor, 'out', 'server-main.js'), ...folders, '--install-extension', file];
	execFileSync(process.execPath, [...args, '--accept-server-license-terms', '--disable-telemetry'], { stdio: 'pipe' });
}

function testPayload({ port }: Editor, extension: string, tests: string): string {
	const remote = (file: string) => `vscode-remote://127.0.0.1:${port}${file}`;
	const payload = { extensionDevelopmentPath: remote(extension), extensionTestsPath: remote(tests) };
	return encodeURIComponent(
		JSON.stringify(Object.entries({ ...payload, skipWelcome: 'true', skipReleaseNotes: 'true' })),
	);
}
