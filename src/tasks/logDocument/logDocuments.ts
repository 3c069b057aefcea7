import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Client } from '../../client/types.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { commands, LOG_LANGUAGE, LOG_SCHEME } from '../../platform/ids.ts';
import { followWords, logDocumentWords } from '../common/messages.ts';
import { createEntryFormatter, createStyledFormatter, type LogRecord, TEXT_COLUMN } from '../model/formatEntry.ts';
import { LogDecorations } from './logDecorations.ts';
import { LogDocument } from './logDocument.ts';
import { LogLinks } from './logLinks.ts';
import { foldsOf, sectionsOf } from './logSections.ts';
import { readTarget, uriOf } from './logUri.ts';
import { createLineFormatter, type LogLine, noteLine } from './logWindow.ts';
import { readEntries, readRange, saveLog } from './readEntries.ts';

/** The longest message that the document shows in full, in UTF-16 code units; the saved log has all of it. */
const MAXIMUM_MESSAGE = 10_000;

/** A followed log, as the source of a document. */
export interface LogSource {
	readonly target: { connection: { name: string }; taskId: string };
	/** The name for the document's title. */
	readonly name: string;
	readonly nextIndex: number;
	/** The last line that was written, where the log is no longer followed. The service does not know this line. */
	readonly lastLine: LogRecord | undefined;
	onRecord(listener: (record: LogRecord) => void): Disposable;
}

interface OpenLog {
	uri: vscode.Uri;
	client: Pick<Client, 'tasks'>;
	taskId: string;
	name: string;
	log: LogDocument;
	source: LogSource;
	heard: Disposable;
	/** The lines of the text that the editor got last. */
	shown: LogLine[];
}

/** A log to show, or a sentence that says why it is not available now. */
export type Reopened = { source: LogSource; client: Pick<Client, 'tasks'> } | { reason: string };

export interface LogDocumentsOptions {
	explain(error: unknown): void;
	/** Finds the log of a document that the editor still shows after a reload of the window. Never rejects. */
	reopen(connection: string, taskId: string): Promise<Reopened>;
}

/**
 * The logs that are open as documents: their text, folds, outline, links and colours, and the reader's position in
 * them.
 */
export class LogDocuments implements Disposable {
	private readonly options: LogDocumentsOptions;
	private readonly disposables = new DisposableStore();
	private readonly open = new Map<string, OpenLog>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
	private readonly decorations = this.disposables.add(new LogDecorations());
	private readonly links = new LogLinks();
	/** The content of documents whose logs are not available. */
	private readonly unopened = new Map<string, LogLine[]>();
	private readonly reopening = new Map<string, Promise<OpenLog | undefined>>();
	/** The first line that each editor last showed, and whether it was at the end. */
	private readonly places = new WeakMap<vscode.TextEditor, { first: number; isAtEnd: boolean }>();

