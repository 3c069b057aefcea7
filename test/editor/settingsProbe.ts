// Run in the extension host of a window: writes down what the extension reads there, for a test outside to judge.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import * as vscode from 'vscode';
import {
	commands,
	EXTENSION_ID,
	internalCommands,
	type SettingId,
	settingScopes,
	views,
} from '../../src/platform/ids.ts';
import { readSetting } from '../../src/platform/settings.ts';

/** The values that a window reads for our settings. */
export interface SettingsReport {
	isTrusted: boolean;
	folders: string[];
	/** The settings as the extension reads them. */
	values: Record<string, unknown>;
	/** The settings as they are for each folder. */
	ofFolders: Record<string, unknown>[];
}

export async function run(): Promise<void> {
	const file = process.env['ERRAND_SETTINGS_REPORT'] ?? '';
	await vscode.extensions.getExtension(EXTENSION_ID)?.activate();
	const folders = await foldersOfWindow();
	// What needs the connection: the chat, which opens the way to its host, and the list of tasks.
	await vscode.commands.executeCommand(internalCommands.focusChat);
	await vscode.commands.executeCommand(`${views.tasks}.focus`);
	await vscode.commands.executeCommand(commands.refreshTasks);
	const ids = Object.keys(settingScopes) as SettingId[];
	const report: SettingsReport = {
		isTrusted: vscode.workspace.isTrusted,
		folders: folders.map(({ name }) => name),
		values: Object.fromEntries(ids.map(id => [id, readSetting(id)])),
		ofFolders: folders.map(({ uri }) =>
			Object.fromEntries(ids.map(id => [id, vscode.workspace.getConfiguration(undefined, uri).get(id)])),
		),
	};
	writeFileSync(file, JSON.stringify(report));
}

/** A served window begins without the folders of its workspace file, and reads the file when it can reach its server. */
function foldersOfWindow(): Promise<readonly vscode.WorkspaceFolder[]> {
	return new Promise(resolve => {
		const look = () => {
			const folders = vscode.workspace.workspaceFolders ?? [];
			if (folders.length > 0) {
				listening.dispose();
				resolve(folders);
			}
		};
		const listening = vscode.workspace.onDidChangeWorkspaceFolders(look);
		look();
	});
}
