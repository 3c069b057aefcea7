import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'mocha';
import type { Page } from 'playwright-core';
import { testSettings } from '../../scripts/editor/settings.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from './editor.ts';
import { until } from './editorWindow.ts';
import { emptyChat } from './errandWindow.ts';
import { Probe, probeOf } from './probeExtension.ts';
import { SampleFolder } from './sampleFolder.ts';

/** The name of the folder that these windows open. */
export const SAMPLE_NAME = 'widgets';

export interface WindowNeeds {
	/** Why the tests need a window of their own. Without it, they share one with the files that run before and after. */
	alone?: string;
	/** Settings besides those of every test. */
	settings?: Record<string, unknown>;
	/** Files of the repository besides those of the sample, by their paths. */
	files?: Record<string, string | Uint8Array>;
	/** Variables of the editor, which only the first of the files that share a window can have. */
	env?: Record<string, string>;
}

export interface TestWindow {
	server: EditorServer;
	page: Page;
	/** Everything that the page and its frames have reported so far. */
	messages: EditorWindow['messages'];
	sample: SampleFolder;
	close(): Promise<void>;
}

/** The window that the files of this process share. */
let shared: TestWindow | undefined;

/**
 * Gives the tests of a `describe` a window on the sample repository: that of the previous files in a fresh state, or a
 * new one if a test there has failed. `prepare` starts whatever the settings name, in a hook before the tests, and may
 * skip them.
 */
export function useWindow(prepare: (hook: Context) => WindowNeeds | Promise<WindowNeeds>): () => TestWindow {
	let window: TestWindow | undefined;

	before(async function () {
		const needs = await prepare(this);
		if (needs.alone !== undefined) {
			window = await openTestWindow(needs);
		} else if (shared === undefined) {
			shared = await openTestWindow(needs);
			window = shared;
		} else {
			assert.equal(needs.env, undefined, 'an editor that runs gets no other variables');
			window = shared;
			await reset(shared, needs);
		}
	});

	after(async function () {
		let isWhole = true;
		this.test?.parent?.eachTest(test => {
			isWhole &&= test.isPassed() || test.isPending();
		});
		if (window !== shared) {
			await window?.close();
		} else if (!isWhole) {
			// Nobody knows what it has left behind.
			await closeSharedWindow();
		}
	});

	return () => window ?? assert.fail('no window is open');
}

export async function closeSharedWindow(): Promise<void> {
	await shared?.close();
	shared = undefined;
}

/** Opens a window with a probe. `given` is the repository that it shows, which is otherwise made and removed with it. */
export async function openTestWindow(
	{ settings = {}, files, env }: WindowNeeds,
	given?: SampleFolder,
): Promise<TestWindow> {
	const scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-window-'));
	const sample = given ?? new SampleFolder(path.join(scratch, SAMPLE_NAME));
	if (files) {
		sample.add(files);
	}
	const probe = await Probe.start();
	const server = await startEditor({
		folder: sample.folder,
		settings,
		env: { ...env, ...probe.environment },
		installOthers: folder => probe.install(folder),
	});
	const { page, messages } = await openWindow(server);
	probe.attachTo(page);
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	return {
		server,
		page,
		messages,
		sample,
		async close() {
			await server.stop();
			await probe.stop();
			rmSync(scratch, { recursive: true, force: true });
		},
	};
}

/** Resets a window to its initial state, except for the listed conversations and tasks, with other settings. */
async function reset({ server, page, sample }: TestWindow, { settings = {}, files }: WindowNeeds): Promise<void> {
	const probe = probeOf(page) ?? assert.fail('the window has no probe');
	// An open question would keep the editor from everything that follows.
	await until('no question is open', async () => {
		await page.keyboard.press('Escape');
		return (await page.locator('.monaco-dialog-box').count()) === 0;
	});
	await emptyChat(page);
	await probe.do({ do: 'reset' });
	sample.reset();
	if (files) {
		sample.add(files);
	}
	const wanted: Record<string, unknown> = { ...testSettings, ...settings };
	const present = { ...server.settings(), ...server.machineSettings() };
	const changed = [...new Set([...Object.keys(wanted), ...Object.keys(present)])].filter(
		id => !isDeepStrictEqual(wanted[id], present[id]),
	);
	await probe.do({ do: 'change', settings: Object.fromEntries(changed.map(id => [id, wanted[id] ?? null])) });
}
