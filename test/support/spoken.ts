import type * as vscode from 'vscode';

/** Returns the parts of a row that a user reads. */
export function spoken(row: vscode.QuickPickItem | undefined): string {
	return [row?.label, row?.description, row?.detail].filter(Boolean).join(' | ');
}
