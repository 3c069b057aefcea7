import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { changesTextOnSave } from '../../platform/settings.ts';
import { PromptDraft } from './promptDraft.ts';

/** How often the draft is saved while the user types, in milliseconds. */
const SAVE_MS = 400;

/**
 * The times never change: after a reload the editor restores the unsaved document of the previous window, and would
 * refuse to save it over a file that is newer.
 */
const TIMES = { ctime: 0, mtime: 0 };

/**
 * The prompt that is being written, as a file of a custom file system. It is kept in the workspace's state at every
 * change, survives closing, errors and reloads of the window, and never asks where to be saved.
 */
export class PromptFile implements vscode.FileSystemProvider, Disposable {
	/** The only document of the scheme. Its name is the title of the tab. */
	readonly uri: vscode.Uri;
	/** The stored form of the prompt. */
	readonly draft: PromptDraft;
	private readonly onRead: () => void;
	private readonly store = new DisposableStore();
	/** Never fires, because only the file's own editor writes to it. */
	readonly onDidChangeFile = this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>()).event;
	private readonly saves = new SerialQueue();
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** `onRead` is called when the document is opened, including by the window itself after a reload. */
	constructor(scheme: string, workspaceState: vscode.Memento, onRead: () => void) {
		this.uri = vscode.Uri.from({ scheme, path: '/Task Prompt.md' });
		this.draft = new PromptDraft(workspaceState);
		this.onRead = onRead;
		this.store.add(vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true }));
		this.store.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (this.isOf(document.uri)) {
					this.timer ??= setTimeout(() => this.keep(document), SAVE_MS);
				}
			}),
		);
	}

	/** The editor keeps the document for minutes after its tab was closed. */
	get document(): vscode.TextDocument | undefined {
		return vscode.workspace.textDocuments.find(({ uri }) => this.isOf(uri));
	}

	/** The prompt as it is in its editor, or as it was stored. */
	get text(): string {
		return this.document?.getText() ?? this.draft.text;
	}

	isOf(uri: vscode.Uri): boolean {
		return uri.scheme === this.uri.scheme;
	}

	/** Saves one after the other, because the editor reports that one of two concurrent saves has failed. */
	async save(document: vscode.TextDocument): Promise<void> {
		await this.saves.run(async () => document.save());
	}

	private keep(document: vscode.TextDocument): void {
		this.timer = undefined;
		if (document.isClosed) {
			return;
		}
		// Where this fails, saving the document fails as well, which the editor reports.
		this.draft.write(document.getText()).catch(() => {});
		// A text that changes on saving would disturb the user while typing. The draft is stored in any case.
		if (document.isDirty && !changesTextOnSave(document)) {
			// The document was closed in the meantime; its text is stored already.
			this.save(document).catch(() => {});
		}
	}

	stat(uri: vscode.Uri): vscode.FileStat {
		if (uri.path === '/') {
			return { type: vscode.FileType.Directory, ...TIMES, size: 0 };
		}
		this.check(uri);
		const size = new TextEncoder().encode(this.draft.text).length;
		return { type: vscode.FileType.File, ...TIMES, size };
	}

	readFile(uri: vscode.Uri): Uint8Array {
		this.check(uri);
		this.onRead();
		return new TextEncoder().encode(this.draft.read());
	}

	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		this.check(uri);
		await this.draft.write(new TextDecoder().decode(content));
	}

	readDirectory(): [string, vscode.FileType][] {
		return [[this.uri.path.slice(1), vscode.FileType.File]];
	}

	watch(): Disposable {
		return { dispose() {} };
	}

	createDirectory(uri: vscode.Uri): void {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	delete(uri: vscode.Uri): void {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	rename(uri: vscode.Uri): void {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	private check(uri: vscode.Uri): void {
		if (uri.path !== this.uri.path) {
			throw vscode.FileSystemError.FileNotFound(uri);
		}
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.store.dispose();
	}
}
