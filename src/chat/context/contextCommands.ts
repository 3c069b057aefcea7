import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { type CommandId, commands } from '../../platform/ids.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { ChatContext } from './chatContext.ts';
import { changeSources, openEditorSources, selectionSource, terminalSource } from './contextChoices.ts';
import { fileSource, unreadSource } from './pastedContext.ts';
import { pickFiles, pickFolder } from './pickContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** Lines around a problem that a model has to see. */
const LINES_AROUND = 12;

/** What each command adds; undefined where the user left it. Arguments come from menus, or from anybody. */
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

/** The explorer gives what was clicked and all that is selected; a tab gives its file; the palette gives nothing. */
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

/** The problem that an action names, or those at the cursor, with the lines around. */
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
