import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { type AgentWindow, openAgentWindow } from '../support/agentWindow.ts';
import type { EditorServer } from '../support/editor.ts';
import {
	answerInput,
	appears,
	changeSettings,
	dismissInput,
	runCommand,
	screenshot,
	type Theme,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInMenu,
	logText,
	narrowSideBar,
	openChat,
	replyEnds,
	startTask,
	taskRow,
	taskShows,
} from '../support/errandWindow.ts';
import type { Step } from '../support/scriptedModel.ts';

const PRICED = 'Write down what a widget is';
const UNPRICED = 'Write down what a gadget is';
const scriptOf = (file: string): Step[] => [
	{ do: 'write', path: file, content: 'A thing.\n' },
	{ do: 'say', text: `Wrote ${file}.` },
];
const SCRIPTS: Record<string, Step[]> = { [PRICED]: scriptOf('widget.md'), [UNPRICED]: scriptOf('gadget.md') };

describe('what tasks and chat have cost', function () {
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
				'errand.tasks.model': 'coder',
				'errand.tasks.maxCost': 1,
				'errand.chat.model': 'coder',
				'errand.chat.routing': { only: ['workshop'] },
				'errand.tasks.refreshInterval': 5,
			}),
		});
		({ server, page } = window);
	});

	after(() => window?.stop());

	const inEachTheme = async (name: string, prepare = async () => {}) => {
		for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
			await useTheme(page, theme);
			await prepare();
			await screenshot(page, `${name}-${theme}`);
		}
	};
	const endOf = (prompt: string) =>
		until('the task has ended', async () => /git pushed|task ended/.test(logText(server, prompt)), 120_000);
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
	const list = () => page.locator('.quick-input-widget:visible .quick-input-list');
	const showCosts = async () => {
		await runCommand(page, 'Errand: Show Costs');
		await list().getByText('Acme', { exact: true }).waitFor({ timeout: 60_000 });
	};

	it('stand in the log of a task, with who served it and how much of the limit is used', async () => {
		await startTask(page, PRICED);
		await endOf(PRICED);
		const text = logText(server, PRICED);
		assert.match(text, /The models have cost US\$ 0\.0090:/);
		assert.match(text, /coder by workshop: 2 calls, 2000 tokens in, 200 out, US\$ 0\.0090\./);
		assert.match(text, /1 % of the limit of US\$ 1 \(errand\.tasks\.maxCost\) is used\./);
	});

	it('stand in its row and its tooltip, which has six lines', async () => {
		await taskShows(page, PRICED, '$0.009');
		await inEachTheme('costs-tooltip', async () => void (await hoverOver(PRICED)));
		const text = await hoverOver(PRICED);
		assert.match(text, /errand · coder by workshop · Ran in a sandbox/);
		assert.match(text, /2,000 tokens in, 200 out, \$0\.009, 1 % of the limit of \$1\.00/);
		assert.equal(text.split(/\n+/).filter(line => line.trim() !== '').length, 6, text);
	});

	it('are exported as JSON with models, providers, branch and base', async () => {
		const file = path.join(server.folder, 'task.json');
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await chooseInMenu(page, new RegExp(`^${PRICED}`), 'Export Task as JSON…', () => input.isVisible());
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
		await inEachTheme('costs-list', async () => {
			await dismissInput(page);
			await showCosts();
		});
		const row = (text: string) => list().locator('.monaco-list-row').filter({ hasText: text });
		const month = new Date().toLocaleDateString('en', { month: 'long', year: 'numeric' });
		const local = (await row('tasks:').filter({ hasText: 'chat:' }).first().innerText()).replaceAll('\u00a0', ' ');
		assert.match(local, /^Local\s*at least \$0\.009\b/);
		assert.match(local, /tasks: at least \$0\.009 · chat: cost not known/);
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
		assert.match(text, /Tasks · 2 requests · 2,000 tokens in, 200 out/);
		assert.match(text, /Chat · 1 reply/);
		await inEachTheme('costs-models', async () => {
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
		await narrowSideBar(page, 200);
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
