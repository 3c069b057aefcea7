import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentQuestion, answerQuestion, useChatAgentWindow } from '../support/chatAgentWindow.ts';
import { screenshot, screenshotInThemes, until } from '../support/editorWindow.ts';
import { replyEnds, sendMessage } from '../support/errandWindow.ts';
import type { Step } from '../support/scriptedModel.ts';

const ADD = 'Add two and three with the server';
const AGAIN = 'Add four and five with the server';
const SERVER = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

const use = (a: number, b: number): Step => ({
	do: 'call',
	tool: 'mcp',
	input: { tool: 'sums.add', arguments: { a, b } },
});

const declare = (args: readonly string[]) =>
	JSON.stringify({ servers: { sums: { command: process.execPath, args }, far: { url: 'https://mcp.example' } } });

describe('an MCP server that a folder declares, for an agent in the chat', () => {
	const window = useChatAgentWindow({
		scripts: {
			[ADD]: [use(2, 3), { do: 'say', text: 'It is five.' }],
			[AGAIN]: [use(4, 5), { do: 'say', text: 'It is nine.' }],
		},
		files: { '.vscode/mcp.json': `// Servers\n${declare([SERVER, 'honest'])}` },
	});
	const dialog = () => window().page.locator('.monaco-dialog-box');

	it('is used after a yes to exactly what it is, and each call is asked about', async () => {
		const { page, chat, model } = window();
		await sendMessage(chat, `/agent ${ADD}`);
		await dialog().waitFor();
		const words = await dialog().innerText();
		assert.match(words, /May agents use the MCP server “sums”\?[\s\S]*\.vscode\/mcp\.json declares it/);
		assert.match(words, /mcpServer\.mjs honest[\s\S]*sandbox of its own\. It can read[\s\S]*It reaches no network/);
		await screenshot(page, 'mcp-server-question');
		await dialog().getByRole('button', { name: 'Use This Server' }).click();
		await agentQuestion(chat).waitFor();
		await screenshotInThemes(page, 'mcp-tool-question');
		assert.match(
			await answerQuestion(chat, 'Allow sums.add Here'),
			/Call this tool\?[\s\S]*MCP tool sums\.add[\s\S]*a: 2\nb: 3[\s\S]*sandbox of its own/,
		);
		assert.match(await replyEnds(chat), /It is five\./);
		assert.deepEqual(model.results.slice(-1), ['5']);
		await chat.getByText('The MCP server “far” is not used').waitFor();
		await screenshotInThemes(page, 'mcp-tool-done');
	});

	it('is not asked about again, nor is a tool that was allowed for the conversation', async () => {
		await sendMessage(window().chat, `/agent ${AGAIN}`);
		await until('the server has answered', async () => window().model.results.at(-1) === '9');
		assert.match(await replyEnds(window().chat), /It is nine\./);
	});

	it('is asked about anew once it is declared in another way, and is not used after a no', async () => {
		const { chat, model } = window();
		writeFileSync(window().file('.vscode/mcp.json'), declare([SERVER, 'honest', '/etc/hostname']));
		await sendMessage(chat, `/agent ${AGAIN}`);
		await dialog().waitFor();
		assert.match(await dialog().innerText(), /is declared in another way now/);
		await dialog().getByRole('button', { name: 'Never in This Folder' }).click();
		await until('the agent has no such tool', async () => /There is no tool "mcp"/.test(model.results.at(-1) ?? ''));
		await replyEnds(chat);
	});
});
