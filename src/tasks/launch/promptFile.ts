import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { DraftFileSystem } from '../common/draftFileSystem.ts';
import { PromptDraft } from './promptDraft.ts';

/** The prompt that is being written, as a file kept in the workspace's state. */
export class PromptFile implements Disposable {
	/** The only document of the scheme. Its name is the title of the tab, in the editor's language. */
	readonly uri: vscode.Uri;
	/** The stored form of the prompt. */
	readonly draft: PromptDraft;
	private readonly texts: DraftFileSystem;

	/** `onRead` is called when the document is opened, including by the window itself after a reload. */
	constructor(scheme: string, workspaceState: vscode.Memento, onRead: () => void) {
		this.uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('Task Prompt')}.md` });
		const draft = new PromptDraft(workspaceState);
		this.draft = draft;
		const isThere = ({ path }: vscode.Uri) => path === this.uri.path;
		this.texts = new DraftFileSystem(scheme, {
			read: uri => (isThere(uri) ? draft.text : undefined),
			opened: uri => {
				if (!isThere(uri)) {
					return undefined;
				}
				onRead();
				return draft.read();
			},
			write: (_, text) => draft.write(text),
		});
	}

	/** The editor keeps the document for minutes after its tab was closed. */
	get document(): vscode.TextDocument | undefined {
		return vscode.workspace.textDocuments.find(({ uri }) => this.isOf(uri));
	}

	/** The prompt as it is in its editor or, if that is closed, as it was stored. */
	get text(): string {
		return this.document?.getText() ?? this.draft.text;
	}

	isOf(uri: vscode.Uri): boolean {
		return uri.scheme === this.uri.scheme;
	}

	/** Saves the document after any save that is in progress. */
	save(document: vscode.TextDocument): Promise<void> {
		return this.texts.save(document);
	}

	dispose(): void {
		this.texts.dispose();
	}
}
