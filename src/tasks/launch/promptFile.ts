import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import type { Disposable } from '../../base/disposable.ts';
import { DraftFileSystem } from '../common/draftFileSystem.ts';
import { DRAFT_KEY, DRAFT_PLACE_KEY } from '../model/storageKeys.ts';
import type { WishedPlace } from './pickSubject.ts';

/**
 * The prompt that was written but not sent yet, in the workspace's state. If several windows write it, the last one
 * wins.
 */
export class PromptDraft {
	private readonly state: vscode.Memento;
	private readonly writes = new SerialQueue();
	/** The text that this window read or wrote last. */
	private known: string | undefined;

	constructor(state: vscode.Memento) {
		this.state = state;
	}

	get text(): string {
		const draft = this.state.get<unknown>(DRAFT_KEY);
		return typeof draft === 'string' ? draft : '';
	}

	/** The chosen place of the next task. */
	get place(): WishedPlace {
		return this.state.get<WishedPlace>(DRAFT_PLACE_KEY) ?? {};
	}

	/** Returns the draft for the editor that shows it. */
	read(): string {
		this.known = this.text;
		return this.known;
	}

	write(text: string): Promise<void> {
		return this.writes.run(async () => {
			// Clearing the text here must not remove what another window has written meanwhile.
			if (text !== '' || this.text === this.known) {
				await this.state.update(DRAFT_KEY, text === '' ? undefined : text);
				this.known = text;
			}
		});
	}

	async writePlace({ repository, branch }: WishedPlace): Promise<void> {
		const isEmpty = repository === undefined && branch === undefined;
		await this.state.update(DRAFT_PLACE_KEY, isEmpty ? undefined : { repository, branch });
	}

	/** Removes the draft `prompt`. A different draft that another window has written meanwhile stays. */
	forget(prompt: string): Promise<void> {
		return this.writes.run(async () => {
			if (this.text.trim() === prompt.trim()) {
				await this.state.update(DRAFT_KEY, undefined);
			}
		});
	}
}

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
