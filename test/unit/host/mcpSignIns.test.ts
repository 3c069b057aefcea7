import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { remoteServerSchema, signInSecret } from '../../../src/contract/mcpServers.ts';
import { manageKeys } from '../../../src/models/keys/manageKeys.ts';
import { readMcpSignIns } from '../../../src/models/keys/mcpSignIns.ts';

describe('the sign-ins at MCP servers in the list of keys', () => {
	afterEach(() => {
		Reflect.deleteProperty(vscode.window, 'showQuickPick');
		Reflect.deleteProperty(vscode.window, 'showWarningMessage');
	});

	it('are shown with who has declared the server, and signed out of after a yes', async () => {
		const server = { ...remoteServerSchema.parse({ url: 'https://mcp.example/mcp' }), name: 'docs', file: undefined };
		const [own, other] = [undefined, '/folders/other'].map(folder => signInSecret({ ...server, folder }));
		const secrets = new Set([own, other, 'errand.mcpSignIn.broken', 'errand.mcpClient.x']);
		let answer: string | undefined;
		let rows: vscode.QuickPickItem[] = [];
		Object.assign(vscode.window, {
			showWarningMessage: async () => answer,
			showQuickPick: async (items: vscode.QuickPickItem[]) => {
				rows = items;
				return items.find(({ label }) => label === 'mcp.example');
			},
		});
		const manage = () =>
			manageKeys({} as Parameters<typeof manageKeys>[0], {
				activeConnection: async () => ({ name: 'local' }) as never,
				serverKeys: async () => [],
				signIns: () =>
					readMcpSignIns({ keys: async () => [...secrets].map(String), delete: async key => void secrets.delete(key) }),
			});
		await manage();
		assert.deepEqual(
			rows.slice(-3).map(({ label, detail }) => [label, detail]),
			[
				['MCP servers', undefined],
				['mcp.example', 'Sent only to https://mcp.example/mcp, for your settings'],
				['mcp.example', 'Sent only to https://mcp.example/mcp, for the folder other'],
			],
		);
		assert.equal(secrets.size, 4);
		answer = 'Sign Out';
		await manage();
		assert.deepEqual([secrets.has(own), secrets.has(other)], [false, true]);
	});
});
