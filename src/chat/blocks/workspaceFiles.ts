import * as vscode from 'vscode';
import { append } from '../../base/append.ts';
import { isGitsOwn } from '../../base/decisiveFiles.ts';
import { defined } from '../../base/defined.ts';
import { type FilePlace, placeOf } from '../../base/filePlace.ts';
import { askModal } from '../../platform/notify.ts';
import { type FileReference, looksLikeFile, parseFileReference } from '../model/fileReference.ts';

/** The number of names that are looked up at a time, because a reply may name anything. */
const AT_A_TIME = 8;

/** Resolves to those of `names` that are files of the workspace. */
export async function findFiles(names: readonly string[]): Promise<string[]> {
	const wanted = [...new Set(names)].filter(looksLikeFile);
	const found: string[] = [];
	for (let start = 0; start < wanted.length; start += AT_A_TIME) {
		const some = wanted.slice(start, start + AT_A_TIME);
		const places = await Promise.all(some.map(name => resolveFile(name)));
		append(
			found,
			some.filter((_, index) => places[index] !== undefined),
		);
	}
	return found;
}

/** Resolves to the existing file of the workspace that a text names, with its lines; never to one outside it. */
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

/** Returns the location of a new file: in the workspace folder that the path names, or else in the first one. */
export function newFileUri(text: string): vscode.Uri | undefined {
	const reference = parseFileReference(text);
	return reference && candidates(reference.path)[0];
}

/**
 * Opens a file that a reply names, at its lines. Asks the user first if a file-system link leads out of the workspace.
 * `say` gets the reason if it is not opened.
 */
export async function openFile(text: string, say: (sentence: string) => void): Promise<void> {
	const file = await resolveFile(text);
	if (!file) {
		say(vscode.l10n.t('“{0}” is no longer in the workspace.', text));
		return;
	}
	const { uri, reference } = file;
	if (!(await confirmOpen(uri))) {
		return;
	}
	const { line, column = 1, endLine = line } = reference;
	const selection =
		line === undefined || endLine === undefined
			? undefined
			: new vscode.Range(line - 1, column - 1, endLine - 1, endLine > line ? Number.MAX_SAFE_INTEGER : column - 1);
	await vscode.commands.executeCommand('vscode.open', uri, defined({ selection }));
}

/**
 * The user's consent to use a file at its real path, without links; `path` is undefined for a file that is on no disk.
 */
export interface Agreed {
	path: string | undefined;
}

/** Asks before a file is opened that only seems to be in the workspace. Resolves to whether it may be opened. */
async function confirmOpen(uri: vscode.Uri): Promise<boolean> {
	const { isInside, path } = await realPlaceOf(uri);
	return isInside || ask(uri, outsideText(uri), path, vscode.l10n.t('Open'));
}

/**
 * Asks before code is proposed for a file that only seems to be in the workspace or that belongs to git, unless the
 * user has agreed to the place before. Resolves to undefined if the user refuses.
 */
export async function confirmChange(uri: vscode.Uri, action: string, agreed?: Agreed): Promise<Agreed | undefined> {
	const { isInside, isGits, path } = await realPlaceOf(uri);
	const text = isGits
		? vscode.l10n.t(
				'“{0}” belongs to Git. Changing it can make Git run programs.',
				vscode.workspace.asRelativePath(uri),
			)
		: outsideText(uri);
	const isAgreed = (isInside && !isGits) || (path !== undefined && agreed?.path === path);
	return isAgreed || (await ask(uri, text, path, action)) ? { path } : undefined;
}

function outsideText(uri: vscode.Uri): string {
	return vscode.l10n.t('“{0}” points outside the workspace.', vscode.workspace.asRelativePath(uri));
}

async function ask(uri: vscode.Uri, text: string, path: string | undefined, action: string): Promise<boolean> {
	return (await askModal(text, path ?? uri.fsPath, action)) === action;
}

async function realPlaceOf(uri: vscode.Uri): Promise<FilePlace> {
	if (uri.scheme === 'file') {
		const folders = vscode.workspace.workspaceFolders ?? [];
		const paths = folders.filter(folder => folder.uri.scheme === 'file').map(folder => folder.uri.fsPath);
		return placeOf(uri.fsPath, paths);
	}
	const isInside = uri.scheme === 'untitled' || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
	return { isInside, isGits: isGitsOwn(uri.path), path: undefined };
}

/**
 * Returns the candidates in each workspace folder. With more than one folder, a path may begin with the name of its
 * folder.
 */
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

/**
 * Changes the text of an editor in one undo step. Resolves to whether the text has changed: a read-only editor accepts
 * an edit without applying it, whereas a workspace edit would change it.
 */
export async function changeText(
	editor: vscode.TextEditor,
	change: (edit: vscode.TextEditorEdit) => void,
): Promise<boolean> {
	const { version } = editor.document;
	return (await editor.edit(change)) && editor.document.version !== version;
}
