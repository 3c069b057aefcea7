import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository, type SampleRepository } from '../../scripts/sampleRepository.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	openView,
	quickRow,
	runCommand,
	screenshot,
	type Theme,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { chooseInMenu, narrowSideBar, taskRow, taskShows, walkTo } from '../support/errandWindow.ts';
import { goOnWithSecond, startRace } from '../support/raceOfAgents.ts';

const PROMPT = 'Say what is in here';

describe('one prompt that two agents have', function () {
	this.timeout(180_000);
	let scratch: string;
	let sample: SampleRepository;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-race-'));
		sample = makeSampleRepository(path.join(scratch, 'widgets'));
		server = await startEditor({ folder: sample.folder, settings: { 'errand.tasks.refreshInterval': 5 } });
		({ page } = await openWindow(server));
		await openView(page, 'Errand');
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const comparison = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-compare:"]');
	const lines = async () => (await comparison().locator('.view-lines').innerText()).replaceAll('\u00a0', ' ');
	const inEachTheme = async (name: string) => {
		for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
			await useTheme(page, theme);
			await screenshot(page, `${name}-${theme}`);
		}
	};
	const compare = () =>
		chooseInMenu(page, new RegExp(`^${PROMPT}`), 'Compare Agents', () => comparison().first().isVisible());

	const closeEditor = async () => {
		await runCommand(page, 'View: Close All Editors');
		await until('no editor is open', async () => (await page.locator('.part.editor .tab').count()) === 0);
	};

	it('is one row with a row for each of them', async () => {
		await startRace(page, PROMPT);
		await taskShows(page, PROMPT, '2 agents');
		await taskShows(page, PROMPT, 'completed');
		assert.equal(await taskRow(page, PROMPT).count(), 1);
		await walkTo(page, new RegExp(`^${PROMPT}`));
		await page.keyboard.press('ArrowRight');
		const below = page.locator('.part.sidebar .pane-body .monaco-list-row[aria-level="3"]');
		await until('each agent says what it has changed', async () => {
			const texts = await below.allInnerTexts();
			return texts.length === 2 && texts.every(text => /\+\d+ .* in 1 file/.test(text));
		});
		await inEachTheme('race-rows');
		await narrowSideBar(page, 200);
		await inEachTheme('race-narrow');
		await narrowSideBar(page, 340);
	});

	it('is compared in a document, where equal files are marked', async () => {
		await compare();
		assert.match(await lines(), /demo +demo-two[\s\S]*The same from all \(1\)[\s\S]*errand-demo\.md .*same as demo/);
		await screenshot(page, 'race-same');
		await closeEditor();
		goOnWithSecond(sample.origin, scratch);
		await compare();
		const changed =
			/Changed in different ways \(1\)[\s\S]*errand-demo\.md[\s\S]*Changed by demo-two only \(1\)[\s\S]*CONTENTS\.md/;
		await until('the document has the new commit', async () => changed.test(await lines()));
		await inEachTheme('race-compared');
	});

	it('shows how the two differ, in one view', async () => {
		await comparison().getByRole('button', { name: 'Compare demo with demo-two' }).click();
		const diffs = page.locator('.multiDiffEntry');
		await diffs.filter({ hasText: 'errand-demo.md' }).first().waitFor();
		await diffs.filter({ hasText: 'CONTENTS.md' }).first().waitFor();
		await inEachTheme('race-differences');
		await closeEditor();
	});

	it('gives a file of one of them, from a link in the document', async () => {
		await compare();
		const file = path.join(sample.folder, 'CONTENTS.md');
		const link = comparison().locator('.view-line').filter({ hasText: 'CONTENTS.md' }).getByText('take');
		await until(
			'the preview is there',
			async () => {
				// The editor notices a link only when the pointer moves over it while the key is held, and it may take a moment.
				await page.mouse.move(0, 0);
				await page.keyboard.down('ControlOrMeta');
				await link.first().hover();
				await appears(comparison().locator('.detected-link-active'), 5_000);
				await link.first().click();
				await page.keyboard.up('ControlOrMeta');
				return appears(quickRow(page, 'CONTENTS.md'), 10_000);
			},
			60_000,
		);
		await screenshot(page, 'race-take');
		await page.keyboard.press('Enter');
		await until('the file is there', async () => existsSync(file));
		assert.equal(readFileSync(file, 'utf8'), '# Contents\n\nSee the readme.\n');
		await screenshot(page, 'race-taken');
	});
});
