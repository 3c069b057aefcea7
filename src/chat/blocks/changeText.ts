import type * as vscode from 'vscode';

/**
 * Changes the text of an editor in one undo step. Resolves with whether the text has changed: a read-only editor
 * accepts an edit without applying it, and a workspace edit would change it nevertheless.
 */
export async function changeText(
	editor: vscode.TextEditor,
	change: (edit: vscode.TextEditorEdit) => void,
): Promise<boolean> {
	const { version } = editor.document;
	return (await editor.edit(change)) && editor.document.version !== version;
}
