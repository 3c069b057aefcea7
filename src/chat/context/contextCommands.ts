import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { type CommandId, commands, internalCommands } from '../../platform/ids.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { ChatContext } from './chatContext.ts';
import { hasSelectedText, selectionSource, terminalSource } from './contextChoices.ts';
import { fileSource, unreadSource } from './pastedContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** The number of lines to add around a problem, so that a model understands it. */
const LINES_AROUND = 12;

/**
 * Resolves to the sources that a command adds, or to undefined if the user cancelled. `args` come from menus or from
 * any other extension.
 */
export function contextOf(
	command: CommandId,
	args: readonly unknown[],
	context: ChatContext,
	terminal: TerminalMemory | undefined,
): Promise<ContextSource[] | undefined> {
	switch (command) {
		case commands.askAboutSelection:
			return selected();
		case internalCommands.explainProblem:
			return problemOf(args);
		default:
			return clicked(args, context, terminal);
	}
}

/** Resolves to the sources that the menu was opened on. Without a menu, or in that of the chat, the user chooses. */
async function clicked(
	[place, others]: readonly unknown[],
	context: ChatContext,
	terminal: TerminalMemory | undefined,
): Promise<ContextSource[] | undefined> {
	if (place instanceof vscode.Uri) {
		const editor = vscode.window.activeTextEditor;
		// The explorer also passes all selected files, and a tab its place; an editor passes only its document.
		const isEditor = others === undefined && editor?.document.uri.toString() === place.toString();
		if (isEditor && hasSelectedText(editor)) {
			return [selectionSource(editor)];
		}
		return filesOf(Array.isArray(others) && others.length > 0 ? others : [place]);
	}
	if (vscode.window.terminals.some(open => open === place)) {
		return [terminalSource(terminal)];
	}
	const isTask = typeof place === 'object' && place !== null && 'taskId' in place;
	return isTask ? context.ofTask(place) : context.pick();
}

async function selected(): Promise<ContextSource[]> {
	const editor = vscode.window.activeTextEditor;
	if (!editor || editor.selection.isEmpty) {
		throw new UserFacingError(vscode.l10n.t('Nothing is selected. Select some lines in an editor, then try again.'));
	}
	// A selection of blank lines adds nothing, and the keys that led here focus the chat anyway.
	return hasSelectedText(editor) ? [selectionSource(editor)] : [];
}

async function filesOf(places: readonly unknown[]): Promise<ContextSource[]> {
	const uris = places.filter(place => place instanceof vscode.Uri);
	return Promise.all(uris.map(async uri => (await fileSource(uri)) ?? unreadSource(uri)));
}

/** Returns the problem that a code action refers to, or those at the cursor, with the lines around it. */
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
		throw new UserFacingError(vscode.l10n.t('There’s no problem here. Put the cursor on one, then try again.'));
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
