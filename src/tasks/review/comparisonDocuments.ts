import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import { executeCommand } from '../../platform/commands.ts';
import { COMPARE_SCHEME, commands, internalCommands } from '../../platform/ids.ts';
import { choose } from '../../platform/pick.ts';
import { versionUri } from '../changes/fileUris.ts';
import type { ResultChanges } from '../changes/taskChanges.ts';
import { type ChangedFile, hasOtherMode } from '../model/changedFile.ts';
import type { ComparedFile, ComparedHunk, ComparedState } from '../model/compareResults.ts';
import {
	type CompareAction,
	type CompareColumn,
	type CompareMark,
	type CompareText,
	type CompareWords,
	compareText,
} from '../model/compareText.ts';

/** The most files in one view of differences: the editor makes a part of the view for each. */
const MAXIMUM_DIFFS = 200;

const MAXIMUM_PATH = 120;

/** What a document shows. Everything has the order of the results. */
export interface ResultComparison {
	title: string;
	results: readonly ResultChanges[];
	columns: readonly CompareColumn[];
	files: readonly ComparedFile[];
	hunks: ReadonlyMap<string, readonly ComparedHunk[]>;
}

interface Open {
	comparison: ResultComparison;
	text: CompareText;
}

interface ActionLink extends vscode.DocumentLink {
	action: CompareAction;
}

/** What a link or a lens of a comparison asks for. */
type Request = CompareAction | { kind: 'differences'; first: number; second: number } | { kind: 'choose' };

/** Comparisons as documents: their text, colours and folds, and what can be done from them. */
export class ComparisonDocuments implements Disposable {
	private readonly explain: (error: unknown) => void;
	private readonly disposables = new DisposableStore();
	private readonly open = new Map<string, Open>();
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
	private readonly decorations = new Map<CompareMark['kind'], vscode.TextEditorDecorationType>();

	constructor(explain: (error: unknown) => void) {
		this.explain = explain;
		const selector = { scheme: COMPARE_SCHEME };
		const textOf = ({ uri }: vscode.TextDocument) => this.open.get(uri.toString())?.text;
		for (const registered of [
			vscode.workspace.registerTextDocumentContentProvider(COMPARE_SCHEME, {
				onDidChange: this.changed.event,
				provideTextDocumentContent: uri => this.open.get(uri.toString())?.text.lines.join('\n') ?? '',
			}),
			vscode.languages.registerFoldingRangeProvider(selector, {
				provideFoldingRanges: document =>
					(textOf(document)?.folds ?? []).map(({ start, end }) => new vscode.FoldingRange(start, end)),
			}),
			// The target is made when a link is followed, as a long comparison has thousands of them.
			vscode.languages.registerDocumentLinkProvider(selector, {
				provideDocumentLinks: document => (textOf(document)?.links ?? []).map(linkOf),
				resolveDocumentLink: link => {
					link.target = vscode.Uri.from({
						scheme: 'command',
						path: internalCommands.followComparison,
						query: JSON.stringify([(link as ActionLink).action]),
					});
					return link;
				},
			}),
			vscode.languages.registerCodeLensProvider(selector, {
				provideCodeLenses: ({ uri }) => lensesOf(uri, this.open.get(uri.toString())?.comparison),
			}),
			vscode.workspace.onDidCloseTextDocument(({ uri }) => this.open.delete(uri.toString())),
			vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
			vscode.workspace.onDidChangeTextDocument(() => this.draw()),
		]) {
			this.disposables.add(registered);
		}
	}

