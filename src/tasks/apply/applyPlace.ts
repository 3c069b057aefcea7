import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { isWithin, realPathOf } from '../../base/filePlace.ts';
import { shortName } from '../../base/plainText.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { checkTrust } from '../../platform/trust.ts';
import type { ApplyOptions } from './applyChanges.ts';
import { MAXIMUM_RECORD } from './applyRecord.ts';
import type { FileEdit } from './change.ts';
import { gitContents } from './contents.ts';
import { isText, withLineEnds } from './lineEnds.ts';
import { Merger } from './merge.ts';
import { lineEdits } from './textEdits.ts';
import { type OpenFile, WorkingTree } from './tree.ts';

/**
 * Runs an action with the options for changing the working tree of a repository. `like` is the name of any of its
 * objects. Throws a UserFacingError if this window does not show the repository.
 */
export async function inWorkingTree<T>(
	place: GitPlace,
	like: string,
	run: (options: ApplyOptions) => Promise<T>,
): Promise<T> {
	const { gitPath, directory } = place;
	const folders = (vscode.workspace.workspaceFolders ?? [])
		.filter(({ uri }) => uri.scheme === 'file')
		.map(({ uri }) => uri.fsPath);
	checkTrust();
	if (!(await isShown(directory, folders))) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The repository {0} isn’t open in this window, so its files aren’t changed. Open its folder, then try again.',
				shortName(directory),
			),
		);
	}
	const ignoresCase = await runGit(gitPath, directory, ['config', '--type=bool', '--get', 'core.ignoreCase']).then(
		output => output.trim() === 'true',
		() => false,
	);
	const isWindows = process.platform === 'win32';
	const tree = new WorkingTree({ directory, folders, openFile, ignoresCase, isWindows, like });
	const merger = new Merger(gitPath);
	try {
		return await run({
			place,
			tree,
			contents: gitContents(place),
			merger,
			heedsRules: true,
			conflictRule: 'markers',
			maximumRecord: MAXIMUM_RECORD,
			editOpen: edits => editOpenFiles(edits, name => tree.fileOf(name)),
		});
	} finally {
		await merger.close();
	}
}

/** Shows a title in the status bar until `run` has ended, because it may take a while. */
export function withStatusTitle<T>(title: string, run: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, run);
}

/** Returns whether a folder of the workspace is the repository, lies in it, or contains it. */
async function isShown(directory: string, folders: readonly string[]): Promise<boolean> {
	const [root, ...all] = await Promise.all([directory, ...folders].map(realPathOf));
	return all.some(
		folder =>
			root !== undefined &&
			folder !== undefined &&
			(folder === root || isWithin(folder, root) || isWithin(root, folder)),
	);
}

/**
 * Returns the editor's version of a file, or undefined if the file on disk is the only version. A document without a
 * tab and without changes follows the disk by itself.
 */
async function openFile(file: string): Promise<OpenFile | undefined> {
	const document = await findDocument(file);
	const tabs = await tabsOf(file);
	if (!document || !(document.isDirty || tabs.length > 0)) {
		// A custom editor or a notebook does not expose its changes.
		const isDirty = tabs.some(tab => tab.isDirty);
		return isDirty ? { content: undefined, refusal: 'unsaved', isDirty } : undefined;
	}
	const { encoding, isDirty } = document;
	const own = Buffer.from(await vscode.workspace.encode(document.getText(), { encoding }));
	if (isDirty) {
		return { content: own, refusal: 'encoding', isDirty };
	}
	const content = await readFile(file);
	const isSame = own.equals(content) || (isText(own) && isText(content) && plain(own).equals(plain(content)));
	return { content: isSame ? content : undefined, refusal: 'encoding', isDirty };
}

/**
 * Changes documents in one edit, which their editors can undo, and leaves them unsaved. Resolves with the new content
 * of each; undefined if it was not as planned for, or if the editor did not change it.
 */
async function editOpenFiles(
	edits: readonly FileEdit[],
	fileOf: (name: string) => string,
): Promise<(Buffer | undefined)[]> {
	const change = new vscode.WorkspaceEdit();
	const changed: (vscode.TextDocument | undefined)[] = [];
	for (const { before, after } of edits) {
		const document = after && (await findDocument(fileOf(after.path)));
		const present = after && (await openFile(fileOf(after.path)))?.content;
		const isAsPlanned = before !== undefined && present?.equals(before.content);
		changed.push(document && isAsPlanned ? document : undefined);
		if (document && isAsPlanned && after) {
			const text = await vscode.workspace.decode(after.content, { encoding: document.encoding });
			replaceText(document, text, change);
		}
	}
	const versions = changed.map(document => document?.version);
	const isApplied = await vscode.workspace.applyEdit(change);
	return Promise.all(
		changed.map(async (document, index) => {
			if (!isApplied || !document || document.version === versions[index]) {
				return undefined;
			}
			return Buffer.from(await vscode.workspace.encode(document.getText(), { encoding: document.encoding }));
		}),
	);
}

/** Adds the edits that give a document a new text. The document keeps its own line ends. */
function replaceText(document: vscode.TextDocument, text: string, change: vscode.WorkspaceEdit): void {
	const lineBreak = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
	const own = document.getText().replace(/\r?\n/g, '\n');
	for (const edit of lineEdits(own, text.replace(/\r?\n/g, '\n'))) {
		// A position behind the last line means the end of the document.
		const range = document.validateRange(new vscode.Range(edit.start, 0, edit.end, 0));
		change.replace(document.uri, range, edit.text.replaceAll('\n', lineBreak));
	}
}

/**
 * Returns the document of a file. If it is open under several names, returns the document that is not saved or is
 * shown.
 */
async function findDocument(file: string): Promise<vscode.TextDocument | undefined> {
	const open = vscode.workspace.textDocuments.filter(({ isClosed }) => !isClosed);
	const isSame = await Promise.all(open.map(({ uri }) => isFile(uri, file)));
	const documents = open.filter((_, index) => isSame[index]);
	const shown = new Set((await tabsOf(file)).flatMap(({ input }) => urisOf(input).map(String)));
	return (
		documents.find(({ isDirty }) => isDirty) ?? documents.find(({ uri }) => shown.has(uri.toString())) ?? documents[0]
	);
}

async function tabsOf(file: string): Promise<vscode.Tab[]> {
	const found: vscode.Tab[] = [];
	for (const tab of vscode.window.tabGroups.all.flatMap(group => group.tabs)) {
		const same = await Promise.all(urisOf(tab.input).map(uri => isFile(uri, file)));
		if (same.includes(true)) {
			found.push(tab);
		}
	}
	return found;
}

/** Returns whether a URI is that of a file. If a folder is opened through a link, each of its files has two names. */
async function isFile({ scheme, fsPath }: vscode.Uri, file: string): Promise<boolean> {
	if (scheme !== 'file' || path.basename(fsPath).toLowerCase() !== path.basename(file).toLowerCase()) {
		return false;
	}
	return fsPath === file || (await realPathOf(fsPath)) === (await realPathOf(file));
}

function urisOf(input: unknown): vscode.Uri[] {
	const { uri, original, modified, result } = (input ?? {}) as Record<string, unknown>;
	return [uri, original, modified, result].filter(value => value instanceof vscode.Uri);
}

const plain = (content: Buffer) => withLineEnds(content, 'lf');
