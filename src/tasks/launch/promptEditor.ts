import * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { DisposableOwner } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { internalCommands } from '../../platform/ids.ts';
import type { PromptFile } from './promptFile.ts';

/** A character that takes no room in its line. */
const ZERO_WIDTH = '\u200b';

/** The chat's message box, in which prompts of tasks are written. */
export interface TaskComposer {
	/**
	 * Shows the message box with the cursor in it, in the mode in which sending starts a task, and adds a text after a
	 * blank line. Resolves when the text is there, or will be once the message that is being sent has gone. Rejects
	 * with a sentence for the user.
	 */
	write(text: string): Promise<void>;
	/** Reports that a task was made from a prompt, which is then no longer a draft. */
	made(prompt: string): void;
}

export interface PromptEditorDependencies {
	file: PromptFile;
	composer: Pick<TaskComposer, 'write'>;
	explain(error: unknown): void;
}

/** The editor for longer prompts: opens it, and offers to start the task or to go back to the chat. */
export class PromptEditor extends DisposableOwner {
	private readonly dependencies: PromptEditorDependencies;
	private readonly file: PromptFile;
	/** The editor refuses an edit while another one is on its way. */
	private readonly queue = new SerialQueue();
	private readonly placeholder = this.disposables.add(vscode.window.createTextEditorDecorationType({}));

	constructor(dependencies: PromptEditorDependencies) {
		super();
		this.dependencies = dependencies;
		const { file } = dependencies;
		this.file = file;
		const draw = () => this.drawPlaceholder();
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(draw));
		this.disposables.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (file.isOf(document.uri)) {
					draw();
				}
			}),
		);
		this.disposables.add(
			vscode.languages.registerCodeLensProvider({ scheme: file.uri.scheme }, { provideCodeLenses: () => lenses() }),
		);
		draw();
	}

	/** Returns whether a document is the prompt. */
	isOf(uri: vscode.Uri): boolean {
		return this.file.isOf(uri);
	}

	get prompt(): string {
		return this.file.text.trim();
	}

	/**
	 * Shows the prompt with the cursor at its end. If it is visible already, the cursor stays where the user put it.
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
			putCursor(editor, endOf(editor.document));
		}
		return editor;
	}

	/** Shows the prompt with a text added to it. */
	add(text: string): Promise<void> {
		return this.queue.run(async () => {
			const editor = await this.open();
			const { document } = editor;
			const written = document.getText().trimEnd();
			const all = new vscode.Range(new vscode.Position(0, 0), endOf(document));
			if (!(await editor.edit(edit => edit.replace(all, written === '' ? text : `${written}\n\n${text}`)))) {
				throw new UserFacingError(vscode.l10n.t('The prompt was being edited, so nothing was added. Try again.'));
			}
			putCursor(editor, endOf(document));
		});
	}

	/** Moves the prompt to the chat. Errors are shown to the user. */
	async takeToChat(): Promise<void> {
		const { composer, explain } = this.dependencies;
		const { prompt } = this;
		try {
			await composer.write(prompt);
			await this.remove(prompt);
		} catch (error) {
			explain(error);
		}
	}

	/**
	 * Closes the editor and removes the prompt once a task was made from it, or once it was moved. A different prompt
	 * that was written meanwhile stays.
	 */
	async remove(prompt: string): Promise<void> {
		if (this.file.text.trim() !== prompt.trim()) {
			return;
		}
		const { document } = this.file;
		if (document) {
			if (!(await isEmptied(document))) {
				return;
			}
			await this.file.save(document);
			// Closing a document that has new text, or that could not be saved, would show a dialog.
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

	/**
	 * The editor draws its own hint on how to generate code in every empty document, whatever its scheme and language,
	 * unless something is drawn before or behind the first line. So this always draws something, even behind a text
	 * that may be deleted.
	 */
	private drawPlaceholder(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (this.file.isOf(editor.document.uri)) {
				const isEmpty = editor.document.getText() === '';
				const contentText = isEmpty
					? vscode.l10n.t('Describe what the task should do, for example: fix the flaky upload test')
					: ZERO_WIDTH;
				const color = new vscode.ThemeColor('editor.placeholder.foreground');
				editor.setDecorations(this.placeholder, [
					{ range: new vscode.Range(0, 0, 0, 0), renderOptions: { after: { contentText, color } } },
				]);
			}
		}
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

function endOf(document: vscode.TextDocument): vscode.Position {
	return document.lineAt(document.lineCount - 1).range.end;
}

function lenses(): vscode.CodeLens[] {
	const place = new vscode.Range(0, 0, 0, 0);
	return [
		new vscode.CodeLens(place, {
			command: internalCommands.startTaskFromPrompt,
			title: `$(play) ${vscode.l10n.t('Start Task…')}`,
			tooltip: vscode.l10n.t('Checks the repository first. Nothing is sent until you confirm'),
		}),
		new vscode.CodeLens(place, {
			command: internalCommands.takePromptToChat,
			title: `$(comment) ${vscode.l10n.t('Back to Chat')}`,
			tooltip: vscode.l10n.t('Moves this text to the chat, where you can start the task too'),
		}),
	];
}
