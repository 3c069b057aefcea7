import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { agentQuestion, answerQuestion } from '../support/chatAgentWindow.ts';
import { changeSettings, toast, until } from '../support/editorWindow.ts';
import { openChat, replyEnds, sendMessage } from '../support/errandWindow.ts';
import { RemoteMcpServer } from '../support/remoteMcpServer.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { SAMPLE_NAME, useWindow } from '../support/useWindow.ts';

const ADD = 'Add two and three with the server';
const ACCOUNT = 'Add eight and nine with the server that wants an account';
const PLANNING = 'Plan how ten widgets become cheaper';
const PLAN = '1. Change src/discount.js.\n2. Run the tests.';
const SERVER = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

const use = (a: number, b: number, server: string): Step => ({
	do: 'call',
	tool: 'mcp',
	input: { tool: `${server}/add`, arguments: { a, b } },
});

const SCRIPTS: Record<string, Step[]> = {
	[ADD]: [use(2, 3, 'sums'), { do: 'say', text: 'It is five.' }],
	[ACCOUNT]: [use(8, 9, 'account'), { do: 'say', text: 'That was it.' }],
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
	let remote: RemoteMcpServer;
	let page: Page;
	let sample: SampleFolder;
	let chat: Frame;

	const window = useWindow(async hook => {
		await skipWithoutSandbox(hook);
		remote = await RemoteMcpServer.start('::1');
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
		remote?.stop();
	});

	it('uses an MCP server of the folder after a yes to exactly what it is, asks about each call, and says which cannot be used', async () => {
		await sendMessage(chat, `/agent ${ADD}`);
		await dialog().waitFor();
		const words = await dialog().innerText();
		assert.match(words, /May agents use the MCP server “sums”\?[\s\S]*\.vscode\/mcp\.json declares “sums”/);
		assert.match(words, /sandbox of its own\. It can read[\s\S]*It reaches no network[\s\S]*mcpServer\.mjs honest/);
		await dialog().getByRole('button', { name: 'Use This Server' }).click();
		const further = dialog().filter({ hasText: 'the MCP server “far”' });
		await further.waitFor();
		assert.match(
			await further.innerText(),
			/Address: https:\/\/mcp\.example\/mcp\s+It runs elsewhere[\s\S]*Header that it gets: X-Team: docs/,
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

	it('signs in at a server in the browser, and takes no answer that this window has not asked for', async () => {
		remote.tokens = new Map();
		await changeSettings(page, window().server, { 'errand.agents.mcpServers': { account: { url: remote.url } } });
		/** Sends a message, and opens the page of the sign-in that the server wants. */
		const openSignIn = async (): Promise<Page> => {
			await sendMessage(chat, `/agent ${ACCOUNT}`);
			const opened = page.context().waitForEvent('page');
			const question = dialog().filter({ hasText: 'The MCP server “account” wants you to sign in.' });
			await question.getByRole('button', { name: 'Open Page' }).click();
			return opened;
		};
		const allow = async () => {
			const opened = await openSignIn();
			await opened.getByRole('button', { name: 'Allow' }).click();
			await opened.waitForURL(/\/callback\?/);
			await opened.close();
		};
		const isOver = toast(page, 'This sign-in was not begun in this window, or it is over.');
		remote.answerFields = { state: 'another' };
		await allow();
		await isOver.hover();
		await isOver.getByRole('button', { name: /^Clear Notification/ }).click();
		await toast(page, 'Waiting for the sign-in at').getByRole('button', { name: 'Cancel' }).click();
		const failure = 'the sign-in was not finished. You are asked again at its next use.';
		await chat.getByText(`The MCP server “account” has failed: ${failure}`).last().waitFor();
		await replyEnds(chat);
		assert.equal(remote.paths.includes('POST /token'), false);

		remote.answerFields = {};
		await allow();
		await answerQuestion(chat, 'Allow account/add Here');
		assert.match(await replyEnds(chat), /That was it\./);
		assert.deepEqual(model.results.slice(-1), ['17']);
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
