import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PIPE_VARIABLES } from '../../src/contract/pipeVariables.ts';
import {
	answerInput,
	appears,
	changeSettings,
	dialog,
	dismissInput,
	pickItem,
	pickThrough,
	quickRow,
	runCommand,
	toast,
	until,
} from '../support/editorWindow.ts';
import { openChat, taskShows } from '../support/errandWindow.ts';
import { McpClient } from '../support/mcpClient.ts';
import { type ProbeOrder, probeOf } from '../support/probeExtension.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { useWindow } from '../support/useWindow.ts';
import { waitFor } from '../support/waitFor.ts';

const KEY = 'sk-0123456789abcdefWXYZ';

describe('what Errand offers to others, in the window', () => {
	/** A service that wants a key. */
	let service: UpstreamServer;
	let page: Page;
	let sample: SampleFolder;

	const window = useWindow(async () => {
		service = await UpstreamServer.start({ pieces: ['Blue', ' sky'] });
		return {
			settings: {
				'errand.local.upstreams': { ollama: false },
				'errand.connections': {
					acme: { label: 'Acme', apiUrl: service.origin, service: 'acme', models: [{ id: 'large' }] },
				},
			},
		};
	});

	before(async () => {
		({ page, sample } = window());
		await openChat(page);
	});

	after(() => service?.stop());

	const tell = (order: ProbeOrder) => (probeOf(page) ?? assert.fail('the window has no probe')).tell(order);

	describe('to other agents, as an MCP server that the editor starts,', () => {
		let agent: McpClient;

		before(async () => {
			await runCommand(page, 'MCP: List Servers');
			await pickThrough(page, 'Errand', 'Start Server');
			await pickItem(page, 'Start Server');
			const { program, environment } = await waitFor('the editor to start the server', startedServer);
			// The editor’s own client has no account here that would let it call a tool; this one speaks to the same window.
			agent = await McpClient.start({ program, environment });
		});
		after(() => agent?.stop());

		/** Finds the process that this editor has started, with what it was given to reach the window. */
		function startedServer(): { program: string; environment: Record<string, string> } | undefined {
			for (const folder of globSync('/proc/[0-9]*')) {
				try {
					const [, program = ''] = readFileSync(`${folder}/cmdline`, 'utf8').split('\0');
					if (program.startsWith(window().server.dataFolder) && program.endsWith('mcp.js')) {
						const entries = readFileSync(`${folder}/environ`, 'utf8').split('\0');
						const names = Object.values(PIPE_VARIABLES).map(name => `${name}=`);
						const own = entries.filter(entry => names.some(name => entry.startsWith(name)));
						return { program, environment: Object.fromEntries(own.map(entry => entry.split(/=(.*)/s, 2))) };
					}
				} catch {
					// The process has ended meanwhile.
				}
			}
			return undefined;
		}

		const taskCount = async () => (await agent.call('list_tasks', { limit: 50 })).json.tasks.length;

		it('is a task that starts only after a yes to all that would be sent, and leaves no trace after a no', async () => {
			sample.write({ 'notes.txt': 'not committed\n' });
			sample.git('commit', '--quiet', '--allow-empty', '--message', 'Not pushed yet');
			const pushed = sample.origin('for-each-ref');
			const refused = agent.call('start_task', { prompt: 'Say what is here\nand push nothing\u200b' });
			const asked = dialog(page, 'Another agent wants to start this task:');
			await asked.waitFor();
			const shown = await asked.innerText();
			for (const part of [
				'Connection: Local',
				`Repository: ${sample.originFolder}`,
				'Branch: main',
				'Agent: ',
				'1 uncommitted file',
				'They’re not part of the task.',
				'1 commit isn’t on origin yet',
				'Will be pushed to origin before the task starts.',
				'Say what is here',
				'and push nothing⟨U+200B⟩',
			]) {
				assert.ok(shown.includes(part), `“${part}” in ${shown}`);
			}
			await asked.getByRole('button', { name: 'Cancel' }).click();
			const { isError, texts } = await refused;
			assert.equal(isError, true);
			assert.match(texts[0] ?? '', /The user didn’t allow it, so nothing was sent/);
			assert.equal(await taskCount(), 0);
			assert.equal(sample.origin('for-each-ref'), pushed, 'nothing was pushed');

			const prompt = 'Say what is in this repository';
			const starting = agent.call('start_task', { prompt, repository: 'widgets', branch: 'main' });
			await dialog(page, prompt).getByRole('button', { name: 'Start Task' }).click();
			const { json: started } = await starting;
			await taskShows(page, prompt, 'in 1 file');
			assert.equal(
				sample.origin('rev-parse', 'main'),
				sample.git('rev-parse', 'main'),
				'what the dialog said was pushed',
			);
			assert.equal(sample.git('status', '--porcelain').trim(), '?? notes.txt', 'the user’s files are as they were');
			const { json: changes } = await agent.call('task_changes', { task_id: started.task_id });
			const [{ files }] = changes.results;
			const { json: diff } = await agent.call('task_changes', { task_id: started.task_id, path: files[0].path });
			assert.match(diff.diff, /^diff --git/);

			const continuing = agent.call('continue_task', { task_id: started.task_id, prompt: '/demo slow' });
			await dialog(page, 'Another agent wants to continue this task:')
				.getByRole('button', { name: 'Continue Task' })
				.click();
			assert.equal((await continuing).json?.task_id, started.task_id);
			const stopping = agent.call('stop_task', { task_id: started.task_id });
			await dialog(page, 'Another agent wants to stop this task').getByRole('button', { name: 'Stop Task' }).click();
			assert.equal((await stopping).isError, false);
		});
	});

	describe('to other extensions, as models of the editor,', () => {
		const question = 'Let the editor’s chat and other extensions use the models of Acme?';
		const listed = async () => ((await tell({ do: 'list' })).value as { id: string }[]).map(({ id }) => id);
		const lastRequest = () => service.chats.at(-1)?.body ?? assert.fail('nothing was asked');

		it('is nothing without a key, which is asked for only when the user adds the models', async () => {
			// Git of the editor asks about fetching after the first push.
			await runCommand(page, 'Notifications: Clear All Notifications');
			await changeSettings(page, window().server, { 'errand.connection': 'acme' });
			await until('no model is listed', async () => (await listed()).length === 0);
			const open = page.locator('.monaco-dialog-box, .quick-input-widget:visible, .notification-toast');
			assert.equal(await open.count(), 0);
			await tell({ do: 'command', command: 'workbench.action.chat.manage', arguments: [] });
			const errand = page.getByRole('menuitem', { name: 'Errand' });
			const asked = page.locator('.quick-input-widget:visible').getByText('Inference key of Acme');
			// A menu takes no click in its first tenth of a second, so that the click that opened it chooses nothing.
			await until('the editor offers to add models of Errand', async () => {
				if (!(await errand.first().isVisible())) {
					await page.getByRole('button', { name: 'Add Models' }).first().click({ timeout: 5_000 });
				}
				if (await appears(errand.first(), 3_000)) {
					await errand.first().click({ timeout: 5_000 });
				}
				return appears(asked, 3_000);
			});
			await answerInput(page, KEY);
			await until('the model is listed', async () => (await listed()).join() === 'acme/large');
			assert.equal(service.chats.length, 0);
			const manager = page.locator('.monaco-modal-editor-block');
			await until('the editor’s list of models is closed', async () => {
				if ((await manager.count()) > 0) {
					await page.keyboard.press('Escape');
				}
				return (await manager.count()) === 0;
			});
		});

		it('is an answer after a yes alone, and leads to the keys where the key is refused', async () => {
			const asking = tell({ do: 'ask', text: 'Why?' });
			const box = dialog(page, question);
			await box.waitFor();
			assert.match(await box.innerText(), /One of them sent a request to large \(Acme/);
			assert.equal(service.chats.length, 0);
			await box.getByRole('button', { name: 'Allow in This Window' }).click();
			assert.deepEqual(await asking, { value: [{ text: 'Blue' }, { text: ' sky' }] });
			assert.deepEqual(lastRequest()['messages'], [{ role: 'user', content: 'Why?' }]);
			assert.equal(service.chats.at(-1)?.headers.authorization, `Bearer ${KEY}`);

			const { behaviour } = service;
			service.behaviour = { status: 401, body: { error: { message: 'no such key' } } };
			const { error } = await tell({ do: 'ask', text: 'Why?' });
			assert.deepEqual([error?.code, error?.message], ['NoPermissions', 'Acme rejected the key: no such key.']);
			await toast(page, 'Acme rejected the key').getByRole('button', { name: 'Change Key…' }).click();
			await quickRow(page, 'Inference key').first().waitFor();
			await dismissInput(page);
			service.behaviour = behaviour;
		});

		it('is in the model picker of the editor’s own chat, answers a participant there, and is counted by Show Costs', async () => {
			const open = { query: '@probe Why is it blue?', modelSelector: { vendor: 'errand' } };
			await tell({ do: 'command', command: 'workbench.action.chat.open', arguments: [open] });
			const chat = page.locator('.interactive-session');
			await chat.locator('.interactive-response').getByText('Blue sky').waitFor();
			const messages = lastRequest()['messages'] as { content: string }[];
			assert.equal(messages.at(-1)?.content, 'From the participant: Why is it blue?');
			const button = chat.locator('.interactive-input-part').getByText('large', { exact: true });
			const row = page.locator('.action-widget .monaco-list-row').filter({ hasText: 'large' });
			await until('the list of models is open', async () => {
				await button.first().click({ timeout: 5_000 });
				return appears(row.first(), 3_000);
			});
			assert.match(await row.first().innerText(), /large\s+Acme · Balanced/);
			await until('the list of models is closed', async () => {
				if ((await row.count()) > 0) {
					await page.keyboard.press('Escape');
				}
				return (await row.count()) === 0;
			});
			await runCommand(page, 'Errand: Show Costs');
			await quickRow(page, /Acme.*other extensions/)
				.first()
				.waitFor();
			await dismissInput(page);
		});
	});
});