	constructor(options: LogDocumentsOptions) {
		this.options = options;
		const selector = { scheme: LOG_SCHEME };
		const lines = (document: vscode.TextDocument) => this.linesOf(document);
		for (const registered of [
			vscode.workspace.registerTextDocumentContentProvider(LOG_SCHEME, {
				onDidChange: this.changed.event,
				provideTextDocumentContent: uri => this.text(uri),
			}),
			vscode.languages.registerFoldingRangeProvider(selector, {
				provideFoldingRanges: document =>
					foldsOf(lines(document)).map(({ start, end }) => new vscode.FoldingRange(start, end)),
			}),
			vscode.languages.registerDocumentSymbolProvider(selector, {
				provideDocumentSymbols: document => symbolsOf(document, lines(document)),
			}),
			vscode.languages.registerDocumentLinkProvider(selector, {
				provideDocumentLinks: async (document, token) => [
					...leadLinks(document, lines(document)),
					...(await this.links.find(document, token)),
				],
			}),
			vscode.workspace.onDidChangeTextDocument(({ document }) => this.documentChanged(document)),
			vscode.workspace.onDidCloseTextDocument(document => this.close(document.uri)),
			vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.scrolled(textEditor)),
			vscode.window.onDidChangeVisibleTextEditors(editors => this.editorsChanged(editors)),
		]) {
			this.disposables.add(registered);
		}
	}

	/** Opens the log of a followed task at its end. */
	async show(source: LogSource, client: Pick<Client, 'tasks'>): Promise<void> {
		const uri = uriOf(source);
		const key = uri.toString();
		let entry = this.open.get(key);
		if (!entry) {
			entry = this.create(uri, source, client);
			this.keep(entry);
			if (source.nextIndex > 0) {
				await entry.log.loadEarlier().catch(error => this.options.explain(error));
			}
			if (source.lastLine) {
				entry.log.accept(source.lastLine);
			}
		} else if (entry.source !== source) {
			entry.heard.dispose();
			entry.source = source;
			entry.heard = source.onRecord(record => entry?.log.accept(record));
		}
		const document = await openLog(uri);
		const editor = await vscode.window.showTextDocument(document, { preview: false, preserveFocus: false });
		this.revealEnd(editor);
	}

	/** Opens the log of a followed task at one of its entries, with the cursor on it. */
	async showEntry(source: LogSource, client: Pick<Client, 'tasks'>, index: number): Promise<void> {
		await this.show(source, client);
		const entry = this.open.get(uriOf(source).toString());
		if (!entry) {
			return;
		}
		const isShown = () => entry.shown.some(line => line.index === index);
		if (!isShown()) {
			await this.load(entry, () => entry.log.showEntry(index), index);
		}
		const line = entry.shown.findIndex(shown => shown.index === index);
		for (const editor of line < 0 ? [] : editorsOf(entry.uri)) {
			const at = new vscode.Position(line, 0);
			this.places.set(editor, { first: line, isAtEnd: false });
			entry.log.setReadingEnd(false);
			editor.selection = new vscode.Selection(at, at);
			editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
		}
	}

	/** Tries again to read the logs that were not available, because another connection may have them. */
	reopenAll(): void {
		for (const key of this.unopened.keys()) {
			this.changed.fire(vscode.Uri.parse(key));
		}
	}

	isVisible(connection: string, taskId: string): boolean {
		return vscode.window.visibleTextEditors.some(({ document: { uri } }) => {
			const target = uri.scheme === LOG_SCHEME ? this.open.get(uri.toString())?.source.target : undefined;
			return target?.connection.name === connection && target.taskId === taskId;
		});
	}

	/** Returns the log of the document that a command was invoked for, or of the active editor. */
	active(argument: unknown): OpenLog | undefined {
		const uri = argument === undefined ? vscode.window.activeTextEditor?.document.uri : argument;
		return uri instanceof vscode.Uri ? this.open.get(uri.toString()) : undefined;
	}

	async loadEarlier(argument: unknown): Promise<void> {
		const entry = this.active(argument);
		if (!entry) {
			this.reopenAll();
			return;
		}
		entry.log.setReadingEnd(false);
		const anchor = entry.log.lines().find(({ index }) => index >= 0)?.index;
		await this.load(entry, () => entry.log.loadEarlier(), anchor);
	}

	async loadLater(argument: unknown): Promise<void> {
		const entry = this.active(argument);
		if (!entry) {
			this.reopenAll();
			return;
		}
		const anchor = entry.log.lines().findLast(({ index }) => index >= 0)?.index;
		await this.load(entry, () => entry.log.loadLater(), anchor);
	}

	async showEnd(argument: unknown): Promise<void> {
		const entry = this.active(argument);
		if (!entry) {
			this.reopenAll();
			return;
		}
		for (const editor of editorsOf(entry.uri)) {
			this.places.set(editor, { first: 0, isAtEnd: true });
		}
		await entry.log.showEnd().catch(error => this.options.explain(error));
		for (const editor of editorsOf(entry.uri)) {
			this.revealEnd(editor);
		}
	}

	/** Asks for a file and writes the whole log into it, as read from the service. */
	async save(client: Pick<Client, 'tasks'>, taskId: string, name: string): Promise<void> {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
		const fileName = `${name.replace(/[^\p{L}\p{N}()_-]+/gu, ' ').trim()}.log`;
		const target = await vscode.window.showSaveDialog({
			title: vscode.l10n.t('Save Log'),
			...defined({ defaultUri: folder?.scheme === 'file' ? vscode.Uri.joinPath(folder, fileName) : undefined }),
			filters: { [vscode.l10n.t('Logs')]: ['log', 'txt'] },
		});
		if (target) {
			await this.saveTo(target, client, taskId);
		}
	}

	/** Writes the whole log into a file, with cancellable progress. */
	async saveTo(target: vscode.Uri, client: Pick<Client, 'tasks'>, taskId: string): Promise<void> {
		const controller = new AbortController();
		try {
			const count = await vscode.window.withProgress(
				{ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Saving the log…'), cancellable: true },
				(_progress, token) => {
					token.onCancellationRequested(() => controller.abort());
					const { signal } = controller;
					const records = readEntries({ client, taskId, from: 0, signal, missing: followWords.missing });
					return saveLog(records, target.fsPath, createEntryFormatter(followWords), signal);
				},
			);
			const open = vscode.l10n.t('Open File');
			const saved = vscode.l10n.t('The log is saved: {0} entries.', formatNumber(count));
			void vscode.window.showInformationMessage(saved, open).then(chosen => {
				if (chosen === open) {
					void vscode.window.showTextDocument(target);
				}
			});
		} catch (error) {
			if (!controller.signal.aborted) {
				this.options.explain(error);
			}
		}
	}

	private create(uri: vscode.Uri, source: LogSource, client: Pick<Client, 'tasks'>): OpenLog {
		const { taskId } = source.target;
		const words = logDocumentWords;
		const format = createStyledFormatter({ words: followWords, maximumMessage: MAXIMUM_MESSAGE, cut: words.cut });
		const log = new LogDocument(
			{
				format: createLineFormatter(format),
				words,
				read: (from, to) => readRange({ client, taskId, from, missing: followWords.missing }, to),
				onChange: () => this.logChanged(uri),
			},
			source.nextIndex,
		);
		const heard = source.onRecord(record => log.accept(record));
		return { uri, client, taskId, name: source.name, log, source, heard, shown: [] };
	}

	/** A document that is not visible is only updated when it becomes visible. */
	private logChanged(uri: vscode.Uri): void {
		if (editorsOf(uri).length > 0) {
			this.changed.fire(uri);
		}
	}

	private async text(uri: vscode.Uri): Promise<string> {
		const key = uri.toString();
		const entry = this.open.get(key) ?? (await this.reopen(uri));
		if (entry) {
			entry.shown = entry.log.lines();
		}
		const lines = entry?.shown ?? this.unopened.get(key) ?? [];
		return lines.map(({ text }) => text).join('\n');
	}

	private keep(entry: OpenLog): void {
		const key = entry.uri.toString();
		this.open.set(key, entry);
		this.unopened.delete(key);
	}

	/** Reopens the log of a document that the editor has restored. */
	private reopen(uri: vscode.Uri): Promise<OpenLog | undefined> {
		const key = uri.toString();
		const under = this.reopening.get(key) ?? this.readAgain(uri).finally(() => this.reopening.delete(key));
		this.reopening.set(key, under);
		return under;
	}

	private async readAgain(uri: vscode.Uri): Promise<OpenLog | undefined> {
		const key = uri.toString();
		const named = readTarget(uri);
		const found = named
			? await this.options.reopen(named.connection, named.taskId)
			: { reason: vscode.l10n.t('This document names no log of a task. Open the log from the Tasks view.') };
		if ('reason' in found) {
			this.unopened.set(key, noteLines(found.reason, named ? logDocumentWords.again : undefined));
			return undefined;
		}
		const before = this.open.get(key);
		if (before) {
			return before;
		}
		const entry = this.create(uri, found.source, found.client);
		this.keep(entry);
		// Entries that have not arrived yet come by themselves.
		await entry.log.loadEarlier().catch(error => this.options.explain(error));
		if (found.source.lastLine) {
			entry.log.accept(found.source.lastLine);
		}
		return entry;
	}

	/** Returns the lines of a document as far as it shows them, because an edit may still be pending. */
	private linesOf(document: vscode.TextDocument): LogLine[] {
		const key = document.uri.toString();
		const shown = this.open.get(key)?.shown ?? this.unopened.get(key) ?? [];
		return shown.slice(0, document.lineCount);
	}

	private documentChanged(document: vscode.TextDocument): void {
		if (document.uri.scheme !== LOG_SCHEME) {
			return;
		}
		for (const editor of editorsOf(document.uri)) {
			if (this.places.get(editor)?.isAtEnd !== false) {
				this.revealEnd(editor);
			}
			this.decorations.draw(editor, this.linesOf(document));
		}
	}

	private editorsChanged(editors: readonly vscode.TextEditor[]): void {
		for (const editor of editors) {
			const { uri } = editor.document;
			if (uri.scheme === LOG_SCHEME) {
				void inLogLanguage(editor.document);
				this.changed.fire(uri);
				this.decorations.draw(editor, this.linesOf(editor.document));
			}
		}
	}

	private scrolled(editor: vscode.TextEditor): void {
		const { document, visibleRanges } = editor;
		const first = visibleRanges[0]?.start.line;
		const last = visibleRanges.at(-1)?.end.line;
		if (document.uri.scheme !== LOG_SCHEME || first === undefined || last === undefined) {
			return;
		}
		const before = this.places.get(editor) ?? { first: 0, isAtEnd: true };
		// Only scrolling up leaves the end: new lines below do not scroll, and a smaller window shows less of the same
		// position.
		const isAtEnd = last >= document.lineCount - 2 || (before.isAtEnd && first >= before.first);
		this.places.set(editor, { first, isAtEnd });
		this.open.get(document.uri.toString())?.log.setReadingEnd(isAtEnd);
		this.decorations.draw(editor, this.linesOf(document));
	}

	private revealEnd(editor: vscode.TextEditor): void {
		this.places.set(editor, { first: 0, isAtEnd: true });
		const end = new vscode.Position(editor.document.lineCount - 1, 0);
		editor.revealRange(new vscode.Range(end, end));
	}

	/** Loads entries and then reveals the entry at which the reader was. */
	private async load(entry: OpenLog, run: () => Promise<void>, anchor: number | undefined): Promise<void> {
		const editors = editorsOf(entry.uri);
		for (const editor of editors) {
			this.places.set(editor, { first: 0, isAtEnd: false });
		}
		try {
			const written = editors.length === 0 ? Promise.resolve() : this.nextChange(entry.uri);
			await run();
			await written;
		} catch (error) {
			this.options.explain(error);
			return;
		}
		const line = entry.shown.findIndex(({ index }) => index === anchor);
		for (const editor of line < 0 ? [] : editors) {
			const at = new vscode.Position(line, 0);
			editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
		}
	}

	private nextChange(uri: vscode.Uri): Promise<void> {
		return new Promise(resolve => {
			const timer = setTimeout(done, 2000);
			const listener = vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (document.uri.toString() === uri.toString()) {
					done();
				}
			});
			function done() {
				clearTimeout(timer);
				listener.dispose();
				resolve();
			}
		});
	}

	private close(uri: vscode.Uri): void {
		const key = uri.toString();
		// A document whose language is being set is closed and opened again.
		if (vscode.workspace.textDocuments.some(document => document.uri.toString() === key)) {
			return;
		}
		this.forget(key);
	}

	private forget(key: string): void {
		this.unopened.delete(key);
		const entry = this.open.get(key);
		entry?.heard.dispose();
		entry?.log.dispose();
		this.open.delete(key);
	}

	dispose(): void {
		for (const key of [...this.open.keys()]) {
			this.forget(key);
		}
		this.disposables.dispose();
	}
}

