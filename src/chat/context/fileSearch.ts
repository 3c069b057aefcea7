import * as vscode from 'vscode';
import { rankPaths } from '../model/rankPaths.ts';
import { pathOf } from './readSource.ts';
import { listFiles } from './workspaceFiles.ts';

/** The list is made anew when it is older than this. */
const FRESH_MS = 10_000;

/** The files of the workspace that git does not ignore, by the words of a search. */
export class FileSearch {
	private listed: { at: number; files: Promise<ReadonlyMap<string, vscode.Uri>> } | undefined;

	async find(query: string, count: number): Promise<{ path: string; uri: vscode.Uri }[]> {
		const files = await this.files();
		return rankPaths([...files.keys()], query, count).flatMap(path => {
			const uri = files.get(path);
			return uri ? [{ path, uri }] : [];
		});
	}

	/** Every folder that holds one of the files. */
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
