import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { internalCommands } from '../../platform/ids.ts';
import type { LaunchWish } from './pickSubject.ts';
import type { PromptPlace } from './promptDraft.ts';
import type { PromptFile } from './promptFile.ts';

/** The editor in which a prompt is written: opens it, reads its text and offers to start the task. */
export class PromptEditor implements Disposable {
	private readonly file: PromptFile;
	/** The editor refuses an edit while another one is on its way. */
	private readonly queue = new SerialQueue();
	private readonly store = new DisposableStore();
	private readonly placeholder = this.store.add(
		vscode.window.createTextEditorDecorationType({
			after: {
				contentText: vscode.l10n.t('What the task should do, for example: fix the flaky upload test'),
				color: new vscode.ThemeColor('editor.placeholder.foreground'),
			},
		}),
	);

	constructor(file: PromptFile) {
		this.file = file;
		const draw = () => this.drawPlaceholder();
		this.store.add(vscode.window.onDidChangeVisibleTextEditors(draw));
		this.store.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (file.isOf(document.uri)) {
					draw();
				}
			}),
		);
		this.store.add(
			vscode.languages.registerCodeLensProvider(
				{ scheme: file.uri.scheme },
				{ provideCodeLenses: () => [startLens()] },
			),
		);
		draw();
	}

	/** Whether a document is the prompt. */
	isOf(uri: vscode.Uri): boolean {
		return this.file.isOf(uri);
	}

	get wish(): LaunchWish {
		const { text, draft } = this.file;
		return { prompt: text.trim(), repository: draft.place.repository, branch: draft.place.branch };
	}

	/**
	 * Shows the prompt with the cursor at its end. Where it is visible already, the cursor stays where the user put it.
	 */
	async open(): Promise<vscode.TextEditor> {
		const shown = vscode.window.visibleTextEditors.find(({ document }) => this.file.isOf(document.uri));
		const document = shown?.document ?? (await vscode.workspace.openTextDocument(this.file.uri));
		const viewColumn = shown?.viewColumn;
		const editor = await vscode.window.showTextDocument(document, {
			preview: false,
			...defined({ viewColumn }),
		});
		if (!shown) {
			putCursor(editor, editor.document.lineAt(editor.document.lineCount - 1).range.end);
		}
		return editor;
	}

	/**
	 * Adds to what is written already, with the cursor at the offset `cursor` of the text. Nothing is ever lost: `replace`
	 * can be undone in the editor.
	 */
	async propose(text: string, how: 'add' | 'replace', place: PromptPlace = {}, cursor = text.length): Promise<void> {
		return this.queue.run(() => this.proposeNow(text, how, place, cursor));
	}

	private async proposeNow(text: string, how: 'add' | 'replace', place: PromptPlace, cursor: number): Promise<void> {
		const editor = await this.open();
		const { document } = editor;
		const written = document.getText();
		const isReplaced = how === 'replace' || written.trim() === '';
		const all = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
		const before = isReplaced ? '' : `${written.trimEnd()}\n\n`;
		if (!(await editor.edit(edit => edit.replace(all, before + text)))) {
			throw new UserFacingError(vscode.l10n.t('The prompt was being changed, so nothing was added to it. Try again.'));
		}
		// The document may have other line ends than the text.
		const lines = (before + text.slice(0, cursor)).split(/\r\n|\r|\n/);
		putCursor(editor, new vscode.Position(lines.length - 1, lines.at(-1)?.length ?? 0));
		if (isReplaced || place.repository !== undefined || place.branch !== undefined) {
			await this.file.draft.writePlace(place);
		}
	}

	/**
	 * Closes the editor and removes the draft once a task was made from it. A different prompt that was written meanwhile
	 * stays.
	 */
	async sent(prompt: string): Promise<void> {
		if (this.file.text.trim() !== prompt.trim()) {
			return;
		}
		const { document } = this.file;
		if (document) {
			if (!(await isEmptied(document))) {
				return;
			}
			await this.file.save(document);
			// Closing a document that has new text, or could not be saved, would show a dialog.
			if (document.isDirty) {
				return;
			}
		}
		const tabs = vscode.window.tabGroups.all
			.flatMap(group => group.tabs)
			.filter(({ input }) => input instanceof vscode.TabInputText && this.file.isOf(input.uri));
		await vscode.window.tabGroups.close(tabs);
		await this.file.draft.forget(prompt);
	}

	private drawPlaceholder(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (this.file.isOf(editor.document.uri)) {
				const isEmpty = editor.document.getText() === '';
				editor.setDecorations(this.placeholder, isEmpty ? [new vscode.Range(0, 0, 0, 0)] : []);
			}
		}
	}

	dispose(): void {
		this.store.dispose();
	}
}

/**
 * Empties the document, unless the user is typing in it. Closing it would not be enough: the editor keeps a closed
 * document for minutes and would show the old prompt for the next task.
 */
async function isEmptied(document: vscode.TextDocument): Promise<boolean> {
	const edit = new vscode.WorkspaceEdit();
	edit.delete(document.uri, new vscode.Range(0, 0, document.lineCount, 0));
	return vscode.workspace.applyEdit(edit);
}

function putCursor(editor: vscode.TextEditor, place: vscode.Position): void {
	editor.selection = new vscode.Selection(place, place);
	editor.revealRange(editor.selection);
}

function startLens(): vscode.CodeLens {
	return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
		command: internalCommands.startTaskFromPrompt,
		title: `$(play) ${vscode.l10n.t('Start Task…')}`,
		tooltip: vscode.l10n.t('Shows what the task will meet; nothing is sent before you say so'),
	});
}
