import * as vscode from 'vscode';
import { CHANGE_SCHEME } from '../../platform/ids.ts';
import { type ChangeUriParts, readChangeUri } from './changeUri.ts';

const isChange = ({ document }: vscode.TextEditor) => document.uri.scheme === CHANGE_SCHEME;

/**
 * Returns the editor with the version of a task's file that a command refers to: the active one, which may be part of a
 * review of all changes, or the one with the URI.
 */
export function shownChange(address?: vscode.Uri): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	if (activeTextEditor && isChange(activeTextEditor)) {
		return activeTextEditor;
	}
	return visibleTextEditors.find(({ document }) => document.uri.toString() === address?.toString());
}

/**
 * Returns the subject of a command for one file: its argument, or the active file if it has none or that of a button
 * above an editor. Undefined if no file is active.
 */
export function fileOfEditor(argument: unknown): unknown {
	if (argument !== undefined && !(argument instanceof vscode.Uri)) {
		return argument;
	}
	const shown = shownChange()?.document.uri;
	return (argument && readChangeUri(argument)) ?? (shown && readChangeUri(shown));
}

/**
 * Returns the subject of a command whose button is above an editor, and which gets its URI. The URI of a review does
 * not identify it, so the subject is the result whose files are visible, or the commits that they are from. Any other
 * argument is returned unchanged.
 */
export function subjectOfEditor(argument: unknown): unknown {
	if (!(argument instanceof vscode.Uri)) {
		return argument;
	}
	const { visibleTextEditors } = vscode.window;
	const shown = shownChange() ?? visibleTextEditors.find(isChange);
	return readChangeUri(argument) ?? (shown && resultOf(readChangeUri(shown.document.uri)));
}

function resultOf(parts: ChangeUriParts | undefined): Partial<ChangeUriParts> | undefined {
	if (parts === undefined) {
		return undefined;
	}
	const { taskId, resultKey, from, directory } = parts;
	return { taskId, resultKey, ...(from !== undefined && { from, directory }) };
}
