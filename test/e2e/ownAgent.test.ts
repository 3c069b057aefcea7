import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { type AgentWindow, openAgentWindow } from '../support/agentWindow.ts';
import type { EditorServer } from '../support/editor.ts';
import { appears, dismissInput, runCommand, screenshot, type Theme, until, useTheme } from '../support/editorWindow.ts';
import { chooseInMenu, logText, narrowSideBar, startTask, taskRow, taskShows } from '../support/errandWindow.ts';
import { DISCOUNT, discountTest, discountPlan as plan } from '../support/repairs.ts';
import type { Step } from '../support/scriptedModel.ts';

const TEN = 'Make ten widgets cheaper as well';
const TEST_FILE = discountTest('few widgets cost what they cost', 'assert.equal(discount(3), 0)');

const SCRIPTS: Record<string, Step[]> = {
	[TEN]: [
		plan('in_progress', 'pending', 'pending'),
		{ do: 'read', path: 'src/discount.js' },
		plan('completed', 'in_progress', 'pending'),
		{ do: 'edit', path: 'src/discount.js', from: 'widgets > 10', to: 'widgets >= 10' },
		plan('completed', 'completed', 'in_progress'),
		{ do: 'run', command: 'npm test' },
		plan('completed', 'completed', 'completed'),
		{ do: 'say', text: 'Ten widgets are cheaper now.' },
	],
};

describe('Errand’s own agent, where there is a model', function () {
	this.timeout(240_000);
	let window: AgentWindow;
	let server: EditorServer;
	let page: Page;

	before(async function () {
		// Agents run in the sandbox alone, which not every kernel has.
		if (!(await trySandbox()).works) {
			this.skip();
		}
		window = await openAgentWindow({
			worksOn: 'origin',
			scripts: SCRIPTS,
			files: { 'src/discount.js': DISCOUNT, 'test/discount.test.js': TEST_FILE },
			settings: ([url]) => ({
				'errand.local.upstreams': { workshop: { url, prices: { input: 3, output: 15 } } },
				'errand.tasks.refreshInterval': 5,
			}),
		});
		({ server, page } = window);
	});

	after(() => window?.stop());

	const inEachTheme = async (name: string) => {
		for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
			await useTheme(page, theme);
			await screenshot(page, `${name}-${theme}`);
		}
	};

	it('is in the list of agents without being set up', async () => {
		const row = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
		await runCommand(page, 'Errand: Set Up Agents…');
		await row.filter({ hasText: 'The sandbox works' }).waitFor({ timeout: 60_000 });
		await row.filter({ hasText: 'Errand' }).first().waitFor();
		await screenshot(page, 'own-agent-list');
		await dismissInput(page);
	});

	it('does a task for which no agent was chosen, and the repository’s tests are run once more', async () => {
		await startTask(page, TEN);
		await until(
			'the task has ended',
			async () => /git committed[\s\S]*Tests (?:passed|failed)|could not be run/.test(logText(server, TEN)),
			120_000,
		);
		const text = logText(server, TEN);
		for (const words of [
			/in a sandbox/,
			/Find the limit/,
			/Read .*src\/discount\.js/,
			/Edit .*src\/discount\.js/,
			/\+ export const discount = widgets => \(widgets >= 10/,
			/npm test/,
			/Ten widgets are cheaper now\./,
			/Running the tests once more: "npm test", as package\.json says/,
			/Tests passed\./,
			/coder by workshop/,
		]) {
			assert.match(text, words);
		}
		await taskShows(page, TEN, '+1 −1 in 1 file · tests passed · $0.036');
		await taskShows(page, TEN, 'errand');
		const branch = window.origin('for-each-ref', '--format=%(refname:short)', 'refs/heads/errand').trim();
		assert.match(window.origin('show', `${branch}:src/discount.js`), /widgets >= 10/);
	});

	it('shows in its log and its row what it did', async () => {
		const lines = page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"] .view-lines');
		await chooseInMenu(page, new RegExp(`^${TEN}`), 'Open Task Log as Document', () => lines.isVisible());
		await lines.getByText('Tests passed').first().waitFor();
		await runCommand(page, 'View: Hide Panel');
		await inEachTheme('own-agent-log');
		const hover = page.locator('.workbench-hover').filter({ hasText: 'tokens in' });
		await until('the tooltip tells the cost', async () => {
			// The editor shows a tooltip only when the pointer comes to the row.
			await page.mouse.move(0, 0);
			await taskRow(page, TEN).hover();
			return appears(hover, 5_000);
		});
		assert.match((await hover.innerText()).replaceAll('\u00a0', ' '), /tests passed/);
		await screenshot(page, 'own-agent-tooltip');
		await page.mouse.move(800, 500);
		await narrowSideBar(page, 200);
		await inEachTheme('own-agent-narrow');
	});
});
