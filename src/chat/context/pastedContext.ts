import * as vscode from 'vscode';
import type { ContextSource } from '../model/contextSource.ts';
import { selectionSource } from './contextChoices.ts';

/** More lines than that are a text, not a list of files. */
const MAXIMUM_FILES = 20;

/**
 * What was pasted, where its place can be known: lines that are selected in an editor that is shown, or the paths of
 * files, as the explorer copies them. undefined for anything else, which is text.
 */
export async function pastedContext(text: string): Promise<ContextSource[] | undefined> {
	const wanted = normalised(text);
	// A word that was copied belongs into the sentence; several lines are context.
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

/** A file or folder that is there, as context. */
export async function fileSource(uri: vscode.Uri): Promise<ContextSource | undefined> {
	try {
		const { type } = await vscode.workspace.fs.stat(uri);
		return { kind: type & vscode.FileType.Directory ? 'folder' : 'file', uri: uri.toString() };
	} catch {
		return undefined;
	}
}

/** What somebody has chosen and cannot be read, all the same: adding it says so, by its name. */
export function unreadSource(uri: vscode.Uri): ContextSource {
	return { kind: 'file', uri: uri.toString() };
}

/** The window of a remote workspace names files by their machine; the extension runs there, and knows them as files. */
export function hostUri(address: string): vscode.Uri {
	const uri = vscode.Uri.parse(address);
	return uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri;
}

function normalised(text: string): string {
	return text.replaceAll('\r\n', '\n');
}
