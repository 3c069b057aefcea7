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

/** How asking in a list has ended: `elsewhere` when the choice itself has led to another place, such as the settings. */
export type PickerEnd = 'elsewhere' | undefined;

/**
 * Runs what asks in lists, after which the editor gives the keyboard to no webview: the composer has it back, unless the
 * user or a choice has gone elsewhere.
 */
export async function thenComposer(run: () => PromiseLike<PickerEnd>, focusComposer: () => void): Promise<void> {
	let end: PickerEnd;
	const hasGone = await goesToEditor(async () => {
		end = await run();
	});
	if (end !== 'elsewhere' && !hasGone) {
		focusComposer();
	}
}

function tabInFront(): vscode.Tab | undefined {
	return vscode.window.tabGroups.activeTabGroup.activeTab;
}
