import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { type AgentWindow, openAgentWindow, skipWithoutSandbox } from '../support/agentWindow.ts';
import type { EditorServer } from '../support/editor.ts';
import {
	answerInput,
	appears,
	changeSettings,
	dismissInput,
	pickItem,
	quickRow,
	resizeSideBar,
	runCommand,
	screenshot,
	screenshotInThemes,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInMenu,
	logText,
	openChat,
	replyEnds,
	startTask,
	taskRow,
	taskShows,
} from '../support/errandWindow.ts';
import { DISCOUNT, discountTest, discountPlan as plan } from '../support/repairs.ts';
import type { Step } from '../support/scriptedModel.ts';

const PRICED = 'Write down what a widget is';
const UNPRICED = 'Write down what a gadget is';
const TEN = 'Make ten widgets cheaper as well';
const TEST_FILE = discountTest('few widgets cost what they cost', 'assert.equal(discount(3), 0)');
const scriptOf = (file: string): Step[] => [
	{ do: 'write', path: file, content: 'A thing.\n' },
	{ do: 'say', text: `Wrote ${file}.` },
];
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
	[PRICED]: scriptOf('widget.md'),
	[UNPRICED]: scriptOf('gadget.md'),
};

describe('Errand’s own agent, where there is a model', () => {
	let window: AgentWindow;
	let server: EditorServer;
	let page: Page;

	before(async function () {
		await skipWithoutSandbox(this);
		window = await openAgentWindow({
			worksOn: 'origin',
			scripts: SCRIPTS,
			files: { 'src/discount.js': DISCOUNT, 'test/discount.test.js': TEST_FILE },
			servers: 2,
			settings: ([priced, unpriced]) => ({
				'errand.local.upstreams': {
					workshop: { url: priced, prices: { input: 3, output: 15 } },
					cellar: { url: unpriced },
				},
				'errand.connections': {
					acme: {
						label: 'Acme',
						apiUrl: 'https://acme.example',
						cloudUrl: 'https://cloud.acme.example',
						service: 'acme',
					},
					plain: { label: 'Plain', apiUrl: 'https://plain.example', service: 'plain' },
				},
				'errand.tasks.maxCost': 1,
				'errand.chat.model': 'coder',
				'errand.chat.routing': { only: ['workshop'] },
				'errand.tasks.refreshInterval': 5,
			}),
		});
		({ server, page } = window);
	});

	after(() => window?.stop());

	const hoverOver = async (prompt: string) => {
		const hover = page.locator('.workbench-hover').filter({ hasText: 'tokens in' });
		await until('the tooltip tells the cost', async () => {
			// The editor shows a tooltip only when the pointer comes to the row.
			await page.mouse.move(0, 0);
			await taskRow(page, prompt).hover();
			return appears(hover, 5_000);
		});
		return (await hover.innerText()).replaceAll('\u00a0', ' ');
	};

	it('is in the list of agents without being set up', async () => {
		await runCommand(page, 'Errand: Set Up Agents…');
		await quickRow(page, 'The sandbox works').waitFor();
		await quickRow(page, 'Errand').first().waitFor();
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
		await chooseInMenu(page, new RegExp(`^${TEN}`), 'Open Task Log as Document', () => lines.isVisible(), 'Log');
		await lines.getByText('Tests passed').first().waitFor();
		await runCommand(page, 'View: Hide Panel');
		await screenshotInThemes(page, 'own-agent-log');
		assert.match(await hoverOver(TEN), /tests passed/);
		await screenshot(page, 'own-agent-tooltip');
		await page.mouse.move(800, 500);
	});

	describe('and what its tasks and the chat have cost, which', () => {
		before(async () => {
			await runCommand(page, 'View: Close All Editors');
		});

		const endOf = (prompt: string) =>
			until('the task has ended', async () => /git pushed|task ended/.test(logText(server, prompt)), 120_000);
		const list = () => page.locator('.quick-input-widget:visible .quick-input-list');
		const showCosts = async () => {
			await runCommand(page, 'Errand: Show Costs');
			await list().getByText('Acme', { exact: true }).waitFor();
		};

		it('are in the log of a task, with the provider that served it and how much of the limit is used', async () => {
			await startTask(page, PRICED);
			await endOf(PRICED);
			const text = logText(server, PRICED);
			assert.match(text, /The models have cost US\$ 0\.0090:/);
			assert.match(text, /coder by workshop: 2 calls, 2000 tokens in, 200 out, US\$ 0\.0090\./);
			assert.match(text, /1 % of the limit of US\$ 1 \(errand\.tasks\.maxCost\) is used\./);
		});

		it('stand in its row and its tooltip, which has six lines', async () => {
			await taskShows(page, PRICED, '$0.009');
			await screenshotInThemes(page, 'costs-tooltip', async () => void (await hoverOver(PRICED)));
			const text = await hoverOver(PRICED);
			assert.match(text, /errand · coder by workshop · Ran in a sandbox/);
			assert.match(text, /2,000 tokens in, 200 out, \$0\.009, 1 % of the limit of \$1\.00/);
			assert.equal(text.split(/\n+/).filter(line => line.trim() !== '').length, 6, text);
		});

		it('are exported as JSON with models, providers, branch and base', async () => {
			const file = path.join(server.folder, 'task.json');
			const input = page.locator('.quick-input-widget:visible .quick-input-box input');
			const asks = () => quickRow(page, 'Task, as JSON').first().isVisible();
			await chooseInMenu(page, new RegExp(`^${PRICED}`), 'Export Task or Log…', asks, 'Log');
			await pickItem(page, 'Task, as JSON');
			await until('the dialog has its name', async () =>
				/write-down-what-a-widget-is\.json$/.test(await input.inputValue()),
			);
			await answerInput(page, file);
			const read = () => JSON.parse(readFileSync(file, 'utf8'));
			await until('the file is there', async () => {
				try {
					return read().format === 'errand-task';
				} catch {
					return false;
				}
			});
			const { connection, task, agents } = read();
			assert.equal(connection.name, 'local');
			assert.equal(task.prompt, PRICED);
			const [agent] = agents;
			assert.match(agent.base, /^[\da-f]{40}$/);
			assert.match(agent.branch, /^errand\//);
			assert.deepEqual(agent.cost, { usd: 0.009, known: 'whole', estimated: false });
			assert.equal(agent.budget.limitUsd, 1);
			assert.deepEqual(
				agent.models.map(({ model, provider, requests }: Record<string, unknown>) => [model, provider, requests]),
				[['coder', 'workshop', 2]],
			);
			await runCommand(page, 'Notifications: Clear All Notifications');
		});

		it('are not known for a model without a price, which is said in words and is never zero', async () => {
			await changeSettings(page, server, { 'errand.chat.routing': { only: ['cellar'] } });
			await startTask(page, UNPRICED);
			await endOf(UNPRICED);
			assert.match(logText(server, UNPRICED), /The models have cost what is not known, as they have no price here:/);
			assert.match(logText(server, UNPRICED), /coder by cellar: 2 calls, 2000 tokens in, 200 out, cost not known\./);
			await taskShows(page, UNPRICED, 'in 1 file');
			assert.doesNotMatch(await taskRow(page, UNPRICED).innerText(), /\$/);
			const text = await hoverOver(UNPRICED);
			assert.match(text, /coder by cellar/);
			assert.match(text, /cost not known/);
			assert.doesNotMatch(text, /\$0\.00\b(?! of)/);
			await screenshot(page, 'costs-tooltip-unpriced');
		});

		it('are added up for the month and each connection, tasks and chat together', async () => {
			const chat = await openChat(page);
			await ask(chat, 'What is a widget?');
			await replyEnds(chat);
			await showCosts();
			await screenshotInThemes(page, 'costs-list', async () => {
				await dismissInput(page);
				await showCosts();
			});
			const row = (text: string) => list().locator('.monaco-list-row').filter({ hasText: text });
			const month = new Date().toLocaleDateString('en', { month: 'long', year: 'numeric' });
			const local = (await row('tasks:').filter({ hasText: 'chat:' }).first().innerText()).replaceAll('\u00a0', ' ');
			assert.match(local, /^Local\s*at least \$0\.045\b/);
			assert.match(local, /tasks: at least \$0\.045 · chat: cost not known/);
			assert.match(await row('Acme').innerText(), /nothing counted/);
			assert.match(await row('Acme').innerText(), /tasks: cost not known, as the service does not say it/);
			// This one has no service for tasks.
			assert.doesNotMatch(await row('Plain').innerText(), /tasks/);
			assert.ok((await list().innerText()).includes(month));
		});

		it('are shown by model and provider, by keyboard alone, and Escape goes back', async () => {
			await page.keyboard.press('Enter');
			await list().getByText('coder by workshop').first().waitFor();
			await list().getByText('coder by cellar').first().waitFor();
			const text = (await list().innerText()).replaceAll('\u00a0', ' ');
			assert.match(text, /Tasks · 10 requests · 10,000 tokens in, 1,000 out/);
			assert.match(text, /Tasks · 2 requests · 2,000 tokens in, 200 out/);
			assert.match(text, /Chat · 1 reply/);
			await screenshotInThemes(page, 'costs-models', async () => {
				await dismissInput(page);
				await dismissInput(page);
				await showCosts();
				await page.keyboard.press('Enter');
				await list().getByText('coder by cellar').first().waitFor();
			});
			await page.keyboard.press('Escape');
			await list().getByText('Acme', { exact: true }).waitFor();
			await page.keyboard.press('Escape');
			await until('the list is closed', async () => !(await list().isVisible()));
		});

		it('are shown also after the local service was stopped, and in a narrow window', async () => {
			await runAndConfirm('Errand: Stop Local Service');
			await resizeSideBar(page, 200);
			await showCosts();
			// The user's own command starts the service again.
			await list().getByText('tasks: at least').waitFor();
			await screenshot(page, 'costs-narrow');
			await dismissInput(page);
		});

		/** Runs a command that may ask before it stops something. */
		async function runAndConfirm(title: string): Promise<void> {
			await runCommand(page, title);
			const stop = page.locator('.monaco-dialog-box').getByRole('button', { name: /Stop/ });
			if (await appears(stop, 5_000)) {
				await stop.click();
			}
		}
	});
});
