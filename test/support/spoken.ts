import type * as vscode from 'vscode';

/** The parts of a row that are read. */
export function spoken(row: vscode.QuickPickItem | undefined): string {
	return [row?.label, row?.description, row?.detail].filter(Boolean).join(' | ');
}
