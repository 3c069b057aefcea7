import { basename } from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { isWithin, realPathOf } from '../../base/filePlace.ts';
import { isInstructionName, NESTED_FILE, ROOT_FILES } from '../../base/instructionFiles.ts';
import type { Attachment } from '../model/attachment.ts';
import { chosenInstructions, type InstructionFile } from '../model/instructions.ts';
import { pathOf, readText } from './readSource.ts';

/** The instructions for a message about certain files. */
export interface ReadInstructions {
	/** The files to send with the message, the nearest last. */
	readonly files: readonly Attachment[];
	/** Sentences that say why other files are not sent. */
	readonly problems: readonly string[];
}

/**
 * Reads the instructions in the folders from the workspace folder down to each place that the message is about; places
 * are files, or folders whose address ends with a slash. Without a place, those of the workspace folders are read.
 * Nothing is read in an untrusted workspace.
 */
export async function readInstructions(places: readonly vscode.Uri[]): Promise<ReadInstructions> {
	if (!vscode.workspace.isTrusted) {
		return { files: [], problems: [] };
	}
	const all = vscode.workspace.workspaceFolders ?? [];
	const about = all.filter(folder => places.some(place => isIn(folder, place)));
	const read = await Promise.all(
		(about.length > 0 ? about : all).map(folder =>
			Promise.all(
				filesFor(
					folder.uri,
					places.filter(place => isIn(folder, place)),
				).map(uri => readFile(folder.uri, uri)),
			),
		),
	);
	const files: InstructionFile[] = [];
	const problems: string[] = [];
	for (const found of read.flat()) {
		if (typeof found === 'string') {
			problems.push(found);
		} else if (found) {
			files.push(found);
		}
	}
	return { files: chosenInstructions(files), problems };
}

function isIn({ uri }: vscode.WorkspaceFolder, place: vscode.Uri): boolean {
	return vscode.workspace.getWorkspaceFolder(place)?.uri.toString() === uri.toString();
}

/** Returns the possible locations of instructions, the nearest last. */
function filesFor(root: vscode.Uri, places: readonly vscode.Uri[]): vscode.Uri[] {
	const folders = new Set<string>();
	for (const place of places) {
		const names = place.path
			.slice(root.path.length)
			.split('/')
			.filter(name => name !== '');
		const depth = place.path.endsWith('/') ? names.length : names.length - 1;
		for (let end = 1; end <= depth; end++) {
			folders.add(names.slice(0, end).join('/'));
		}
	}
	const below = [...folders].sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1));
	return [...ROOT_FILES, ...below.map(folder => `${folder}/${NESTED_FILE}`)].map(name =>
		vscode.Uri.joinPath(root, name),
	);
}

function depthOf(path: string): number {
	return path.split('/').length;
}

/** Resolves to a file, to the reason why it is not sent, or to undefined if there is none. */
async function readFile(root: vscode.Uri, uri: vscode.Uri): Promise<InstructionFile | string | undefined> {
	const stat = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
	if (!stat) {
		return undefined;
	}
	const path = pathOf(uri);
	const isFile = uri.scheme === 'file';
	const [place, top] = isFile ? await Promise.all([realPathOf(uri.fsPath), realPathOf(root.fsPath)]) : [];
	const isInside = isFile
		? place !== undefined && top !== undefined && isWithin(top, place)
		: (stat.type & vscode.FileType.SymbolicLink) === 0;
	if (!isInside) {
		return vscode.l10n.t('{0} isn’t sent: it’s reached by a link that leads out of the folder.', path);
	}
	if (place !== undefined && !isInstructionName(basename(place))) {
		return vscode.l10n.t('{0} isn’t sent: it’s a link to a file that isn’t for instructions.', path);
	}
	try {
		return { path, uri: uri.toString(), text: (await readText(uri)).text, place: place ?? uri.toString() };
	} catch (error) {
		return error instanceof UserFacingError
			? vscode.l10n.t('{0} isn’t sent. {1}', path, error.message)
			: vscode.l10n.t('{0} isn’t sent because it couldn’t be read.', path);
	}
}
