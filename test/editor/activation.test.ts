import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, EXTENSION_ID, type SettingId, settingScopes, views } from '../../src/platform/ids.ts';

describe('the extension in the editor', () => {
	it('activates by itself', async () => {
		const extension = vscode.extensions.getExtension(EXTENSION_ID);
		assert.ok(extension, 'the editor does not know the extension');
		await extension.activate();
		assert.ok(extension.isActive);
	});

	it('registers every command that it contributes', async () => {
		const registered = new Set(await vscode.commands.getCommands(true));
		assert.deepEqual(
			Object.values(commands).filter(command => !registered.has(command)),
			[],
		);
	});

	it('has a default of the right type for every setting', () => {
		const configuration = vscode.workspace.getConfiguration();
		for (const id of Object.keys(settingScopes) as SettingId[]) {
			assert.notEqual(configuration.inspect(id)?.defaultValue, undefined, id);
		}
		assert.equal(configuration.get('errand.connection'), 'local');
	});

	it('does not let the workspace choose the connection', async () => {
		const configuration = vscode.workspace.getConfiguration();
		for (const id of ['errand.connection', 'errand.connections']) {
			await assert.rejects(
				Promise.resolve(configuration.update(id, undefined, vscode.ConfigurationTarget.Workspace)),
				Error,
				id,
			);
		}
	});
});

describe('the HTTP dispatchers of the extension host', () => {
	const dispatchers = () =>
		['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map(
			name => (globalThis as Record<symbol, unknown>)[Symbol.for(name)],
		);

	it('are left as they are by requests of the extension', async () => {
		// Node's own fetch installs its dispatcher with its first request; that one is not ours to answer for.
		await fetch('http://127.0.0.1:1/').catch(() => {});
		const before = dispatchers();
		await vscode.commands.executeCommand(`${views.tasks}.focus`);
		await vscode.commands.executeCommand(commands.refreshTasks);
		assert.deepEqual(
			dispatchers().map((dispatcher, index) => dispatcher === before[index]),
			[true, true],
		);
	});
});
