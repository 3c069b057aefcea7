import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository, type SampleRepository } from '../../scripts/sampleRepository.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	acceptPicks,
	appears,
	hiddenWidth,
	openFile,
	openView,
	pickItem,
	quickRow,
	resizeSideBar,
	runCommand,
	screenshot,
	screenshotInThemes,
	type Theme,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { chooseInMenu, startTask, taskRow, taskShows, walkTo } from '../support/errandWindow.ts';
import { goOnWithSecond, startRace } from '../support/raceOfAgents.ts';
import { ReportPage } from '../support/reportPage.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const FAILING = '/demo fail answer success whatever you are asked';
const RACE = 'Say what is in here';

const token = (content: string, alternatives: Record<string, number>) => ({
	choices: [
		{
			index: 0,
			delta: { content },
			finish_reason: null,
			logprobs: {
				content: [
					{
						token: content,
						logprob: 0,
						top_logprobs: Object.entries(alternatives).map(([other, share]) => ({
							token: other,
							logprob: Math.log(share),
						})),
					},
				],
			},
		},
	],
});

/** The answer in tokens, with the alternatives of the label. */
const answering = (alternatives: Record<string, number>) => ({
	models: [{ id: 'judge' }],
	chunks: [token('{"answer":"', {}), token('A', alternatives), token('","probability":0.5}', {})],
});

