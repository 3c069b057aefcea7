import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { LOG_SCHEME } from '../../platform/ids.ts';
import { OPEN_LOGS_KEY } from '../model/storageKeys.ts';

interface StoredTab {
	uri: string;
	column: number;
	/** Whether it was the active tab of its group. */
	isActive: boolean;
}

/**
 * Remembers the tabs of logs in the workspace's state: after a reload of the window, the editor restores tabs of files,
 * but drops those whose text an extension provides.
 */
export class LogTabs implements Disposable {
	private readonly workspaceState: vscode.Memento;
	private readonly listener: vscode.Disposable;
	/** The tabs from before the reload, kept until they have been restored. */
	private toRestore: StoredTab[];

	constructor(workspaceState: vscode.Memento) {
		this.workspaceState = workspaceState;
		this.toRestore = readStored(workspaceState.get(OPEN_LOGS_KEY));
		this.listener = vscode.window.tabGroups.onDidChangeTabs(() => this.save());
	}

	/** Opens what was open before the reload in the same place, without moving the focus. */
	async restore(): Promise<void> {
		try {
			for (const { uri, column, isActive } of this.toRestore) {
				// Only the command has the option `background`.
				const options = { viewColumn: column, preview: false, preserveFocus: true, background: !isActive };
				await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), options);
			}
		} finally {
			this.toRestore = [];
			this.save();
		}
	}

	private save(): void {
		const tabs = openTabs();
		const stored = this.workspaceState.get(OPEN_LOGS_KEY);
		if (this.toRestore.length === 0 && JSON.stringify(tabs) !== JSON.stringify(stored ?? [])) {
			this.workspaceState.update(OPEN_LOGS_KEY, tabs.length === 0 ? undefined : tabs).then(undefined, () => {});
		}
	}

	dispose(): void {
		this.listener.dispose();
	}
}

function openTabs(): StoredTab[] {
	return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
		tabs.flatMap(({ input, isActive }) =>
			input instanceof vscode.TabInputText && input.uri.scheme === LOG_SCHEME
				? [{ uri: input.uri.toString(), column: viewColumn, isActive }]
				: [],
		),
	);
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
