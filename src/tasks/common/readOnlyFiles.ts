import * as vscode from 'vscode';
import { onFirstUse } from '../../base/async.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';

/** Provides the files of a scheme, once it is loaded. */
export interface FileSource {
	stat(uri: vscode.Uri): vscode.FileStat | Promise<vscode.FileStat>;
	read(uri: vscode.Uri): Promise<Uint8Array>;
	/** Fires with the URI of a file after a change, which `stat` shows too. */
	readonly onDidChange?: vscode.Event<vscode.Uri>;
}

/**
 * Encodes the text of a file. The mark at its beginning makes the editor read it as UTF-8, whatever encoding the user
 * has set for files.
 */
export function encodeText(text: string): Uint8Array {
	return new TextEncoder().encode(`\ufeff${text}`);
}

function refuse(): never {
	throw vscode.FileSystemError.NoPermissions();
}

/** The folder of files that are opened only by their URIs, and that nobody else can add, move or remove. */
export const fixedFolder = {
	watch: (): Disposable => ({ dispose() {} }),
	readDirectory: (): [string, vscode.FileType][] => [],
	createDirectory: refuse,
	delete: refuse,
	rename: refuse,
};

/** Registers a read-only file system. `load` is first called when one of its files is opened. */
export function registerReadOnlyFiles(scheme: string, load: () => Promise<FileSource>): Disposable {
	const store = new DisposableStore();
	const changed = store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
	const source = onFirstUse(async () => {
		const files = await load();
		const listener = files.onDidChange?.(uri => changed.fire([{ type: vscode.FileChangeType.Changed, uri }]));
		if (listener) {
			store.add(listener);
		}
		return files;
	});
	const provider: vscode.FileSystemProvider = {
		...fixedFolder,
		onDidChangeFile: changed.event,
		stat: async uri => (await source()).stat(uri),
		readFile: async uri => (await source()).read(uri),
		writeFile: refuse,
	};
	store.add(vscode.workspace.registerFileSystemProvider(scheme, provider, { isCaseSensitive: true, isReadonly: true }));
	return store;
}
