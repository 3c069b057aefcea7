import * as vscode from 'vscode';
import type { ContextSource } from '../model/contextSource.ts';
import { selectionSource } from './contextChoices.ts';

/** Pasted text with more lines than this is not treated as a list of files. */
const MAXIMUM_FILES = 20;

/**
 * Resolves to the sources of pasted text if they can be determined: lines that are selected in a visible editor, or
 * paths of files as the explorer copies them. Resolves to undefined for any other text.
 */
export async function pastedContext(text: string): Promise<ContextSource[] | undefined> {
	const wanted = normalised(text);
	// A copied word belongs in the sentence; only several lines are treated as context.
	if (wanted.trim().includes('\n')) {
		const editor = vscode.window.visibleTextEditors.find(
			({ document, selection }) => !selection.isEmpty && normalised(document.getText(selection)) === wanted,
		);
		if (editor) {
			return [selectionSource(editor)];
		}
	}
	const lines = wanted.split('\n').filter(line => line !== '');
	if (lines.length === 0 || lines.length > MAXIMUM_FILES) {
		return undefined;
	}
	const sources: ContextSource[] = [];
	for (const line of lines) {
		const source = await fileOf(line);
		if (!source) {
			return undefined;
		}
		sources.push(source);
	}
	return sources;
}

async function fileOf(line: string): Promise<ContextSource | undefined> {
	const uri = /^(?:\/|[A-Za-z]:[\\/])/.test(line)
		? vscode.Uri.file(line)
		: /^(?:file|vscode-remote):\/\//.test(line)
			? hostUri(line)
			: undefined;
	return uri && vscode.workspace.getWorkspaceFolder(uri) ? fileSource(uri) : undefined;
}

/** Resolves to the source of a file or folder, or to undefined if it does not exist. */
export async function fileSource(uri: vscode.Uri): Promise<ContextSource | undefined> {
	try {
		const { type } = await vscode.workspace.fs.stat(uri);
		return { kind: type & vscode.FileType.Directory ? 'folder' : 'file', uri: uri.toString() };
	} catch {
		return undefined;
	}
}

/** Returns the source of a file that was chosen but cannot be read. Adding it shows an error that names the file. */
export function unreadSource(uri: vscode.Uri): ContextSource {
	return { kind: 'file', uri: uri.toString() };
}

/**
 * Converts a URI from a remote window, which names files with their machine. The extension runs on that machine and
 * sees them as local files.
 */
export function hostUri(address: string): vscode.Uri {
	const uri = vscode.Uri.parse(address);
	return uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri;
}

function normalised(text: string): string {
	return text.replaceAll('\r\n', '\n');
}
