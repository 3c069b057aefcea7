import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { PROMPT_SCHEME } from '../../platform/ids.ts';
import { changesTextOnSave } from '../../platform/settings.ts';
import { PromptDraft } from './promptDraft.ts';

/** The only document of the scheme; its name is what the tab shows. */
export const PROMPT_URI = vscode.Uri.from({ scheme: PROMPT_SCHEME, path: '/Task Prompt.md' });

/** How often the draft is written down while it is typed, in milliseconds. */
const SAVE_MS = 400;

/**
 * The prompt that is being written, as a file of a file system of our own: it is kept in the workspace's state at every
 * change, through closing, failure and a reload of the window, and never asks to be saved somewhere.
 */
export class PromptFile implements vscode.FileSystemProvider, Disposable {
	/** What is kept of it. */
	readonly draft: PromptDraft;
	private readonly onRead: () => void;
	private readonly store = new DisposableStore();
	private readonly changed = this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
	readonly onDidChangeFile = this.changed.event;
	private readonly createdAt = Date.now();
	private modifiedAt = Date.now();
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** `onRead`: somebody opens the document; also the window itself, after a reload. */
	constructor(workspaceState: vscode.Memento, onRead: () => void) {
		this.draft = new PromptDraft(workspaceState);
		this.onRead = onRead;
		this.store.add(vscode.workspace.registerFileSystemProvider(PROMPT_SCHEME, this, { isCaseSensitive: true }));
		this.store.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (document.uri.scheme === PROMPT_SCHEME) {
					this.timer ??= setTimeout(() => this.keep(document), SAVE_MS);
				}
			}),
		);
	}

	/** The prompt as it stands in its editor, or as it was kept. */
	get text(): string {
		const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === PROMPT_SCHEME);
		return open?.getText() ?? this.draft.text;
	}

	/** Forgets the draft, of which a task was made. Only while its editor is closed. */
	async forget(prompt: string): Promise<void> {
		await this.draft.forget(prompt);
		this.modifiedAt = Math.max(Date.now(), this.modifiedAt + 1);
		this.changed.fire([{ type: vscode.FileChangeType.Changed, uri: PROMPT_URI }]);
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
			void document.save();
		}
	}

	stat(uri: vscode.Uri): vscode.FileStat {
		if (uri.path === '/') {
			return { type: vscode.FileType.Directory, ctime: this.createdAt, mtime: this.createdAt, size: 0 };
		}
		this.check(uri);
		const size = new TextEncoder().encode(this.draft.text).length;
		return { type: vscode.FileType.File, ctime: this.createdAt, mtime: this.modifiedAt, size };
	}

	readFile(uri: vscode.Uri): Uint8Array {
		this.check(uri);
		this.onRead();
		return new TextEncoder().encode(this.draft.text);
	}

	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		this.check(uri);
		await this.draft.write(new TextDecoder().decode(content));
		this.modifiedAt = Math.max(Date.now(), this.modifiedAt + 1);
	}

	readDirectory(): [string, vscode.FileType][] {
		return [[PROMPT_URI.path.slice(1), vscode.FileType.File]];
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
		if (uri.path !== PROMPT_URI.path) {
			throw vscode.FileSystemError.FileNotFound(uri);
		}
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.store.dispose();
	}
}
