import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { inputSecret, remoteServerSchema, signInSecret } from '../../../src/contract/mcpServers.ts';
import { readMcpSecrets } from '../../../src/models/keys/mcpSecrets.ts';
import { runActions } from '../../../src/platform/actionList.ts';
import { answerLists } from '../../support/answeredLists.ts';

describe('the secrets of MCP servers in the list of keys', () => {
	let secrets: Set<string>;
	let asked: string[];
	let told: string[];

	beforeEach(() => {
		[secrets, asked, told] = [new Set(['errand.mcpSignIn.broken', 'errand.mcp.broken', 'errand.mcpClient.x']), [], []];
	});
	afterEach(() => {
		Reflect.deleteProperty(vscode.window, 'createQuickPick');
		Reflect.deleteProperty(vscode.window, 'showWarningMessage');
		Reflect.deleteProperty(vscode.window, 'showInformationMessage');
	});

	/** Chooses the first row of this label, and gives this answer. Returns the labels of the rows, with their details. */
	async function manage(label: string, answer: string | undefined): Promise<unknown[]> {
		Object.assign(vscode.window, {
			showWarningMessage: async (question: string) => {
				asked.push(question);
				return answer;
			},
			showInformationMessage: async (message: string) => void told.push(message),
		});
		const lists = answerLists(label);
		const stored = {
			keys: async () => [...secrets].map(String),
			get: async () => undefined,
			delete: async (key: string) => void secrets.delete(key),
		};
		await runActions({ title: '', name: '', placeHolder: () => '', rows: () => readMcpSecrets(stored) });
		return lists[0]?.map(row => [row.label, row.detail]) ?? [];
	}

	it('are sign-ins with who has declared the server, which are signed out of after a yes', async () => {
		const server = { ...remoteServerSchema.parse({ url: 'https://mcp.example/mcp' }), name: 'docs', file: undefined };
		const [own = '', other = ''] = [undefined, '/folders/other'].map(folder => signInSecret({ ...server, folder }));
		secrets.add(own).add(other);
		assert.deepEqual(await manage('mcp.example', undefined), [
			['mcp.example', 'Sent only to https://mcp.example/mcp, for your settings'],
			['mcp.example', 'Sent only to https://mcp.example/mcp, for the folder other'],
		]);
		assert.equal(secrets.size, 5);
		await manage('mcp.example', 'Sign Out');
		assert.deepEqual([secrets.has(own), secrets.has(other)], [false, true]);
		assert.match(told.join(), /^You are signed out of the MCP server at mcp\.example here\. It has not said that/);
	});

	it('are values that were entered, which are removed after a yes with those of earlier declarations', async () => {
		const place = { name: 'docs', folder: '/folders/other' };
		const own = inputSecret({ name: 'docs', folder: undefined }, 'digest', 'token');
		const others = ['one', 'two'].map(digest => inputSecret(place, digest, 'secret'));
		secrets.add(own);
		others.forEach(key => void secrets.add(key));
		assert.deepEqual(await manage('secret', undefined), [
			['token', 'Given only to docs, for your settings'],
			['secret', 'Given only to docs, for the folder other'],
		]);
		assert.equal(secrets.size, 6);
		await manage('secret', 'Remove');
		assert.deepEqual([secrets.has(own), ...others.map(key => secrets.has(key))], [true, false, false]);
		await manage('token', 'Remove');
		assert.equal(secrets.has(own), false);
		assert.deepEqual(asked.at(-1), 'Remove the value token of the MCP server “docs”?');
	});
});
