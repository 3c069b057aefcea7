import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { setContextKey } from '../../platform/commands.ts';
import { CHANGE_SCHEME } from '../../platform/ids.ts';
import { type ChangeUriParts, readChangeUri } from './changeUri.ts';

const isChange = ({ document }: vscode.TextEditor) => document.uri.scheme === CHANGE_SCHEME;

/**
 * Returns the editor with a version of a task's file that a command is about: the one in front, which may be part of a
 * review of all changes, or the one with the address.
 */
export function shownChange(address?: vscode.Uri): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	if (activeTextEditor && isChange(activeTextEditor)) {
		return activeTextEditor;
	}
	return visibleTextEditors.find(({ document }) => document.uri.toString() === address?.toString());
}

/**
 * Returns what a command for one file is about: its argument, or the file in front where it has none or that of a button
 * above an editor. Undefined if no file is in front.
 */
export function fileNamedByEditor(argument: unknown): unknown {
	if (argument !== undefined && !(argument instanceof vscode.Uri)) {
		return argument;
	}
	const shown = shownChange()?.document.uri;
	return (argument && readChangeUri(argument)) ?? (shown && readChangeUri(shown));
}

/**
 * Returns what a command is about whose button stands above an editor, and gets its address. The editor of a review tells
 * nothing of itself, so it is the result whose files can be seen. Any other argument is returned as it is.
 */
export function namedByEditor(argument: unknown): unknown {
	if (!(argument instanceof vscode.Uri)) {
		return argument;
	}
	const { visibleTextEditors } = vscode.window;
	const shown = shownChange() ?? visibleTextEditors.find(isChange);
	return readChangeUri(argument) ?? (shown && resultOf(readChangeUri(shown.document.uri)));
}

function resultOf(parts: ChangeUriParts | undefined): Pick<ChangeUriParts, 'taskId' | 'resultKey'> | undefined {
	return parts && { taskId: parts.taskId, resultKey: parts.resultKey };
}

/** Keeps the context key by which the menus know a review from other editors with several files. */
export function watchShownChanges(): Disposable {
	const update = () => setContextKey('errand.showsChanges', vscode.window.visibleTextEditors.some(isChange));
	update();
	return vscode.window.onDidChangeVisibleTextEditors(update);
}
