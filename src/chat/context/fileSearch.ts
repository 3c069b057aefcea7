import * as vscode from 'vscode';
import { pathOf } from './readSource.ts';
import { listFiles } from './workspaceFiles.ts';

/** The list of files is read again when it is older than this, in milliseconds. */
const FRESH_MS = 10_000;

/** Searches the files of the workspace that git does not ignore. */
export class FileSearch {
	private listed: { at: number; files: Promise<ReadonlyMap<string, vscode.Uri>> } | undefined;

	async find(query: string, count: number): Promise<{ path: string; uri: vscode.Uri }[]> {
		const files = await this.files();
		return rankPaths([...files.keys()], query, count).flatMap(path => {
			const uri = files.get(path);
			return uri ? [{ path, uri }] : [];
		});
	}

	/** Resolves with every folder that holds one of the files. */
	async folders(): Promise<{ path: string; uri: vscode.Uri }[]> {
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

/**
 * Returns at most `count` paths that contain the query's characters in order, best match first: a match in the name
 * before one in the folders, at the name's start before its middle, adjacent characters before scattered ones, short
 * paths before long ones.
 */
function rankPaths(paths: readonly string[], query: string, count: number): string[] {
	const wanted = query.toLowerCase();
	const ranked: { path: string; score: number }[] = [];
	for (const path of paths) {
		const score = scoreOf(path.toLowerCase(), wanted);
		if (score !== undefined) {
			ranked.push({ path, score });
		}
	}
	ranked.sort((one, other) => one.score - other.score || (one.path < other.path ? -1 : 1));
	return ranked.slice(0, count).map(({ path }) => path);
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
