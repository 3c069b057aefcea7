import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { changesTextOnSave } from '../../platform/settings.ts';
import { fixedFolder } from './readOnlyFiles.ts';

/** The interval at which a text is saved while the user types, in milliseconds. */
const SAVE_MS = 400;

/**
 * The times never change: after a reload the editor restores the unsaved document of the previous window, and would
 * refuse to save it over a newer file.
 */
const TIMES = { ctime: 0, mtime: 0 };

type KeptText = string | undefined | Promise<string | undefined>;

/** The storage for the texts of a scheme. */
export interface TextKeeper {
	/** Returns the text of a document, or undefined if there is no such document. */
	read(uri: vscode.Uri): KeptText;
	/** Called instead of `read` when the editor reads a document to show it, including by itself after a reload. */
	opened?(uri: vscode.Uri): KeptText;
	write(uri: vscode.Uri, text: string): Promise<void>;
}

/**
 * Texts that the user is writing, as files of a custom file system. They are kept at every change, survive closing,
 * errors and reloads of the window, and never ask for a place to be saved.
 */
export class DraftFileSystem implements Disposable {
	private readonly keeper: TextKeeper;
	private readonly store = new DisposableStore();
	private readonly saves = new SerialQueue();
	private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

	constructor(scheme: string, keeper: TextKeeper) {
		this.keeper = keeper;
		const provider: vscode.FileSystemProvider = {
			...fixedFolder,
			// Never fires, because only the files' own editors write to them.
			onDidChangeFile: this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>()).event,
			stat: uri => this.stat(uri),
			readFile: async uri => new TextEncoder().encode(found(uri, await (keeper.opened?.(uri) ?? keeper.read(uri)))),
			writeFile: async (uri, content) => {
				found(uri, await keeper.read(uri));
				await keeper.write(uri, new TextDecoder().decode(content));
			},
		};
		this.store.add(vscode.workspace.registerFileSystemProvider(scheme, provider, { isCaseSensitive: true }));
		this.store.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				const key = document.uri.toString();
				if (document.uri.scheme === scheme && !this.timers.has(key)) {
					this.timers.set(
						key,
						setTimeout(() => this.keep(document), SAVE_MS),
					);
				}
			}),
		);
	}

	/** Saves one document after the other, because the editor reports an error for one of two concurrent saves. */
	async save(document: vscode.TextDocument): Promise<void> {
		await this.saves.run(async () => document.save());
	}

	private keep(document: vscode.TextDocument): void {
		this.timers.delete(document.uri.toString());
		if (document.isClosed) {
			return;
		}
		// If this fails, saving the document fails as well, which the editor reports.
		this.keeper.write(document.uri, document.getText()).catch(() => {});
		// Saving a text that changes on saving would disturb the user while typing. The text is kept in any case.
		if (document.isDirty && !changesTextOnSave(document)) {
			// The document was closed in the meantime; its text is kept already.
			this.save(document).catch(() => {});
		}
	}

	private async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		if (uri.path === '/') {
			return { type: vscode.FileType.Directory, ...TIMES, size: 0 };
		}
		const text = found(uri, await this.keeper.read(uri));
		return { type: vscode.FileType.File, ...TIMES, size: new TextEncoder().encode(text).length };
	}

	dispose(): void {
		for (const timer of this.timers.values()) {
			clearTimeout(timer);
		}
		this.store.dispose();
	}
}

function found(uri: vscode.Uri, text: string | undefined): string {
	if (text === undefined) {
		throw vscode.FileSystemError.FileNotFound(uri);
	}
	return text;
}
