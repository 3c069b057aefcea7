import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository, type SampleRepository } from '../../scripts/sampleRepository.ts';
import { PIPE_VARIABLES } from '../../src/contract/pipeVariables.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { dialog, pickItem, pickThrough, quickRow, runCommand, screenshot } from '../support/editorWindow.ts';
import { openChat, taskShows } from '../support/errandWindow.ts';
import { McpClient } from '../support/mcpClient.ts';
import { waitFor } from '../support/waitFor.ts';

describe('what another agent wants, in the window that its server was started by', () => {
	let scratch: string;
	let sample: SampleRepository;
	let server: EditorServer;
	let page: Page;
	let agent: McpClient;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-mcp-'));
		sample = makeSampleRepository(path.join(scratch, 'widgets'));
		server = await startEditor({ folder: sample.folder });
		({ page } = await openWindow(server));
		await openChat(page);
		await runCommand(page, 'MCP: List Servers');
		await pickThrough(page, 'Errand', 'Start Server');
		await pickItem(page, 'Start Server');
		const { program, environment } = await waitFor('the editor to start the server', startedServer);
		// The editor’s own client has no account here that would let it call a tool; this one speaks to the same window.
		agent = await McpClient.start({ program, environment });
	});

	after(async () => {
		await agent?.stop();
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	/** Finds the process that this editor has started, with what it was given to reach the window. */
	function startedServer(): { program: string; environment: Record<string, string> } | undefined {
		for (const folder of globSync('/proc/[0-9]*')) {
			try {
				const [, program = ''] = readFileSync(`${folder}/cmdline`, 'utf8').split('\0');
				if (program.startsWith(server.dataFolder) && program.endsWith('mcp.js')) {
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

	const git = (...args: string[]) => execFileSync('git', ['-C', sample.folder, ...args], { encoding: 'utf8' });
	const origin = (...args: string[]) => execFileSync('git', ['-C', sample.origin, ...args], { encoding: 'utf8' });
	const taskCount = async () => (await agent.call('list_tasks', { limit: 50 })).json.tasks.length;

	it('is asked about with all that would be sent, and refused without a trace', async () => {
		writeFileSync(path.join(sample.folder, 'notes.txt'), 'not committed\n');
		git('commit', '--quiet', '--allow-empty', '--message', 'Not pushed yet');
		const pushed = origin('for-each-ref');
		const before = await taskCount();
		const prompt = 'Say what is here\nand push nothing\u200b';
		const answering = agent.call('start_task', { prompt });
		const asked = dialog(page, 'Another agent wants to start this task:');
		await asked.waitFor();
		const shown = await asked.innerText();
		for (const part of [
			'Connection: Local',
			`Repository: ${sample.origin}`,
			'Branch: main',
			'Agent: ',
			'1 file is not committed',
			'They stay out of the task.',
			'1 commit is not on origin yet',
			'Will be pushed to origin before the task starts.',
			'Say what is here',
			'and push nothing⟨U+200B⟩',
		]) {
			assert.ok(shown.includes(part), `“${part}” in ${shown}`);
		}
		await screenshot(page, 'mcp-start');
		await asked.getByRole('button', { name: 'Cancel' }).click();
		const { isError, texts } = await answering;
		assert.equal(isError, true);
		assert.match(texts[0] ?? '', /The user did not allow it, so nothing was sent/);
		assert.match(texts[1] ?? '', /text from outside/);
		assert.match(texts[2] ?? '', /1 file is not committed: notes\.txt/);
		assert.equal(await taskCount(), before);
		assert.equal(origin('for-each-ref'), pushed, 'nothing was pushed');
	});

	it('is done after a yes, and shown as any other task', async () => {
		const prompt = 'Say what is in this repository';
		const answering = agent.call('start_task', { prompt, repository: 'widgets', branch: 'main' });
		await dialog(page, prompt).getByRole('button', { name: 'Start Task' }).click();
		const { json: started, texts } = await answering;
		assert.match(JSON.stringify(started?.findings), /1 file is not committed/, texts.join());
		await taskShows(page, prompt, 'in 1 file');
		assert.equal(origin('rev-parse', 'main'), git('rev-parse', 'main'), 'what the dialog said was pushed');
		assert.equal(git('status', '--porcelain').trim(), '?? notes.txt', 'the user’s files are as they were');

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

	it('cannot be agreed to before a long prompt was shown in full', async () => {
		const before = await taskCount();
		const hidden = `${' '.repeat(400)}this stands far to the right`;
		const prompt = `A line.${hidden}\n${'A line of a long prompt.\n'.repeat(200)}`;
		const answering = agent.call('start_task', { prompt });
		const asked = dialog(page, 'There is more than fits here.');
		await asked.waitFor();
		assert.ok((await asked.innerText()).includes(`Prompt (${prompt.length} characters):`));
		assert.equal(await asked.getByRole('button', { name: 'Start Task' }).count(), 0);
		await asked.getByRole('button', { name: 'Show Everything' }).click();
		await quickRow(page, 'Start Task').waitFor();
		const second = await agent.call('search_web', { query: 'meanwhile' });
		assert.match(second.texts[0] ?? '', /Another question waits for the user’s answer/);
		const editor = page.locator('.monaco-editor[data-uri^="errand-asked:"]');
		await editor.waitFor();
		await screenshot(page, 'mcp-everything');
		const lines = await editor.locator('.view-line').allInnerTexts();
		const far = lines.find(line => line.includes('far\u00a0to\u00a0the\u00a0right'));
		assert.ok(far !== undefined && far.length < 110, `what stands far to the right is brought into sight: ${lines}`);
		await pickItem(page, 'Refuse');
		assert.match((await answering).texts[0] ?? '', /did not allow it/);
		assert.equal(await taskCount(), before);
	});

	it('is searched, and decided, with the window’s connection after a yes', async () => {
		const searching = agent.call('search_web', { query: 'What is new?' });
		await dialog(page, 'Another agent wants to search the web:').getByRole('button', { name: 'Search' }).click();
		const found = await searching;
		assert.ok(found.json?.sources.length > 0, found.texts.join());
		const criteria = { true: 'they are', false: 'they are not' };
		const deciding = agent.call('decide', {
			state: { tests: 'green' },
			questions: { ready: { type: 'noul', instructions: 'Are the tests green?', criteria } },
		});
		const asked = dialog(page, 'Another agent wants to ask a model for a decision:');
		await asked.waitFor();
		assert.match(await asked.innerText(), /"tests": "green"/);
		await asked.getByRole('button', { name: 'Ask', exact: true }).click();
		const decided = await deciding;
		assert.equal(typeof decided.json?.answers.ready.noul, 'number', decided.texts.join());
	});

	it('is asked about no more, once the user does not want that', async () => {
		const answering = agent.call('search_web', { query: 'What is new?' });
		const asked = dialog(page, 'Another agent wants to search the web:');
		await asked.waitFor();
		assert.ok((await asked.innerText()).includes('Query: What is new?'));
		await asked.getByRole('button', { name: 'Refuse, and Ask No More' }).click();
		assert.match((await answering).texts[0] ?? '', /did not allow it/);
		const again = await agent.call('search_web', { query: 'What is new?' });
		assert.match(again.texts[0] ?? '', /does not want to be asked by agents any more in this window/);
		assert.equal((await agent.call('list_tasks')).isError, false);
	});
});
