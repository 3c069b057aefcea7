import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands, LOG_LANGUAGE, LOG_SCHEME } from '../../platform/ids.ts';
import { showMessage } from '../../platform/notify.ts';
import { encodeText, type FileSource } from '../common/readOnlyFiles.ts';
import { readTarget, uriOf } from '../common/taskUri.ts';
import { TEXT_COLUMN } from '../model/formatEntry.ts';
import { LogDecorations } from './logDecorations.ts';
import type { LogFollowers } from './logFollowers.ts';
import type { LogLine } from './logLine.ts';
import { LogLinks } from './logLinks.ts';
import { foldsOf, sectionsOf } from './logSections.ts';
import { type FoundLog, OpenLog } from './openLog.ts';

/**
 * The logs that are open as documents, which are files for the editor: their text, folds, outline, links and colours,
 * and the reader's position in them.
 */
export class LogDocuments implements FileSource, Disposable {
	private readonly logs: Pick<LogFollowers, 'reopen' | 'explain'>;
	private readonly scheme: string;
	private readonly disposables = new DisposableStore();
	private readonly open = new Map<string, OpenLog>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
	readonly onDidChange = this.changed.event;
	private readonly decorations = this.disposables.add(new LogDecorations());
	private readonly links = new LogLinks();
	/** The first line that each editor last showed, and whether it showed the end. */
	private readonly places = new WeakMap<vscode.TextEditor, { first: number; isAtEnd: boolean }>();
	/** The entry of a document that is to be shown as soon as it is there. */
	private sought: { uri: string; index: number } | undefined;

	constructor(logs: Pick<LogFollowers, 'reopen' | 'explain'>, scheme = LOG_SCHEME) {
		this.logs = logs;
		this.scheme = scheme;
		const selector = { scheme };
		const lines = (document: vscode.TextDocument) => this.linesOf(document);
		for (const registered of [
			vscode.languages.registerFoldingRangeProvider(selector, {
				provideFoldingRanges: document =>
					foldsOf(lines(document)).map(({ start, end }) => new vscode.FoldingRange(start, end)),
			}),
			vscode.languages.registerDocumentSymbolProvider(selector, {
				provideDocumentSymbols: document => symbolsOf(document, lines(document)),
			}),
			vscode.languages.registerDocumentLinkProvider(selector, {
				provideDocumentLinks: async (document, token) => [
					...saveLinks(lines(document)),
					...(await this.links.find(lines(document), token)),
				],
			}),
			vscode.workspace.onDidChangeTextDocument(event => this.documentChanged(event)),
			vscode.workspace.onDidCloseTextDocument(document => this.close(document.uri)),
			vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.scrolled(textEditor)),
			vscode.window.onDidChangeVisibleTextEditors(editors => this.editorsChanged(editors)),
		]) {
			this.disposables.add(registered);
		}
	}

	stat(uri: vscode.Uri): vscode.FileStat {
		return this.open.get(uri.toString())?.stat ?? { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0 };
	}

	async read(uri: vscode.Uri): Promise<Uint8Array> {
		const key = uri.toString();
		let log = this.open.get(key);
		if (!log) {
			log = this.add(uri);
			void log.read();
		}
		return encodeText(await log.text());
	}

	/** Opens the log of a followed task at its end, or at one of its entries, with the cursor on it. */
	async show(found: FoundLog, index?: number): Promise<void> {
		const uri = uriOf(this.scheme, found.source);
		const log = this.open.get(uri.toString()) ?? this.add(uri);
		log.attach(found);
		void log.read();
		const document = await inLogLanguage(await vscode.workspace.openTextDocument(uri));
		const editor = await vscode.window.showTextDocument(document, { preview: false, preserveFocus: false });
		this.revealEnd(editor);
		if (index !== undefined) {
			this.sought = { uri: uri.toString(), index };
			await this.seek(uri);
		}
	}

	/** Retries the logs that could not be read, because their service may answer now. */
	readAgain(): void {
		for (const log of this.open.values()) {
			log.readIfVisible();
		}
	}

	isVisible(connection: string, taskId: string): boolean {
		return vscode.window.visibleTextEditors.some(({ document: { uri } }) => {
			const target = this.open.get(uri.toString())?.found?.source.target;
			return target?.connection.name === connection && target.taskId === taskId;
		});
	}

	/** Returns the log of the document that a command was invoked for, or of the active editor. */
	active(argument: unknown): FoundLog | undefined {
		const uri = argument === undefined ? vscode.window.activeTextEditor?.document.uri : argument;
		return uri instanceof vscode.Uri ? this.open.get(uri.toString())?.found : undefined;
	}

	private add(uri: vscode.Uri): OpenLog {
		const named = readTarget(uri);
		const log = new OpenLog({
			find: async () => {
				if (!named) {
					throw new UserFacingError(
						vscode.l10n.t('This document doesn’t belong to a task. Open it from the Tasks view.'),
					);
				}
				return this.logs.reopen(named.connection, named.taskId);
			},
			explain: error => this.logs.explain(error, named?.taskId ?? ''),
			isVisible: () => editorsOf(uri).length > 0,
			onChange: () => this.changed.fire(uri),
		});
		this.open.set(uri.toString(), log);
		return log;
	}

	/** Returns the lines that a document shows already, because an edit may still be pending. */
	linesOf(document: vscode.TextDocument): LogLine[] {
		return (this.open.get(document.uri.toString())?.shown ?? []).slice(0, document.lineCount);
	}

	private documentChanged({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
		if (document.uri.scheme !== this.scheme) {
			return;
		}
		for (const editor of editorsOf(document.uri)) {
			const place = this.places.get(editor);
			if (place?.isAtEnd !== false) {
				this.revealEnd(editor);
			} else {
				this.stay(editor, place.first, contentChanges);
			}
			this.decorations.draw(editor, this.linesOf(document));
		}
		void this.seek(document.uri);
	}

	private editorsChanged(editors: readonly vscode.TextEditor[]): void {
		for (const editor of editors) {
			const { uri } = editor.document;
			if (uri.scheme === this.scheme) {
				void inLogLanguage(editor.document);
				this.decorations.draw(editor, this.linesOf(editor.document));
			}
		}
		for (const log of this.open.values()) {
			log.visibilityChanged();
		}
	}

	private scrolled(editor: vscode.TextEditor): void {
		const { document, visibleRanges } = editor;
		const first = visibleRanges[0]?.start.line;
		const last = visibleRanges.at(-1)?.end.line;
		if (document.uri.scheme !== this.scheme || first === undefined || last === undefined) {
			return;
		}
		const before = this.places.get(editor) ?? { first: 0, isAtEnd: true };
		// Only scrolling up leaves the end: new lines below do not scroll, and a smaller window shows less of the same
		// position.
		const isAtEnd = last >= document.lineCount - 2 || (before.isAtEnd && first >= before.first);
		this.places.set(editor, { first, isAtEnd });
		this.decorations.draw(editor, this.linesOf(document));
	}

	private revealEnd(editor: vscode.TextEditor): void {
		this.places.set(editor, { first: 0, isAtEnd: true });
		const end = new vscode.Position(editor.document.lineCount - 1, 0);
		editor.revealRange(new vscode.Range(end, end));
	}

	/** Keeps the first visible line in view, because the editor keeps its number when lines above it are dropped. */
	private stay(
		editor: vscode.TextEditor,
		before: number,
		changes: readonly vscode.TextDocumentContentChangeEvent[],
	): void {
		let first = before;
		for (const { range, text } of changes) {
			if (range.end.line <= before) {
				first += text.split('\n').length - 1 - (range.end.line - range.start.line);
			}
		}
		if (first !== before) {
			this.places.set(editor, { first, isAtEnd: false });
			editor.revealRange(new vscode.Range(first, 0, first, 0), vscode.TextEditorRevealType.AtTop);
		}
	}

	/** Reveals the entry that is sought, or tells the user that the document does not have it. */
	private async seek(uri: vscode.Uri): Promise<void> {
		const key = uri.toString();
		const [editor] = editorsOf(uri);
		if (this.sought?.uri !== key || !editor) {
			return;
		}
		const { index } = this.sought;
		const lines = this.linesOf(editor.document);
		const first = lines.find(line => line.index >= 0)?.index;
		const line = lines.findIndex(shown => shown.index === index);
		if (line >= 0) {
			this.sought = undefined;
			const at = new vscode.Position(line, 0);
			this.places.set(editor, { first: line, isAtEnd: false });
			editor.selection = new vscode.Selection(at, at);
			editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
		} else if (this.open.get(key)?.isRead && first !== undefined && first > index) {
			this.sought = undefined;
			const save = vscode.l10n.t('Export Log…');
			const message = vscode.l10n.t(
				'The document starts after entry {0}. Export the log to read all of it.',
				formatNumber(index),
			);
			if ((await showMessage('information', message, save)) === save) {
				await executeCommand(commands.saveTaskLog, uri);
			}
		}
	}

	private close(uri: vscode.Uri): void {
		const key = uri.toString();
		// A document whose language is being set is closed and opened again.
		if (!vscode.workspace.textDocuments.some(document => document.uri.toString() === key)) {
			this.open.get(key)?.dispose();
			this.open.delete(key);
		}
	}

	dispose(): void {
		for (const log of this.open.values()) {
			log.dispose();
		}
		this.open.clear();
		this.disposables.dispose();
	}
}

