import { homedir } from 'node:os';
import * as vscode from 'vscode';

const MAXIMUM_NAME_LENGTH = 60;

/** Where a file that is saved goes, unless the user says another place. */
export function defaultFolder(): vscode.Uri {
	return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}

/** A name that every file system takes, made of a text; `otherwise` where it has no letter and no digit. */
export function fileNameOf(text: string, otherwise: string): string {
	const name = text
		.normalize('NFC')
		.replace(/[^\p{L}\p{N}]+/gu, '-')
		.slice(0, MAXIMUM_NAME_LENGTH)
		.replace(/^-+|-+$/g, '')
		.toLowerCase();
	return name === '' ? otherwise : name;
}
