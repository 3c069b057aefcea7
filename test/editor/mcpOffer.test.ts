import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID } from '../../src/platform/ids.ts';
import { waitFor } from '../support/waitFor.ts';

/** What the editor calls the tools of a server with this name. */
const PREFIX = 'mcp_errand_';

describe('the MCP server that the editor starts', () => {
	before(async () => {
		await vscode.extensions.getExtension(EXTENSION_ID)?.activate();
		await waitFor('the tools of the server', async () => {
			await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
			return ownTools().length > 0;
		});
	});

	const ownTools = () => vscode.lm.tools.filter(({ name }) => name.startsWith(PREFIX));

	async function invoke(tool: string, input: object): Promise<string[]> {
		const options = { input, toolInvocationToken: undefined };
		const { content } = await vscode.lm.invokeTool(PREFIX + tool, options);
		return content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
	}

	it('is offered by the extension, with its tools', () => {
		const names = ownTools().map(({ name }) => name.slice(PREFIX.length));
		assert.deepEqual(names.sort(), [
			'continue_task',
			'decide',
			'follow_task',
			'get_task',
			'list_tasks',
			'search_web',
			'start_task',
			'stop_task',
			'task_changes',
		]);
	});

	it('reads the tasks of the active connection, which has no key in that process', async () => {
		const [text = ''] = await invoke('list_tasks', {});
		assert.deepEqual(JSON.parse(text), { tasks: [], has_more: false, offset: 0 });
	});

	it('names the cause of what it cannot do', async () => {
		const texts = await invoke('get_task', { task_id: 'nothing' }).catch(error => [String(error)]);
		assert.match(texts.join(), /Local couldn’t find what was requested/);
	});

	it('brings its skill along', async () => {
		const files =
			await vscode.commands.executeCommand<{ type: string; extensionId: string; uri: { path: string } }[]>(
				'_listExtensionPromptFiles',
			);
		const own = files.filter(({ extensionId }) => extensionId === EXTENSION_ID);
		assert.deepEqual(
			own.map(({ type, uri }) => [type, uri.path.split('/').slice(-3).join('/')]),
			[['skill', 'skills/errand-tasks/SKILL.md']],
		);
	});
});
