import type * as vscode from 'vscode';

/**
 * Changes the text of an editor in one step of undo, and gives whether it did: a read-only editor says yes to an edit
 * and leaves the text as it is, and an edit of the workspace would change it all the same.
 */
export async function changeText(
	editor: vscode.TextEditor,
	change: (edit: vscode.TextEditorEdit) => void,
): Promise<boolean> {
	const { version } = editor.document;
	return (await editor.edit(change)) && editor.document.version !== version;
}
