import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { type CommandId, commands } from '../../platform/ids.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { ChatContext } from './chatContext.ts';
import { changeSources, openEditorSources, selectionSource, terminalSource } from './contextChoices.ts';
import { fileSource, unreadSource } from './pastedContext.ts';
import { pickFiles, pickFolder } from './pickContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** How many lines around a problem are added, so that a model understands it. */
const LINES_AROUND = 12;

/**
 * Resolves with what a command adds, or with undefined where the user cancelled. `args` come from menus or from any
 * other extension.
 */
export function contextOf(
	command: CommandId,
	args: readonly unknown[],
	context: ChatContext,
	terminal: TerminalMemory | undefined,
): Promise<ContextSource[] | undefined> {
	const title = vscode.l10n.t('Add Context');
	switch (command) {
		case commands.addSelection:
		case commands.askAboutSelection:
			return selected();
		case commands.addFile:
			return filesOf(args, () => pickFiles(context.files, title));
		case commands.addFolder:
			return filesOf(args, () => pickFolder(context.files, title));
		case commands.addProblems:
			return Promise.resolve([{ kind: 'problems' }]);
		case commands.addChanges:
			return changeSources();
		case commands.addTerminalOutput:
			return (async () => [terminalSource(terminal)])();
		case commands.addOpenEditors:
			return (async () => openEditorSources())();
		case commands.addTask:
			return context.ofTask(args[0]);
		case commands.explainProblem:
			return problemOf(args);
		default:
			return context.pick();
	}
}

async function selected(): Promise<ContextSource[]> {
	const editor = vscode.window.activeTextEditor;
	if (!editor || editor.selection.isEmpty) {
		throw new UserFacingError(vscode.l10n.t('Nothing is selected. Select some lines in an editor, then try again.'));
	}
	return [selectionSource(editor)];
}

/**
 * The explorer passes the clicked file and the whole selection, a tab passes its file, and the palette passes nothing.
 */
async function filesOf(
	[clicked, selection]: readonly unknown[],
	pick: () => Promise<ContextSource[] | undefined>,
): Promise<ContextSource[] | undefined> {
	const uris = Array.isArray(selection) && selection.length > 0 ? selection : [clicked];
	const found = uris.filter(uri => uri instanceof vscode.Uri);
	if (found.length === 0) {
		return pick();
	}
	return Promise.all(found.map(async uri => (await fileSource(uri)) ?? unreadSource(uri)));
}

/** Returns the problem that a code action names, or those at the cursor, with the lines around it. */
async function problemOf([uri, range]: readonly unknown[]): Promise<ContextSource[]> {
	const editor = vscode.window.activeTextEditor;
	const place = uri instanceof vscode.Uri ? uri : editor?.document.uri;
	const lines = range instanceof vscode.Range ? range : editor?.selection;
	if (!place || !lines) {
		throw new UserFacingError(vscode.l10n.t('Put the cursor on a problem in an editor, then try again.'));
	}
	const [first, last] = [lines.start.line, lines.end.line];
	const has = vscode.languages
		.getDiagnostics(place)
		.some(diagnostic => diagnostic.range.start.line <= last && diagnostic.range.end.line >= first);
	if (!has) {
		throw new UserFacingError(vscode.l10n.t('There is no problem here. Put the cursor on one, then try again.'));
	}
	const document = await vscode.workspace.openTextDocument(place);
	const end = document.validatePosition(new vscode.Position(last + LINES_AROUND + 1, 0));
	return [
		{ kind: 'problems', uri: place.toString(), lines: { first, last } },
		{
			kind: 'selection',
			uri: place.toString(),
			range: {
				start: { line: Math.max(0, first - LINES_AROUND), character: 0 },
				end: { line: end.line, character: end.character },
			},
		},
	];
}
