import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { showMessage } from './notify.ts';

const MAXIMUM_NAME_LENGTH = 60;

/** Returns the folder to propose for saving a file. */
export function defaultFolder(): vscode.Uri {
	return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}

/**
 * Creates a file name from a text that every file system accepts. Returns `otherwise` if the text has no letters or
 * digits.
 */
export function fileNameOf(text: string, otherwise: string): string {
	const name = text
		.normalize('NFC')
		.replace(/[^\p{L}\p{N}]+/gu, '-')
		.slice(0, MAXIMUM_NAME_LENGTH)
		.replace(/^-+|-+$/g, '')
		.toLowerCase();
	return name === '' ? otherwise : name;
}

/** Tells the user that a file was written, and offers to open it. */
export function offerToOpen(file: vscode.Uri, message: string): void {
	const open = vscode.l10n.t('Open');
	void showMessage('information', message, open).then(chosen => {
		if (chosen === open) {
			void vscode.window.showTextDocument(file);
		}
	});
}
