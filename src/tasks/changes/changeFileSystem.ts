import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { CHANGE_SCHEME } from '../../platform/ids.ts';

/** What answers for the files of tasks, once it is loaded. */
export interface ChangeFileSource {
	stat(uri: vscode.Uri): Promise<vscode.FileStat>;
	read(uri: vscode.Uri): Promise<Uint8Array>;
}

/** Registers the file system of the tasks' files, which is read-only. `source` is first called when one is opened. */
export function registerChangeFiles(source: () => Promise<ChangeFileSource>): Disposable {
	const store = new DisposableStore();
	const changed = store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
	const refuse = () => {
		throw vscode.FileSystemError.NoPermissions();
	};
	const provider: vscode.FileSystemProvider = {
		onDidChangeFile: changed.event,
		watch: () => ({ dispose() {} }),
		stat: async uri => (await source()).stat(uri),
		readFile: async uri => (await source()).read(uri),
		readDirectory: refuse,
		createDirectory: refuse,
		writeFile: refuse,
		delete: refuse,
		rename: refuse,
	};
	store.add(
		vscode.workspace.registerFileSystemProvider(CHANGE_SCHEME, provider, { isCaseSensitive: true, isReadonly: true }),
	);
	return store;
}
