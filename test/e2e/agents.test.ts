import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { type AgentWindow, openAgentWindow, skipWithoutSandbox } from '../support/agentWindow.ts';
import type { EditorServer } from '../support/editor.ts';
import {
	answerInput,
	appears,
	dialog,
	pickItem,
	quickRow,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import { chooseInMenu, logText, startTask, taskRow, taskShows } from '../support/errandWindow.ts';
import { MONEY_TEST, NAIVE, RIGHT } from '../support/repairs.ts';
import type { Step } from '../support/scriptedModel.ts';

const MONEY = `/** Writes an amount in cents as people read it. */
export const format = cents => (cents / 100).toFixed(2);
`;

/** The prompts, each with what the model then does. */
const SEPARATE = 'Write prices with separators for thousands';
const BRACKET = 'Put negative amounts into brackets';
const WAIT = 'Wait for a long time, and do nothing else';
const SCRIPTS: Record<string, Step[]> = {
	[SEPARATE]: [
		{ do: 'read', path: 'src/money.js' },
		{ do: 'write', path: 'test/money.test.js', content: MONEY_TEST },
		{ do: 'edit', path: 'src/money.js', from: '.toFixed(2)', to: NAIVE },
		{ do: 'run', command: 'node --test test/money.test.js' },
		{ do: 'edit', path: 'src/money.js', from: NAIVE, to: RIGHT },
		{ do: 'run', command: 'node --test test/money.test.js' },
		{ do: 'say', text: 'Prices have separators for thousands now, and a test.' },
	],
	[BRACKET]: [
		{ do: 'read', path: 'src/money.js' },
		{ do: 'edit', path: 'src/money.js', from: 'cents => (', to: 'cents => cents < 0 ? "(" + format(-cents) + ")" : (' },
		{ do: 'say', text: 'Negative amounts stand in brackets now.' },
	],
	[WAIT]: [
		{ do: 'write', path: 'notes.txt', content: 'begun\n' },
		{ do: 'run', command: 'sleep 300' },
		{ do: 'say', text: 'Waited.' },
	],
};

describe('a real agent, from setting it up to its branch', () => {
	let window: AgentWindow;
	let server: EditorServer;
	let page: Page;

	before(async function () {
		await skipWithoutSandbox(this);
		window = await openAgentWindow({
			worksOn: 'origin',
			scripts: SCRIPTS,
			files: { 'src/money.js': MONEY },
			settings: ([url]) => ({
				'errand.local.upstreams': { workshop: { url, prices: { input: 3, output: 15 } } },
				// The editor takes PATH from the user's shell, so the agent is named by its place.
				'errand.local.agents': [{ id: 'opencode', command: opencodeProgram(), args: ['acp'] }],
				'errand.tasks.refreshInterval': 5,
			}),
		});
		({ server, page } = window);
	});

	after(() => window?.stop());

	const inLog = (prompt: string, words: RegExp) =>
		until(`the log says ${words}`, async () => words.test(logText(server, prompt)), 120_000);

	it('is found, tried in the sandbox, and made the default', async () => {
		await runCommand(page, 'Errand: Set Up Agents…');
		await quickRow(page, 'The sandbox works').waitFor();
		await quickRow(page, 'opencode').filter({ hasText: 'from your settings' }).waitFor();
		await screenshot(page, 'agents-list');
		await pickItem(page, 'opencode');
		await pickItem(page, 'Try It');
		await quickRow(page, 'opencode').filter({ hasText: / s\b/ }).waitFor({ timeout: 120_000 });
		await screenshot(page, 'agents-tried');
		await pickItem(page, 'opencode');
		await pickItem(page, 'Make It the Default');
		await until('it is the default', async () => server.settings()['errand.tasks.agent'] === 'opencode');
		await page.keyboard.press('Escape');
	});

	it('does a task: its steps, its changes and what it cost can be seen', async () => {
		await startTask(page, SEPARATE);
		await inLog(SEPARATE, /Prices have separators for thousands now, and a test\./);
		await inLog(SEPARATE, /git committed/);
		const text = logText(server, SEPARATE);
		assert.match(text, /in a sandbox/);
		assert.match(text, /src\/money\.js/);
		assert.match(text, /coder by workshop: 1000 tokens in, 100 out, US\$ 0\.0045/);
		await taskShows(page, SEPARATE, '+9');
		const lines = page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"] .view-lines');
		await chooseInMenu(page, /Write prices/, 'Open Task Log as Document', () => lines.isVisible(), 'Log');
		// The document shows its end, where the service has run the tests once more.
		await lines.getByText('The branch errand/').first().waitFor();
		await screenshotInThemes(page, 'agents-log');
		const cost = page.locator('.workbench-hover').filter({ hasText: 'tokens in' });
		await until('the tooltip tells the cost', async () => {
			// The editor shows a tooltip only when the pointer comes to the row.
			await page.mouse.move(0, 0);
			await taskRow(page, SEPARATE).hover();
			return appears(cost, 5_000);
		});
		await screenshot(page, 'agents-cost');
	});

	it('goes on with its own session', async () => {
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await chooseInMenu(page, /Write prices/, 'Continue Task…', () => input.isVisible());
		await answerInput(page, BRACKET);
		await inLog(SEPARATE, /The agent continues its earlier session\.[\s\S]*Negative amounts[\s\S]*git pushed/);
		const branch = window.origin('branch', '--list', 'errand/*', '--format=%(refname:short)').trim();
		assert.match(window.origin('show', `${branch}:src/money.js`), /format\(-cents\)[\s\S]*\{3\}\)\+/);
	});

	it('is stopped, and what it did is kept', async () => {
		await startTask(page, WAIT);
		await inLog(WAIT, /sleep 300/);
		const isStopped = async () => /Stopped by the user/.test(logText(server, WAIT));
		await chooseInMenu(page, /Wait for a long time/, 'Stop Task', isStopped);
		const question = dialog(page, 'commit');
		await chooseInMenu(page, /Wait for a long time/, 'Keep Work of Stopped Task…', () => question.isVisible());
		await question.getByRole('button', { name: 'Keep It' }).click();
		await toast(page, 'errand/wait-for-a-long-time').waitFor();
		await screenshot(page, 'agents-kept');
		const branch = window.origin('branch', '--list', 'errand/wait*', '--format=%(refname:short)').trim();
		assert.equal(window.origin('show', `${branch}:notes.txt`), 'begun\n');
	});
});
