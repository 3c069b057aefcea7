import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { commands, PROMPT_SCHEME } from '../../platform/ids.ts';
import type { PromptPlace } from './promptDraft.ts';
import { PROMPT_URI, type PromptFile } from './promptFile.ts';
import type { LaunchWish } from './startTask.ts';

/** The editor that a prompt is written in: opens it, tells what stands in it, and shows the way on. */
export class PromptEditor implements Disposable {
	private readonly file: PromptFile;
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
				if (document.uri.scheme === PROMPT_SCHEME) {
					draw();
				}
			}),
		);
		this.store.add(
			vscode.languages.registerCodeLensProvider({ scheme: PROMPT_SCHEME }, { provideCodeLenses: () => [startLens()] }),
		);
		draw();
	}

	/** The prompt is in the editor in front. */
	get isInFront(): boolean {
		return vscode.window.activeTextEditor?.document.uri.scheme === PROMPT_SCHEME;
	}

	get wish(): LaunchWish {
		const { text, draft } = this.file;
		return { prompt: text.trim(), repository: draft.place.repository, branch: draft.place.branch };
	}

	/** Shows the prompt, with the cursor at its end; where it is shown already, the cursor stays where the user put it. */
	async open(): Promise<vscode.TextEditor> {
		const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === PROMPT_SCHEME);
		const document = shown?.document ?? (await vscode.workspace.openTextDocument(PROMPT_URI));
		const viewColumn = shown?.viewColumn;
		const editor = await vscode.window.showTextDocument(document, {
			preview: false,
			...(viewColumn === undefined ? {} : { viewColumn }),
		});
		if (!shown) {
			toEnd(editor);
		}
		return editor;
	}

	/** Adds to what is written already, which is never lost: `replace` can be undone in the editor. */
	async propose(text: string, how: 'add' | 'replace', place: PromptPlace = {}): Promise<void> {
		const editor = await this.open();
		const { document } = editor;
		const written = document.getText();
		const isReplaced = how === 'replace' || written.trim() === '';
		const all = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
		const next = isReplaced ? text : `${written.trimEnd()}\n\n${text}`;
		await editor.edit(edit => edit.replace(all, next));
		toEnd(editor);
		if (isReplaced || place.repository !== undefined || place.branch !== undefined) {
			await this.file.draft.writePlace(place);
		}
	}

	/** Closes the editor and forgets the draft, once a task was made of it; another one that was written meanwhile stays. */
	async sent(prompt: string): Promise<void> {
		if (this.file.text.trim() !== prompt.trim()) {
			return;
		}
		const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === PROMPT_SCHEME);
		if (open?.isDirty) {
			await open.save();
		}
		const tabs = vscode.window.tabGroups.all
			.flatMap(group => group.tabs)
			.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === PROMPT_SCHEME);
		await vscode.window.tabGroups.close(tabs);
		await this.file.forget(prompt);
	}

	private drawPlaceholder(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (editor.document.uri.scheme === PROMPT_SCHEME) {
				const isEmpty = editor.document.getText() === '';
				editor.setDecorations(this.placeholder, isEmpty ? [new vscode.Range(0, 0, 0, 0)] : []);
			}
		}
	}

	dispose(): void {
		this.store.dispose();
	}
}

function toEnd(editor: vscode.TextEditor): void {
	const { end } = editor.document.lineAt(editor.document.lineCount - 1).range;
	editor.selection = new vscode.Selection(end, end);
	editor.revealRange(editor.selection);
}

function startLens(): vscode.CodeLens {
	return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
		command: commands.startTaskFromPrompt,
		title: `$(play) ${vscode.l10n.t('Start Task…')}`,
		tooltip: vscode.l10n.t('Shows what the task will meet; nothing is sent before you say so'),
	});
}