/** Opens the log in the language whose defaults make the editor wrap lines under their text. */
async function openLog(uri: vscode.Uri): Promise<vscode.TextDocument> {
	return inLogLanguage(await vscode.workspace.openTextDocument(uri));
}

async function inLogLanguage(document: vscode.TextDocument): Promise<vscode.TextDocument> {
	return document.languageId === LOG_LANGUAGE
		? document
		: vscode.languages.setTextDocumentLanguage(document, LOG_LANGUAGE);
}

function editorsOf(uri: vscode.Uri): vscode.TextEditor[] {
	const key = uri.toString();
	return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === key);
}

/** The lines shown in place of a log: the reason, and a line that tries again. */
function noteLines(reason: string, again: string | undefined): LogLine[] {
	return [noteLine(reason, 0), ...(again === undefined ? [] : [noteLine(again, -1)])];
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

/** Makes links of the lines for omitted entries, which load them. */
function leadLinks(document: vscode.TextDocument, lines: readonly LogLine[]): vscode.DocumentLink[] {
	return lines.flatMap((line, at) => {
		if (line.index >= 0) {
			return [];
		}
		const command = at === 0 ? commands.loadEarlierLog : commands.loadLaterLog;
		const target = vscode.Uri.parse(`command:${command}`);
		return [new vscode.DocumentLink(new vscode.Range(at, 0, at, document.lineAt(at).text.length), target)];
	});
}
