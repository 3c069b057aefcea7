import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { agentQuestion, answerQuestion } from '../support/chatAgentWindow.ts';
import { changeSettings, until } from '../support/editorWindow.ts';
import { openChat, replyEnds, sendMessage } from '../support/errandWindow.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { SAMPLE_NAME, useWindow } from '../support/useWindow.ts';

const ADD = 'Add two and three with the server';
const PLANNING = 'Plan how ten widgets become cheaper';
const PLAN = '1. Change src/discount.js.\n2. Run the tests.';
const SERVER = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

const use: Step = { do: 'call', tool: 'mcp', input: { tool: 'sums/add', arguments: { a: 2, b: 3 } } };

const SCRIPTS: Record<string, Step[]> = {
	[ADD]: [use, { do: 'say', text: 'It is five.' }],
	[PLANNING]: [
		{ do: 'write', path: 'written.txt', content: 'x' },
		{ do: 'run', command: 'touch made.txt; ls' },
		{ do: 'say', text: PLAN },
	],
};

const declare = (args: readonly string[]) =>
	JSON.stringify({
		servers: {
			sums: { command: process.execPath, args },
			far: { type: 'http', url: 'https://mcp.example/mcp', headers: { 'X-Team': 'docs' } },
			near: { type: 'http', url: 'http://127.0.0.1:1/mcp' },
		},
	});

describe('an agent in the chat', () => {
	let model: ScriptedModel;
	let page: Page;
	let sample: SampleFolder;
	let chat: Frame;

	const window = useWindow(async hook => {
		await skipWithoutSandbox(hook);
		model = await ScriptedModel.start({ scripts: SCRIPTS, tree: insidePlaces(SAMPLE_NAME).tree, model: 'coder' });
		return {
			files: { '.vscode/mcp.json': `// Servers\n${declare([SERVER, 'honest'])}` },
			settings: {
				'errand.local.upstreams': { workshop: { url: model.url } },
				'errand.chat.model': 'coder',
				'errand.agents.mcpServers': { dead: { url: 'http://127.0.0.1:1/mcp' } },
			},
		};
	});
	const dialog = () => page.locator('.monaco-dialog-box');

	before(async () => {
		({ page, sample } = window());
		chat = await openChat(page);
	});

	after(async () => {
		await model?.stop();
	});

	it('uses an MCP server of the folder after a yes to exactly what it is, asks about each call, and says which cannot be used', async () => {
		await sendMessage(chat, `/agent ${ADD}`);
		await dialog().waitFor();
		const words = await dialog().innerText();
		assert.match(words, /May agents use the MCP server “sums”\?[\s\S]*\.vscode\/mcp\.json declares it/);
		assert.match(words, /mcpServer\.mjs honest[\s\S]*sandbox of its own\. It can read[\s\S]*It reaches no network/);
		await dialog().getByRole('button', { name: 'Use This Server' }).click();
		const further = dialog().filter({ hasText: 'the MCP server “far”' });
		await further.waitFor();
		assert.match(
			await further.innerText(),
			/Address: https:\/\/mcp\.example\/mcp\s+Header that it gets: X-Team: docs\s+It runs elsewhere/,
		);
		await further.getByRole('button', { name: 'Never in This Folder' }).click();
		await agentQuestion(chat).waitFor();
		assert.match(
			await answerQuestion(chat, 'Allow sums/add Here'),
			/Call this tool\?[\s\S]*MCP tool sums\/add[\s\S]*a: 2\nb: 3[\s\S]*sandbox of its own/,
		);
		assert.match(await replyEnds(chat), /It is five\./);
		assert.deepEqual(model.results.slice(-1), ['5']);
		await chat.getByText('The MCP server “near” is not used').waitFor();
		await chat.getByText('The MCP server “dead” has failed: 127.0.0.1:1 cannot be reached').waitFor();
	});

	it('that only plans writes nothing, also by a command, and its plan is started from the composer', async () => {
		await changeSettings(page, window().server, { 'errand.agents.approvals': 'plan' });
		await sendMessage(chat, `/agent ${PLANNING}`);
		await chat.getByRole('listitem').filter({ hasText: 'Change src/discount.js' }).waitFor();
		await replyEnds(chat);
		const [written, made] = model.results.slice(-2);
		assert.match(written ?? '', /not allowed/);
		assert.match(made ?? '', /Read-only file system/);
		assert.ok(!['written.txt', 'made.txt'].some(name => existsSync(sample.file(name))));
		await chat.getByRole('button', { name: 'Edit and Start Plan' }).click();
		const composer = chat.locator('chat-composer textarea');
		await until('the plan is in the composer', async () => (await composer.inputValue()).includes(PLAN));
		await until('it has the focus', () => composer.evaluate(field => field.matches(':focus')));
		await chat.getByRole('button', { name: 'Asks before everything' }).waitFor();
	});
});