	async show(comparison: ResultComparison): Promise<void> {
		const { title, results, columns, files, hunks } = comparison;
		const uri = vscode.Uri.from({
			scheme: COMPARE_SCHEME,
			path: `/${vscode.l10n.t('Compare: {0}', title).replaceAll(/[\\/]/g, '∕')}`,
			query: JSON.stringify(results.map(({ result }) => result.key)),
		});
		this.open.set(uri.toString(), { comparison, text: compareText(columns, files, hunks, compareWords()) });
		this.changed.fire(uri);
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document, { preview: false });
		this.draw();
	}

	/** Returns the comparison of the document that a command was invoked for, or of the active editor. */
	active(argument: unknown): ResultComparison | undefined {
		const isOther = argument !== undefined && !(argument instanceof vscode.Uri);
		const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
		return isOther || !uri ? undefined : this.open.get(uri.toString())?.comparison;
	}

	/** Does what a link or a lens of the active comparison asks for. */
	async follow(argument: unknown): Promise<void> {
		const uri = vscode.window.activeTextEditor?.document.uri.toString() ?? '';
		const open = this.open.get(uri);
		const request = argument as Request | undefined;
		if (!open || typeof request?.kind !== 'string') {
			return;
		}
		try {
			await this.run(open.comparison, request);
		} catch (error) {
			this.explain(error);
		}
	}

	private async run(comparison: ResultComparison, request: Request): Promise<void> {
		const { columns, files } = comparison;
		if (request.kind === 'choose') {
			const pair = await choosePair(columns);
			if (pair) {
				await showDifferences(comparison, ...pair);
			}
			return;
		}
		if (request.kind === 'differences') {
			await showDifferences(comparison, request.first, request.second);
			return;
		}
		const file = files.find(({ path }) => path === request.path);
		if (!file) {
			return;
		}
		if (request.kind === 'compare') {
			const { first, second } = request;
			const title = `${shownPath(file)} (${columns[first]?.name} ↔ ${columns[second]?.name})`;
			await diff(versionOf(comparison, file, first), versionOf(comparison, file, second), title);
		} else if (request.kind === 'open') {
			const { result: at, line } = request;
			const title = `${shownPath(file)} (${columns[at]?.name})`;
			await diff(versionOf(comparison, file, at, 'before'), versionOf(comparison, file, at), title, line);
		} else {
			const result = comparison.results[request.result]?.result;
			await executeCommand(commands.applyTaskChanges, {
				taskId: result?.taskId,
				resultKey: result?.key,
				path: file.path,
			});
		}
	}

	private draw(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			const open = this.open.get(editor.document.uri.toString());
			if (open) {
				for (const kind of ['heading', 'aside', 'common'] as const) {
					const ranges = open.text.marks
						.filter(mark => mark.kind === kind)
						.map(({ line, start, end }) => new vscode.Range(line, start, line, end));
					editor.setDecorations(this.decoration(kind), ranges);
				}
			}
		}
	}

	private decoration(kind: CompareMark['kind']): vscode.TextEditorDecorationType {
		let type = this.decorations.get(kind);
		if (!type) {
			type = this.disposables.add(vscode.window.createTextEditorDecorationType(optionsOf(kind)));
			this.decorations.set(kind, type);
		}
		return type;
	}

	dispose(): void {
		this.open.clear();
		this.disposables.dispose();
	}
}

const shownPath = ({ path }: ComparedFile) => oneLine(path, MAXIMUM_PATH);

function linkOf({ line, start, end, action }: CompareText['links'][number]): ActionLink {
	const link = new vscode.DocumentLink(new vscode.Range(line, start, line, end)) as ActionLink;
	link.action = action;
	link.tooltip = tooltipOf(action);
	return link;
}

function tooltipOf({ kind }: CompareAction): string {
	switch (kind) {
		case 'compare':
			return vscode.l10n.t('Compare what both agents have made of this file');
		case 'open':
			return vscode.l10n.t('Show what this agent has changed in the file, to take all or parts of it');
		case 'take':
			return vscode.l10n.t('Apply this agent’s version of the file, after a preview');
	}
}

function lensesOf(uri: vscode.Uri, comparison: ResultComparison | undefined): vscode.CodeLens[] {
	if (!comparison) {
		return [];
	}
	const { columns, results } = comparison;
	const lens = (title: string, command: string, argument: unknown) =>
		new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title: escapeIcons(title), command, arguments: [argument] });
	const [first, second] = columns;
	return [
		columns.length === 2
			? lens(
					vscode.l10n.t('Compare {0} with {1}', first?.name ?? '', second?.name ?? ''),
					internalCommands.followComparison,
					{ kind: 'differences', first: 0, second: 1 } satisfies Request,
				)
			: lens(vscode.l10n.t('Compare Two…'), internalCommands.followComparison, { kind: 'choose' } satisfies Request),
		lens(vscode.l10n.t('Which Is Better?'), commands.newDecision, uri),
		...results.flatMap(({ result: { taskId, key } }, at) => {
			const name = columns[at]?.name ?? '';
			const argument = { taskId, resultKey: key };
			return [
				lens(vscode.l10n.t('Review {0}', name), commands.reviewTaskChanges, argument),
				lens(vscode.l10n.t('Apply {0}…', name), commands.applyTaskChanges, argument),
			];
		}),
	];
}

