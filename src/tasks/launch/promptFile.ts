import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { changesTextOnSave } from '../../platform/settings.ts';
import { PromptDraft } from './promptDraft.ts';

/** How often the draft is written down while it is typed, in milliseconds. */
const SAVE_MS = 400;

/**
 * The same in every window and at all times: what the editor brings back unsaved after a reload is of the window before, and
 * it refuses to save that over a file that is newer.
 */
const TIMES = { ctime: 0, mtime: 0 };

/**
 * The prompt that is being written, as a file of a file system of our own: it is kept in the workspace's state at every
 * change, through closing, failure and a reload of the window, and never asks to be saved somewhere.
 */
export class PromptFile implements vscode.FileSystemProvider, Disposable {
	/** The only document of the scheme; its name is what the tab shows. */
	readonly uri: vscode.Uri;
	/** What is kept of it. */
	readonly draft: PromptDraft;
	private readonly onRead: () => void;
	private readonly store = new DisposableStore();
	/** Never: nobody writes to it but its editor. */
	readonly onDidChangeFile = this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>()).event;
	private readonly saves = new SerialQueue();
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** `onRead`: somebody opens the document; also the window itself, after a reload. */
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

	/** The editor holds it for minutes after its tab was closed. */
	get document(): vscode.TextDocument | undefined {
		return vscode.workspace.textDocuments.find(({ uri }) => this.isOf(uri));
	}

	/** The prompt as it stands in its editor, or as it was kept. */
	get text(): string {
		return this.document?.getText() ?? this.draft.text;
	}

	isOf(uri: vscode.Uri): boolean {
		return uri.scheme === this.uri.scheme;
	}

	/** One after the other: of two at once the editor says that one has failed. */
	async save(document: vscode.TextDocument): Promise<void> {
		await this.saves.run(async () => document.save());
	}

	private keep(document: vscode.TextDocument): void {
		this.timer = undefined;
		if (document.isClosed) {
			return;
		}
		// Where that fails, saving the document does as well, which the editor says.
		this.draft.write(document.getText()).catch(() => {});
		// A text that changes under the hands would disturb whoever types; the draft is kept all the same.
		if (document.isDirty && !changesTextOnSave(document)) {
			// Closed before its turn: what stood there is kept already.
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
