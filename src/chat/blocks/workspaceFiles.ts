import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { showMessage } from '../../platform/notify.ts';
import { type FileReference, looksLikeFile, parseFileReference } from '../model/fileReference.ts';

/** Names are looked up a few at a time: a reply may name anything. */
const AT_A_TIME = 8;

/** Those of `names` that are files of the workspace. */
export async function findFiles(names: readonly string[]): Promise<string[]> {
	const wanted = [...new Set(names)].filter(looksLikeFile);
	const found: string[] = [];
	for (let start = 0; start < wanted.length; start += AT_A_TIME) {
		const some = wanted.slice(start, start + AT_A_TIME);
		const places = await Promise.all(some.map(name => resolveFile(name)));
		found.push(...some.filter((_, index) => places[index] !== undefined));
	}
	return found;
}

/** The existing file of the workspace that a text names, and where in it. Never one that is elsewhere. */
export async function resolveFile(text: string): Promise<{ uri: vscode.Uri; reference: FileReference } | undefined> {
	const reference = parseFileReference(text);
	if (reference) {
		for (const uri of candidates(reference.path)) {
			const isFile = await vscode.workspace.fs.stat(uri).then(
				({ type }) => (type & vscode.FileType.File) !== 0,
				() => false,
			);
			if (isFile) {
				return { uri, reference };
			}
		}
	}
	return undefined;
}

/** Where a file that is not there yet would be: in the first folder of the workspace, or in the one that the path names. */
export function newFileUri(text: string): vscode.Uri | undefined {
	const reference = parseFileReference(text);
	return reference && candidates(reference.path)[0];
}

/** Opens a file that a reply names, at its lines. A link of the file system that leads out of the workspace is asked about. */
export async function openFile(text: string): Promise<void> {
	const file = await resolveFile(text);
	if (!file) {
		void showMessage('information', vscode.l10n.t('“{0}” is not in the workspace any more.', text));
		return;
	}
	const { uri, reference } = file;
	if (!(await confirmOutside(uri, vscode.l10n.t('Open')))) {
		return;
	}
	const { line, column = 1, endLine = line } = reference;
	const selection =
		line === undefined || endLine === undefined
			? undefined
			: new vscode.Range(line - 1, column - 1, endLine - 1, endLine > line ? Number.MAX_SAFE_INTEGER : column - 1);
	await vscode.commands.executeCommand('vscode.open', uri, { ...(selection ? { selection } : {}) });
}

/** Asks before a file that only seems to be in the workspace is used. Resolves with whether it may be. */
export async function confirmOutside(uri: vscode.Uri, action: string): Promise<boolean> {
	if (await isReallyInside(uri)) {
		return true;
	}
	const message = vscode.l10n.t('“{0}” leads to a place outside the workspace.', vscode.workspace.asRelativePath(uri));
	return (await vscode.window.showWarningMessage(message, { modal: true, detail: uri.fsPath }, action)) === action;
}

async function isReallyInside(uri: vscode.Uri): Promise<boolean> {
	const folder = vscode.workspace.getWorkspaceFolder(uri);
	if (!folder) {
		return false;
	}
	if (uri.scheme !== 'file') {
		return true;
	}
	try {
		const real = vscode.Uri.file(await realpath(uri.fsPath));
		const root = vscode.Uri.file(await realpath(folder.uri.fsPath));
		return isBelow(root, real) || vscode.workspace.getWorkspaceFolder(real) !== undefined;
	} catch {
		// It is not there yet.
		return true;
	}
}

/** In each folder of the workspace; with more than one, a path may begin with the name of its folder. */
function candidates(path: string): vscode.Uri[] {
	const folders = vscode.workspace.workspaceFolders ?? [];
	const isAbsolute = path.startsWith('/') || /^[A-Za-z]:\//.test(path);
	if (isAbsolute) {
		return folders
			.map(({ uri }) => uri.with({ path: path.startsWith('/') ? path : `/${path}` }))
			.filter(uri => folders.some(folder => isBelow(folder.uri, uri)));
	}
	return [
		...folders
			.filter(({ name }) => folders.length > 1 && path.startsWith(`${name}/`))
			.map(({ uri, name }) => vscode.Uri.joinPath(uri, path.slice(name.length + 1))),
		...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
	].filter(uri => folders.some(folder => isBelow(folder.uri, uri)));
}

function isBelow(folder: vscode.Uri, uri: vscode.Uri): boolean {
	return uri.scheme === folder.scheme && uri.path.startsWith(`${folder.path.replace(/\/$/, '')}/`);
}
