import * as vscode from 'vscode';
import { LOG_SCHEME } from '../../platform/ids.ts';
import { OPEN_LOGS_KEY } from '../model/storageKeys.ts';

interface StoredTab {
	uri: string;
	column: number;
	/** True if it was the active tab of its group. */
	isActive: boolean;
}

/**
 * Opens the logs whose tabs an earlier version has stored, because the editor did not restore them, in their places and
 * without moving the focus.
 */
export async function openStoredTabs(workspaceState: vscode.Memento): Promise<void> {
	const tabs = readStored(workspaceState.get(OPEN_LOGS_KEY));
	await workspaceState.update(OPEN_LOGS_KEY, undefined);
	for (const { uri, column, isActive } of tabs) {
		// Only the command has the option `background`.
		const options = { viewColumn: column, preview: false, preserveFocus: true, background: !isActive };
		await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), options);
	}
}

function readStored(value: unknown): StoredTab[] {
	return (Array.isArray(value) ? value : []).filter(
		(entry: Partial<StoredTab> | null): entry is StoredTab =>
			typeof entry?.uri === 'string' &&
			entry.uri.startsWith(`${LOG_SCHEME}:`) &&
			Number.isSafeInteger(entry.column) &&
			typeof entry.isActive === 'boolean',
	);
}
