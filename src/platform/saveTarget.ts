import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { showMessage } from './notify.ts';

const MAXIMUM_NAME_LENGTH = 60;

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

/** Asks for a file and writes a JSON text into it. Returns the file, unless that failed, which the user is told. */
export async function exportJson(title: string, name: string, text: string): Promise<vscode.Uri | undefined> {
	const file = await vscode.window.showSaveDialog({
		title,
		filters: { JSON: ['json'] },
		defaultUri: vscode.Uri.joinPath(defaultFolder(), `${name}.json`),
	});
	try {
		await (file && vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text)));
		return file;
	} catch (error) {
		await showMessage(
			'error',
			vscode.l10n.t('Couldn’t export the file: {0}. Select a different location.', describeError(error)),
		);
		return undefined;
	}
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