/** Sets the language whose defaults make the editor wrap lines under their text. */
async function inLogLanguage(document: vscode.TextDocument): Promise<vscode.TextDocument> {
	return document.languageId === LOG_LANGUAGE
		? document
		: vscode.languages.setTextDocumentLanguage(document, LOG_LANGUAGE);
}

function editorsOf(uri: vscode.Uri): vscode.TextEditor[] {
	const key = uri.toString();
	return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === key);
}

function symbolsOf(document: vscode.TextDocument, lines: readonly LogLine[]): vscode.DocumentSymbol[] {
	const range = (start: number, end: number) => new vscode.Range(start, 0, end, document.lineAt(end).text.length);
	return sectionsOf(lines).map(section => {
		const time = lines[section.start]?.text.slice(0, 8) ?? '';
		const symbol = new vscode.DocumentSymbol(
			section.step,
			time,
			vscode.SymbolKind.Event,
			range(section.start, section.end),
			range(section.start, section.start),
		);
		symbol.children = section.problems.map(({ start, end }) => {
			const text = lines[start]?.text ?? '';
			const name = text.slice(TEXT_COLUMN).trim() || section.step;
			return new vscode.DocumentSymbol(
				name.slice(0, 80).toWellFormed(),
				text.slice(0, 8),
				vscode.SymbolKind.Constant,
				range(start, end),
				range(start, start),
			);
		});
		return symbol;
	});
}

/** Makes the line with the number of left-out entries a link, which saves all of them. */
function saveLinks(lines: readonly LogLine[]): vscode.DocumentLink[] {
	const at = lines.findIndex(({ index }) => index >= 0) - 1;
	const line = lines[at];
	if (!line) {
		return [];
	}
	const link = new vscode.DocumentLink(
		new vscode.Range(at, 0, at, line.text.length),
		vscode.Uri.parse(`command:${commands.saveTaskLog}`),
	);
	link.tooltip = vscode.l10n.t('Export Log…');
	return [link];
}
