import * as vscode from 'vscode';

/**
 * Resolves when `run` does, with whether the user has gone to an editor meanwhile, also to one without text, as the
 * settings are: nothing may take the keyboard from whoever works there. The selections that the editor itself moves do
 * not count.
 */
export async function goesToEditor(run: () => PromiseLike<unknown>): Promise<boolean> {
	let hasGone = false;
	const before = tabInFront();
	const watches = [
		vscode.window.onDidChangeActiveTextEditor(editor => {
			hasGone ||= editor !== undefined && editor.document.uri.scheme !== 'output';
		}),
		vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
			hasGone ||= kind !== undefined && kind !== vscode.TextEditorSelectionChangeKind.Command;
		}),
	];
	try {
		await run();
		const after = tabInFront();
		return hasGone || (after !== undefined && after !== before);
	} finally {
		for (const watch of watches) {
			watch.dispose();
		}
	}
}

function tabInFront(): vscode.Tab | undefined {
	return vscode.window.tabGroups.activeTabGroup.activeTab;
}
