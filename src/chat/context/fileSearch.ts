import * as vscode from 'vscode';
import { pathOf } from './readSource.ts';
import { listFiles } from './workspaceFiles.ts';

/** The list of files is read again if it is older than this, in milliseconds. */
const FRESH_MS = 10_000;

/** A file or a folder. `path` begins at the workspace folder and uses slashes. */
export interface FoundPlace {
	readonly path: string;
	readonly uri: vscode.Uri;
}

/** Searches the files of the workspace that git does not ignore. */
export class FileSearch {
	private listed: { at: number; files: Promise<ReadonlyMap<string, vscode.Uri>> } | undefined;

	async find(query: string, count: number): Promise<FoundPlace[]> {
		const files = [...(await this.files())].map(([path, uri]) => ({ path, uri }));
		return ranked(files, ({ path }) => path, query)
			.slice(0, count)
			.map(({ value }) => value);
	}

	/** Resolves to every folder that contains one of the files. */
	async folders(): Promise<FoundPlace[]> {
		const found = new Map<string, vscode.Uri>();
		for (const [path, uri] of await this.files()) {
			for (let shown = parent(path), place = parent(uri.path); shown !== ''; ) {
				if (found.has(shown)) {
					break;
				}
				found.set(shown, uri.with({ path: place }));
				shown = parent(shown);
				place = parent(place);
			}
		}
		return [...found].map(([path, uri]) => ({ path, uri })).sort((one, other) => (one.path < other.path ? -1 : 1));
	}

	private files(): Promise<ReadonlyMap<string, vscode.Uri>> {
		if (!this.listed || Date.now() - this.listed.at > FRESH_MS) {
			this.listed = { at: Date.now(), files: listAll() };
		}
		return this.listed.files;
	}
}

async function listAll(): Promise<ReadonlyMap<string, vscode.Uri>> {
	const folders = vscode.workspace.workspaceFolders ?? [];
	const files = (await Promise.all(folders.map(({ uri }) => listFiles(uri)))).flat();
	return new Map(files.map(uri => [pathOf(uri), uri]));
}

function parent(path: string): string {
	return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the item of a file as the editor's own lists show it: the name, then the folder. */
export function described(path: string): { label: string; description?: string } {
	const end = path.lastIndexOf('/');
	return end < 0 ? { label: path } : { label: path.slice(end + 1), description: path.slice(0, end) };
}

/**
 * Returns the values that contain the query's characters in order, best match first: a match in the name before one in
 * the folders, at the name's start before its middle, adjacent characters before scattered ones, short paths before
 * long ones. The scores of different lists can be compared; their whole numbers say what kind of match it is.
 */
export function ranked<T>(
	values: Iterable<T>,
	textOf: (value: T) => string,
	query: string,
): { value: T; score: number }[] {
	const wanted = query.toLowerCase();
	const found: { value: T; score: number; path: string }[] = [];
	for (const value of values) {
		const path = textOf(value);
		const score = scoreOf(path.toLowerCase(), wanted);
		if (score !== undefined) {
			found.push({ value, score, path });
		}
	}
	return found.sort((one, other) => one.score - other.score || (one.path < other.path ? -1 : 1));
}

function scoreOf(path: string, query: string): number | undefined {
	const name = path.slice(path.lastIndexOf('/') + 1);
	const length = path.length / 1_000;
	if (name.startsWith(query)) {
		return length;
	}
	if (name.includes(query)) {
		return 1 + length;
	}
	if (path.includes(query)) {
		return 2 + length;
	}
	if (isSubsequence(query, name)) {
		return 3 + length;
	}
	return isSubsequence(query, path) ? 4 + length : undefined;
}

function isSubsequence(query: string, text: string): boolean {
	let from = 0;
	for (const character of query) {
		const index = text.indexOf(character, from);
		if (index < 0) {
			return false;
		}
		from = index + character.length;
	}
	return true;
}
