import * as vscode from 'vscode';
import { askModal, showMessage } from '../../platform/notify.ts';
import { choose, input } from '../../platform/pick.ts';

/** The dialogs of the commands for branches, and the actions that they open. Tests answer in the user's place. */
export interface Dialogs {
	/** Shows a notification and resolves with the chosen button. */
	tell: typeof showMessage;
	/** Asks in a modal dialog and resolves with the chosen button. */
	ask: typeof askModal;
	choose: typeof choose;
	input: typeof input;
	/** Shows a title in the status bar while an action runs. */
	during<T>(title: string, run: () => Promise<T>): Promise<T>;
	/** Opens a folder in a window of its own. */
	openFolder(folder: string): PromiseLike<unknown>;
	/** Opens a URL in the browser; the editor asks first, unless the user trusts its host. */
	openAddress(address: string): PromiseLike<unknown>;
	copy(text: string): PromiseLike<void>;
	runCommand(command: string, ...parameters: unknown[]): PromiseLike<unknown>;
}

export const editorDialogs: Dialogs = {
	tell: showMessage,
	ask: askModal,
	choose,
	input,
	during: async (title, run) => vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, run),
	openFolder: folder =>
		vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), { forceNewWindow: true }),
	// A `Uri` would rewrite the URL, and encode a `#` in the name of a branch twice.
	openAddress: address => vscode.env.openExternal(address as unknown as vscode.Uri),
	copy: text => vscode.env.clipboard.writeText(text),
	runCommand: (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters),
};