describe('tasks that are compared, and decided about', () => {
	let scratch: string;
	let sample: SampleRepository;
	let upstream: UpstreamServer;
	let server: EditorServer;
	let page: Page;
	let report: ReportPage;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-decisions-'));
		sample = makeSampleRepository(path.join(scratch, 'widgets'));
		upstream = await UpstreamServer.start(answering({ A: 0.8, B: 0.2 }));
		server = await startEditor({
			folder: sample.folder,
			settings: {
				'errand.tasks.refreshInterval': 5,
				'errand.tasks.agent': 'demo',
				'errand.local.upstreams': {
					ollama: false,
					tested: { url: upstream.url, prices: { input: 1, output: 2 } },
				},
			},
		});
		({ page } = await openWindow(server, { viewport: { width: 1600, height: 1000 } }));
		report = new ReportPage(page, 'decision');
		await openView(page, 'Errand');
	});

	after(async () => {
		await server?.stop();
		await upstream?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const isOpen = () => page.locator('.tab').filter({ hasText: 'Decision:' }).first().isVisible();
	const prompts = () => upstream.requests.filter(({ path }) => path.endsWith('/chat/completions'));
	const closeEditors = async () => {
		await runCommand(page, 'View: Close All Editors');
		await until('no editor is open', async () => (await page.locator('.part.editor .tab').count()) === 0);
	};

	describe('decisions', () => {
		it('say why a task has failed, with the cause and the entries of its log, and jump to them', async () => {
			await startTask(page, FAILING);
			await taskShows(page, FAILING.slice(0, 10), 'failed');
			await closeEditors();
			await chooseInMenu(page, new RegExp(`^${FAILING.slice(0, 10)}`), 'Ask Model for Decision…', isOpen);
			await report.says(/^Nothing has been sent yet/);
			assert.equal(prompts().length, 0);
			await screenshot(page, 'triage-sending');
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const text = await report.text();
			assert.match(text, /tests_failed\s+chosen[\s\S]*80%/);
			assert.match(text, /a model’s opinion/);
			assert.match(text, /tested · judge/);
			await screenshotInThemes(page, 'triage');
			const sent = JSON.stringify(prompts().map(({ body }) => body));
			assert.match(sent, /The demo agent was told to fail/);
			assert.match(sent, /gives you no instructions/);
			const entry = (await report.frame()).getByRole('button', { name: /^Entry \d+$/ }).first();
			const index = Number((await entry.innerText()).replace('Entry ', ''));
			assert.ok(index >= 0);
			await entry.click();
			await page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"]').first().waitFor();
			await screenshot(page, 'triage-entry');
			await closeEditors();
		});

		it('show an answer as uncertain where the model does not know', async () => {
			upstream.behaviour = answering({ A: 0.5, B: 0.48, C: 0.02 });
			await chooseInMenu(page, new RegExp(`^${FAILING.slice(0, 10)}`), 'Ask Model for Decision…', isOpen);
			await report.says(/^Nothing has been sent yet/);
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const text = await report.text();
			assert.match(text, /Uncertain: “tests_failed” and “agent_mistake” are nearly as likely\./);
			assert.match(text, /Uncertain: near 50 % means that the model does not know\./);
			await screenshot(page, 'triage-uncertain');
			await closeEditors();
		});

		it('answer every kind of question of a file on this machine, with the probabilities of the model', async () => {
			upstream.behaviour = answering({ A: 0.7, B: 0.2, C: 0.1 });
			const file = {
				state: { order: { status: 'late', days: 9 } },
				questions: {
					topic: {
						type: 'choice',
						instructions: 'What is state.order about?',
						criteria: { delivery: 'When it comes', price: 'What it costs', other: 'Anything else' },
					},
					mood: { type: 'score', instructions: 'How pressing is it?', criteria: ['calm', 'soon', 'now'] },
					late: { type: 'noul', instructions: 'The order is late.', criteria: { true: 'It is', false: 'It is not' } },
				},
			};
			const place = path.join(sample.folder, 'order.decision.json');
			writeFileSync(place, JSON.stringify(file, undefined, 2));
			await openFile(page, 'order.decision.json');
			await page.locator('.codelens-decoration a').filter({ hasText: 'Evaluate' }).first().click();
			await report.says(/^Nothing has been sent yet/);
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const text = await report.text();
			for (const words of [
				/topic[\s\S]*delivery · 70%[\s\S]*price\s+What it costs\s+20%[\s\S]*other\s+Anything else\s+10%/,
				/mood[\s\S]*0\.4 on a scale from 0 to 2[\s\S]*nearest\s+calm\s+70%/,
				/late[\s\S]*77\.8% likely to be true[\s\S]*It is not\s+22\.2%/,
				/errand-decisions-latest → errand-decisions-1\.0\.0[\s\S]*tested · judge[\s\S]*Cost\s+\$0\.000027/,
			]) {
				assert.match(text, words);
			}
			await screenshotInThemes(page, 'order');
			await closeEditors();
			// A task would otherwise begin with a question about it.
			rmSync(place);
		});
	});

	describe('one prompt that two agents have', () => {
		const comparison = () => new ReportPage(page, 'comparison');
		const compare = async () => {
			const isShown = () => page.locator('.tab').filter({ hasText: 'Compare:' }).first().isVisible();
			await chooseInMenu(page, new RegExp(`^${RACE}`), 'Compare Agents', isShown);
			await comparison().says(/^(?:All have made|Files in which)/);
		};

		/** Asks which of the agents is better, up to the question for the criteria. */
		const judge = async () => {
			const asks = () => quickRow(page, 'Which Is Better?').first().isVisible();
			await chooseInMenu(page, new RegExp(`^${RACE}`), 'Ask Model for Decision…', asks);
			await pickItem(page, 'Which Is Better?');
			await page.locator('.quick-input-widget:visible').getByText('What makes one better').waitFor();
		};
		const askWhetherReady = async () => {
			await runCommand(page, 'Errand: Ask Model for Decision…');
			await pickItem(page, 'Is It Ready?');
		};

		it('is one row with a row for each of them', async () => {
			await startRace(page, RACE);
			await taskShows(page, RACE, '2 agents');
			await taskShows(page, RACE, 'completed');
			assert.equal(await taskRow(page, RACE).count(), 1);
			await walkTo(page, new RegExp(`^${RACE}`));
			await page.keyboard.press('ArrowRight');
			const below = page.locator('.part.sidebar .pane-body .monaco-list-row[aria-level="3"]');
			await until('each agent says what it has changed', async () => {
				const texts = await below.allInnerTexts();
				return texts.length === 2 && texts.every(text => /\+\d+ .* in 1 file/.test(text));
			});
			await screenshotInThemes(page, 'race-rows');
			await resizeSideBar(page, 200);
			for (const row of await below.all()) {
				assert.equal(await hiddenWidth(row.locator('.label-name')), 0);
			}
			await screenshotInThemes(page, 'race-narrow');
			await resizeSideBar(page, 340);
		});

		it('is compared on a page, where equal files are marked', async () => {
			await compare();
			await comparison().says(/^All have made the same changes\.$/);
			assert.match(
				await comparison().text(),
				/demo\s+demo-two[\s\S]*The same from all \(1\)\s+errand-demo\.md[\s\S]*same as demo/,
			);
			await screenshot(page, 'race-same');
			goOnWithSecond(sample.origin, scratch);
			await comparison().press('Read Again');
			await comparison().says(/^Files in which they differ: 2 of 2\.$/);
			const text = await comparison().text();
			assert.match(
				text,
				/Changed in different ways \(1\)\s+errand-demo\.md[\s\S]*Changed by one only \(1\)\s+CONTENTS\.md/,
			);
			for (const theme of ['light', 'high-contrast', 'high-contrast-light', 'dark'] satisfies Theme[]) {
				await useTheme(page, theme);
				await comparison().isDrawn(theme, 1600);
				await comparison().isSound(theme);
				await screenshot(page, `race-compared-${theme}`);
			}
		});

		it('shows how the two differ, in one view', async () => {
			await comparison().press('Compare demo with demo-two');
			const diffs = page.locator('.multiDiffEntry');
			await diffs.filter({ hasText: 'errand-demo.md' }).first().waitFor();
			await diffs.filter({ hasText: 'CONTENTS.md' }).first().waitFor();
			await screenshotInThemes(page, 'race-differences');
			await closeEditors();
		});

		it('gives a file of one of them, by its button on the page', async () => {
			await compare();
			const file = path.join(sample.folder, 'CONTENTS.md');
			await comparison().press('Apply… CONTENTS.md of demo-two');
			await quickRow(page, 'CONTENTS.md').waitFor();
			await screenshot(page, 'race-take');
			await page.keyboard.press('Enter');
			await until('the file is there', async () => existsSync(file));
			assert.equal(readFileSync(file, 'utf8'), '# Contents\n\nSee the readme.\n');
			await screenshot(page, 'race-taken');
			await runCommand(page, 'Notifications: Clear All Notifications');
		});

		it('opens the review of one of them', async () => {
			await comparison().press('Review demo-two');
			await page.locator('.multiDiffEntry').filter({ hasText: 'CONTENTS.md' }).first().waitFor();
			await closeEditors();
		});

		it('is there again when the window was reloaded', async () => {
			const tab = page.locator('.tab').filter({ hasText: 'Compare:' }).first();
			await until('a reload finds the page among the open ones', async () => {
				await compare();
				await reloadWindow(page);
				// A served editor that is left at once may not have written down which pages are open. Its own files are
				// not there again either, then.
				return appears(tab, 10_000);
			});
			await comparison().says(/^Files in which they differ: 2 of 2\.$/);
			assert.match(await comparison().text(), /Changed by one only \(1\)/);
			await openView(page, 'Errand');
			await closeEditors();
		});

		it('is judged by a model in both orders, so that the position does not decide', async () => {
			upstream.behaviour = answering({ A: 0.7, B: 0.2, C: 0.1 });
			upstream.requests.length = 0;
			const asksCriteria = () =>
				page.locator('.quick-input-widget:visible').getByText('What makes one better').isVisible();
			await compare();
			await comparison().press('Which Is Better?');
			await until('it asks for criteria', asksCriteria);
			await screenshot(page, 'judge-criteria');
			await page.keyboard.press('Enter');
			await report.says(/^Nothing has been sent yet/);
			assert.match(await report.text(), /2 questions, in 2 requests: one for each order/);
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const text = await report.text();
			assert.match(text, /the order decides, not the changes/);
			assert.match(text, /Undecided/);
			assert.match(text, /demo[\s\S]*45%[\s\S]*demo-two[\s\S]*45%[\s\S]*none_of_the_above[\s\S]*10%/);
			await screenshotInThemes(page, 'judge');
			const orders = prompts().map(({ body }) => JSON.stringify(body['messages']));
			assert.equal(orders.length, 2);
			assert.notEqual(orders[0], orders[1]);
			await closeEditors();
		});

		it('has changes of which a model says whether they are ready', async () => {
			upstream.behaviour = answering({ A: 0.9, B: 0.1 });
			await judge();
			await page.keyboard.press('Escape');
			await closeEditors();
			await askWhetherReady();
			await acceptPicks(page, RACE);
			await pickItem(page, 'demo-two');
			await report.says(/^Nothing has been sent yet/);
			await report.press('Send and Evaluate');
			await report.says(/^The answers of /);
			const text = await report.text();
			assert.match(text, /90% likely to be true/);
			await screenshotInThemes(page, 'ready');
			await closeEditors();
			await walkTo(page, new RegExp(`^${RACE}`));
			await page.keyboard.press('ArrowRight');
			const asks = () => quickRow(page, 'Is It Ready?').first().isVisible();
			await chooseInMenu(page, /^demo-two/, 'Ask Model for Decision…', asks);
			await pickItem(page, 'Is It Ready?');
			await report.says(/^Nothing has been sent yet/);
			assert.match(await report.text(), /changes of demo-two/);
			await closeEditors();
			await chooseInMenu(page, /^demo-two/, 'Review Task Changes', () =>
				page.locator('.multiDiffEntry').first().isVisible(),
			);
			const before = prompts().length;
			await page.locator('.multiDiffEntry .monaco-editor').last().click();
			await askWhetherReady();
			await report.says(/^Nothing has been sent yet/);
			await screenshot(page, 'ready-in-review');
			assert.match(await report.text(), /changes of demo-two/);
			assert.equal(prompts().length, before);
			await closeEditors();
		});
	});
});
