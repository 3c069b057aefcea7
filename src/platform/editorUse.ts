import * as vscode from 'vscode';

/**
 * Runs `run` and resolves with true if the user has moved to an editor meanwhile, including editors without text such
 * as the settings. Nothing may take the keyboard focus from a user who works there. Selections that the editor itself
 * changes do not count.
 */
export async function hasMovedToEditor(run: () => PromiseLike<unknown>): Promise<boolean> {
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

/** The outcome of a picker: `elsewhere` if the choice itself has led to another place, such as the settings. */
export type PickerEnd = 'elsewhere' | undefined;

/**
 * Runs a picker and then focuses the composer of `page`, because the editor does not return the focus to a webview. The
 * focus stays where it is if the user or the choice has moved elsewhere.
 */
export async function thenComposer<T>(run: () => PromiseLike<T>, page: { focusComposer(): unknown }): Promise<T> {
	let end!: T;
	const hasGone = await hasMovedToEditor(async () => {
		end = await run();
	});
	if (end !== 'elsewhere' && !hasGone) {
		page.focusComposer();
	}
	return end;
}

function tabInFront(): vscode.Tab | undefined {
	return vscode.window.tabGroups.activeTabGroup.activeTab;
}
