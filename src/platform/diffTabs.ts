import * as vscode from 'vscode';

/**
 * Returns the right side of the comparison that a command applies to, if it has this scheme. The editor's title bar
 * passes it; for the palette, it is that of the active tab.
 */
export function comparisonRightSide(scheme: string, argument: unknown): vscode.Uri | undefined {
	if (argument instanceof vscode.Uri && argument.scheme === scheme) {
		return argument;
	}
	const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
	return input instanceof vscode.TabInputTextDiff && input.modified.scheme === scheme ? input.modified : undefined;
}

/** Closes the comparisons whose right sides satisfy `isMeant`. */
export async function closeComparisons(isMeant: (right: vscode.Uri) => boolean): Promise<void> {
	const tabs = vscode.window.tabGroups.all
		.flatMap(group => group.tabs)
		.filter(({ input }) => input instanceof vscode.TabInputTextDiff && isMeant(input.modified));
	if (tabs.length > 0) {
		await vscode.window.tabGroups.close(tabs);
	}
}
