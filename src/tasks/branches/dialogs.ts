import * as vscode from 'vscode';
import { askModal, showMessage } from '../../platform/notify.ts';
import { choose, input } from '../../platform/pick.ts';
import { openAddress } from '../common/openAddress.ts';

/** How the commands for branches speak with the user, and what they open. Tests answer in the user's place. */
export interface Dialogs {
	/** Shows a notification and resolves with the chosen button. */
	tell: typeof showMessage;
	/** Asks in a modal dialog and resolves with the chosen button. */
	ask: typeof askModal;
	choose: typeof choose;
	input: typeof input;
	/** Shows in the status bar that something is going on. */
	during<T>(title: string, run: () => Promise<T>): Promise<T>;
	/** Opens a folder in a window of its own. */
	openFolder(folder: string): PromiseLike<unknown>;
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
	openAddress,
	copy: text => vscode.env.clipboard.writeText(text),
	runCommand: (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters),
};