async function choosePair(columns: readonly CompareColumn[]): Promise<[number, number] | undefined> {
	const title = vscode.l10n.t('Compare Two');
	const items = columns.map(({ name }, value) => ({ label: escapeIcons(name), value }));
	const first = await choose(title, items);
	const second =
		first === undefined
			? undefined
			: await choose(
					title,
					items.filter(({ value }) => value !== first),
				);
	return first === undefined || second === undefined ? undefined : [first, second];
}

/** Returns the address of a file as a result has found or left it. A result that did not change it left it as it was. */
function versionOf(
	{ results }: ResultComparison,
	{ files }: ComparedFile,
	at: number,
	side: 'before' | 'after' = 'after',
): vscode.Uri {
	const changes = results[at];
	const own = files[at];
	const file = own ?? files.find(other => other !== undefined);
	if (!changes || !file) {
		throw new RangeError('the comparison has no such version');
	}
	return versionUri(changes, file, own ? side : 'before');
}

async function diff(left: vscode.Uri, right: vscode.Uri, title: string, line?: number): Promise<void> {
	const start = line === undefined ? undefined : new vscode.Position(Math.max(0, line - 1), 0);
	const options = { preview: true, ...(start && { selection: new vscode.Range(start, start) }) };
	await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
}

/** Shows the files of two results that differ, in one view. */
async function showDifferences(comparison: ResultComparison, first: number, second: number): Promise<void> {
	const { files, columns } = comparison;
	const differing = files.filter(({ versions }) => versions[first] !== versions[second]);
	const resources = differing
		.slice(0, MAXIMUM_DIFFS)
		.map(file => [versionOf(comparison, file, second), ...[first, second].map(at => versionOf(comparison, file, at))]);
	const names = `${columns[first]?.name} ↔ ${columns[second]?.name}`;
	const title =
		differing.length > MAXIMUM_DIFFS
			? vscode.l10n.t('{0} ({1} of {2} files)', names, MAXIMUM_DIFFS, differing.length)
			: names;
	await vscode.commands.executeCommand('vscode.changes', title, resources);
}

function optionsOf(kind: CompareMark['kind']): vscode.DecorationRenderOptions {
	const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
	switch (kind) {
		case 'heading':
			return { rangeBehavior, fontWeight: 'bold' };
		case 'aside':
			return { rangeBehavior, color: new vscode.ThemeColor('descriptionForeground') };
		case 'common':
			return { rangeBehavior, color: new vscode.ThemeColor('gitDecoration.renamedResourceForeground') };
	}
}

function compareWords(): CompareWords {
	return {
		agent: vscode.l10n.t('Agent'),
		facts: [
			vscode.l10n.t('Changes'),
			vscode.l10n.t('Tests'),
			vscode.l10n.t('In the log'),
			vscode.l10n.t('Time'),
			vscode.l10n.t('Cost'),
			vscode.l10n.t('Branch'),
		],
		section: sectionText,
		change: changeText,
		take: vscode.l10n.t('take'),
		unchanged: vscode.l10n.t('not changed'),
		sameAs: name => vscode.l10n.t('same as {0}', name),
		commonHunks: count =>
			count === 1 ? vscode.l10n.t('1 hunk in common') : vscode.l10n.t('{0} hunks in common', count),
		hunk: (line, removed, added) => vscode.l10n.t('line {0}, +{1} −{2}', line, added, removed),
		nothing: vscode.l10n.t('None of them has changed a file.'),
	};
}

function sectionText(state: ComparedState, count: number, name: string): string {
	switch (state) {
		case 'different':
			return vscode.l10n.t('Changed in different ways ({0})', count);
		case 'only':
			return vscode.l10n.t('Changed by {0} only ({1})', name, count);
		case 'same':
			return vscode.l10n.t('The same from all ({0})', count);
	}
}

function changeText(file: ChangedFile): string {
	const { status, lines, before, after } = file;
	if (status === 'D') {
		return vscode.l10n.t('deleted');
	}
	const kind = (after ?? before)?.kind;
	if (kind === 'link') {
		return vscode.l10n.t('link');
	}
	if (kind === 'submodule') {
		return vscode.l10n.t('submodule');
	}
	if (!lines) {
		return vscode.l10n.t('binary or large');
	}
	const counts = `+${lines.added} −${lines.removed}`;
	if (status === 'A') {
		return vscode.l10n.t('{0} new', counts);
	}
	return hasOtherMode(file) ? vscode.l10n.t('{0} mode', counts) : counts;
}
