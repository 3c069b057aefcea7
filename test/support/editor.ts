import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { browserFlags, findBrowser } from '../../scripts/browser.ts';
import { copyExtension, installExtension } from '../../scripts/editor/installExtension.ts';
import { type Editor, startEditorServer } from '../../scripts/editor/server.ts';
import { testSettings } from '../../scripts/editor/settings.ts';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { type SettingId, settingScopes } from '../../src/platform/ids.ts';
import { rememberWindow } from './openWindows.ts';

export interface EditorOptions {
	/** What windows open; a fresh sample repository when left out. */
	folder?: string;
	/** Settings beside the quiet ones for tests: the user's, and those of `machine` scope as the machine's. */
	settings?: Record<string, unknown>;
	/** Install the built extension as a user has it. Default: yes. */
	installed?: boolean;
	/** An unpacked extension to install instead of ours. */
	extension?: string;
	/** A package (`.vsix`) to install instead of ours, as the editor itself installs one. */
	package?: string;
	/**
	 * Run this module inside the extension host of each window, on the extension in development. The editor then hides
	 * toasts and answers dialogs itself, which a test of those must not want.
	 */
	extensionTests?: string;
	env?: Record<string, string>;
}

export interface EditorServer {
	folder: string;
	/** Holds `server`, `extensions` and `service`; goes with the server. */
	dataFolder: string;
	/** Where the local service of these windows keeps its state. */
	stateFolder: string;
	/** The page of a folder, with the token that opens it. */
	address(folder?: string): string;
	/** The user's settings as they are saved. */
	settings(): Record<string, unknown>;
	/** Adds to the user's settings for windows that open or reload after this; `editorWindow.ts` has one for open ones. */
	changeSettings(settings: Record<string, unknown>): void;
	/** What the server has printed. */
	output(): string;
	browser: Browser;
	stop(): Promise<void>;
}

export interface WindowOptions {
	folder?: string;
	/** Another window of the same user: same storage, same secrets. */
	context?: BrowserContext;
	viewport?: { width: number; height: number };
	/** Sees what is printed inside an extension test. */
	onPrint?: (text: string) => void;
}

export interface EditorWindow {
	page: Page;
	context: BrowserContext;
	/** Everything that the page and its frames have reported so far. */
	messages: readonly { type: string; text: string }[];
	/** The exit code of `extensionTests`. */
	testsEnded: Promise<number>;
}

const windowLimitMs = 60_000;

/** `ERRAND_TEST_DELAY=250` for a look over a slow line. */
const DELAY_MS = Number(process.env['ERRAND_TEST_DELAY'] ?? 0);

/** Serves a real VS Code with its own data, extensions and local service, and a browser to look at it. */
export async function startEditor(options: EditorOptions = {}): Promise<EditorServer> {
	const scratch = fs.mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-editor-'));
	const dataFolder = path.join(scratch, 'data');
	const folder = options.folder ?? makeSampleRepository(path.join(scratch, 'sample')).folder;
	const extension = options.extension ?? builtByTheRunner('ERRAND_TEST_EXTENSION');
	const settingsFile = path.join(dataFolder, 'server', 'data', 'User', 'settings.json');
	const readSettings = () => readWholeJson(settingsFile);
	const isOfMachine = ([id]: [string, unknown]) => settingScopes[id as SettingId] === 'machine';
	const given = Object.entries({ ...testSettings, ...options.settings });
	writeWholeJson(settingsFile, Object.fromEntries(given.filter(entry => !isOfMachine(entry))));
	// A served window takes these from there alone. From the user's file it has them only while it does not know the
	// extension yet: by chance at its start, and no more once any setting is written.
	const machineFile = path.join(dataFolder, 'server', 'data', 'Machine', 'settings.json');
	writeWholeJson(machineFile, Object.fromEntries(given.filter(isOfMachine)));
	if (options.extensionTests !== undefined) {
		copyExtension(extension, path.join(scratch, 'extension'));
	} else if (options.package !== undefined) {
		installPackage(builtByTheRunner('ERRAND_TEST_EDITOR'), options.package, dataFolder);
	} else if (options.installed !== false) {
		installExtension(extension, path.join(dataFolder, 'extensions'));
	}
	const editor = await startEditorServer({
		editor: builtByTheRunner('ERRAND_TEST_EDITOR'),
		dataFolder,
		flags: options.extensionTests === undefined ? [] : ['--enable-smoke-test-driver'],
		...(DELAY_MS > 0 && { delayMs: DELAY_MS }),
		// Nothing listens there: no test meets the model servers of the machine that it runs on.
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
		settings: readSettings,
		changeSettings: changes => writeWholeJson(settingsFile, { ...readSettings(), ...changes }),
		output: editor.output,
		browser,
		stop: async () => {
			// Windows that say goodbye end their extension hosts at once.
			await Promise.all(browser.contexts().map(context => context.close()));
			await Promise.all([browser.close(), editor.stop()]);
			removeScratch();
		},
	};
}

/** Opens a window and waits until its workbench stands. */
export async function openWindow(server: EditorServer, options: WindowOptions = {}): Promise<EditorWindow> {
	const context =
		options.context ??
		(await server.browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 }, locale: 'en-US' }));
	const page = await context.newPage();
	rememberWindow(page);
	const messages: { type: string; text: string }[] = [];
	page.on('console', message => messages.push({ type: message.type(), text: message.text() }));
	page.on('pageerror', error => messages.push({ type: 'error', text: String(error) }));
	const testsEnded = new Promise<number>((resolve, reject) => {
		page.once('crash', () => reject(new Error('The browser ran out of memory or crashed.')));
		void page.exposeFunction('codeAutomationExit', resolve);
	});
	// Only extension tests wait for it.
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

/** As a user does it. */
export async function reloadWindow(page: Page): Promise<void> {
	// The page says that it has loaded only when all of its scripts are there, which takes a slow machine long.
	await page.reload({ waitUntil: 'commit', timeout: windowLimitMs });
	await workbenchStands(page);
}

/** Also after a reload. */
export async function workbenchStands(page: Page): Promise<void> {
	await page.locator('.monaco-workbench .statusbar').first().waitFor({ timeout: windowLimitMs });
}

function launchBrowser(): Promise<Browser> {
	const executablePath = findBrowser();
	if (executablePath === undefined) {
		throw new Error('No Chromium or Chrome is installed. Install one, or name it in CHROME_PATH.');
	}
	return chromium.launch({ executablePath, args: browserFlags });
}

/** A window that reads meanwhile sees the one or the other whole. */
function writeWholeJson(file: string, value: object): void {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	const next = `${file}.next`;
	fs.writeFileSync(next, JSON.stringify(value, undefined, '\t'));
	fs.renameSync(next, file);
}

/** The editor empties a file before it writes it: what is half there is read again. */
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

function builtByTheRunner(variable: string): string {
	const folder = process.env[variable];
	if (folder === undefined) {
		throw new Error(`${variable} is not set. Run these tests with npm run test:editor or npm run test:e2e.`);
	}
	return folder;
}
