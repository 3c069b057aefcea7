import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { exportConnections, importConnections } from '../../src/connections/transferConnections.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { keys as contractKeys } from '../support/contractServer/fixtures.ts';
import { waitFor } from '../support/waitFor.ts';
import { useConnectionFlow } from './useConnectionFlow.ts';

const KEY = contractKeys.inference;

describe('connections in files', () => {
	const flow = useConnectionFlow();
	const { showOpenDialog, showSaveDialog } = vscode.window;
	let folder: string;

	beforeEach(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-connections-'));
	});
	afterEach(() => {
		Object.assign(vscode.window, { showOpenDialog, showSaveDialog });
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const open = (file: string) => Object.assign(vscode.window, { showOpenDialog: async () => [vscode.Uri.file(file)] });
	const fileOf = (text: string): string => {
		const file = path.join(folder, 'connections.json');
		fs.writeFileSync(file, text);
		return file;
	};

	/** Imports what the file to be opened holds, and accepts the list that it is shown in as it is. */
	async function importAll(): Promise<void> {
		const { showQuickPick } = vscode.window;
		let hasRows = false;
		// The list can be accepted for a moment before it has its rows, and nothing but a row that becomes active shows them.
		const list = (rows: vscode.QuickPickItem[], options: vscode.QuickPickOptions) =>
			showQuickPick(rows, {
				...options,
				onDidSelectItem: () => {
					hasRows = true;
				},
			});
		Object.assign(vscode.window, { showQuickPick: list });
		try {
			const imported = importConnections();
			await waitFor('the list to have its rows', async () => {
				await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
				return hasRows;
			});
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			await imported;
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
	}

	it('are written without keys, and come back under a name that is free, without one', async () => {
		await flow.write('errand.connections', { acme: { apiUrl: flow.service.hosts.public, service: 'quillon' } });
		await flow.keys.save(flow.connectionOf('acme'), 'inference', KEY);
		const file = path.join(folder, 'exported.json');
		Object.assign(vscode.window, { showSaveDialog: async () => vscode.Uri.file(file) });
		await exportConnections(['acme']);
		assert.ok(!fs.readFileSync(file, 'utf8').includes(KEY));
		await flow.write('errand.connections', {
			acme: { apiUrl: flow.service.hosts.public, service: 'changed' },
		});
		open(file);
		await importAll();
		assert.deepEqual(Object.keys(flow.entries() as object), ['acme']);
		flow.choose(/^Add this connection\?$/, 'Add');
		await importAll();
		assert.deepEqual(flow.entries(), {
			acme: { apiUrl: flow.service.hosts.public, service: 'changed' },
			'acme 2': { apiUrl: flow.service.hosts.public, service: 'quillon' },
		});
		assert.equal(await flow.keys.state(flow.connectionOf('acme 2'), 'inference'), 'missing');
	});

	it('bring nothing where they are no such file, or too large', async () => {
		for (const [text, words] of [
			['not json', /not JSON/],
			['{"acme": {}}', /holds no connections/],
			['x'.repeat(1024 * 1024 + 1), /too large/],
			['{"errand.connections": {"acme": {"apiUrl": "http://api.example", "service": "x"}}}', /Not imported: “acme”/],
			[
				'{"errand.connections": {"acme": {"apiUrl": "https://a.example", "service": "sk-0123456789abcdef"}}}',
				/looks like a key/,
			],
		] as const) {
			open(fileOf(text));
			await importConnections();
			assert.match(flow.messages.at(-1) ?? '', words);
			assert.ok(!flow.messages.at(-1)?.includes('sk-0123456789'));
		}
		assert.equal(flow.entries(), undefined);
	});

	it('never come into use by themselves, not even under the name that the settings use', async () => {
		await flow.write('errand.connection', 'gone');
		flow.choose(/^Add this connection\?$/, 'Add');
		open(fileOf('{"errand.connections": {"gone": {"apiUrl": "https://evil.example", "service": "x", "key": "k"}}}'));
		await importAll();
		assert.deepEqual(flow.entries(), { 'gone 2': { apiUrl: 'https://evil.example', service: 'x' } });
		assert.equal(readSetting('errand.connection'), 'gone');
	});
});
