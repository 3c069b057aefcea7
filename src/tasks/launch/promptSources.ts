import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import { internalCommands } from '../../platform/ids.ts';
import { findTodo, type PromptSource, problemPrompt, selectionPrompt, todoPrompt } from '../model/promptText.ts';

/** The maximum number of lines of a problem that its prompt repeats. */
const MAXIMUM_PROBLEM_LINES = 40;
/**
 * The maximum length of the text at a problem or a comment, in UTF-16 code units: a line of a minified file can be
 * millions long.
 */
const MAXIMUM_PLACE = 4_000;
/** The maximum length of a selection. It is better to refer to a longer one than to repeat it. */
const MAXIMUM_SELECTION = 100_000;
const MAXIMUM_MESSAGE = 2_000;
/** The maximum number of problems for which one menu offers a task. */
const MAXIMUM_ACTIONS = 5;
const MAXIMUM_TITLE = 60;

/** The argument that the code actions pass to `errand.startTaskFromSelection`. */
export type PlaceArgument =
	| { kind: 'problem'; uri: vscode.Uri; range: vscode.Range; message: string }
	| { kind: 'todo'; uri: vscode.Uri; line: number };

/**
 * Makes a prompt from the place that the argument names, or from the selection in the active editor. Throws a
 * UserFacingError if there is nothing to use.
 */
export async function promptOfPlace(argument: unknown): Promise<string> {
	const place = argument as Partial<PlaceArgument> | undefined;
	if (place?.kind === 'problem' && place.uri && place.range) {
		const document = await vscode.workspace.openTextDocument(place.uri);
		const first = place.range.start.line;
		const last = Math.min(place.range.end.line, first + MAXIMUM_PROBLEM_LINES - 1);
		return problemPrompt(
			sourceOf(document, first, last),
			vscode.l10n.t('Fix the problem at'),
			String(place.message).slice(0, MAXIMUM_MESSAGE).toWellFormed(),
		);
	}
	if (place?.kind === 'todo' && place.uri && place.line !== undefined) {
		const document = await vscode.workspace.openTextDocument(place.uri);
		return todoPrompt(sourceOf(document, place.line, place.line), vscode.l10n.t('Do what the comment says at'));
	}
	const editor = vscode.window.activeTextEditor;
	if (!editor) {
		throw new UserFacingError(vscode.l10n.t('No editor is open. Open a file and select text, then try again.'));
	}
	const { document, selection } = editor;
	// A selection that ends before the first character of a line does not include that line.
	const isAtStart = !selection.isEmpty && selection.end.character === 0 && selection.end.line > selection.start.line;
	const last = selection.end.line - (isAtStart ? 1 : 0);
	const source = sourceOf(document, selection.start.line, last);
	if (selection.isEmpty) {
		return selectionPrompt(source);
	}
	const text = document.getText(selection);
	if (text.length > MAXIMUM_SELECTION) {
		throw new UserFacingError(
			vscode.l10n.t('The selection is too long for a prompt. Select less, or mention the file in the prompt.'),
		);
	}
	return selectionPrompt({ ...source, text });
}

function sourceOf(document: vscode.TextDocument, first: number, last: number): PromptSource {
	return {
		file: vscode.workspace.asRelativePath(document.uri).replaceAll('\\', '/'),
		firstLine: first + 1,
		lastLine: last + 1,
		language: document.languageId === 'plaintext' ? '' : document.languageId,
		text: document
			.getText(new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER))
			.slice(0, MAXIMUM_PLACE)
			.toWellFormed(),
	};
}

/** Offers “Start Task for This …” for each problem at the position, and for a TODO comment in its lines. */
export function placeActions(
	document: vscode.TextDocument,
	range: vscode.Range,
	diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
	const title = ({ message }: vscode.Diagnostic) =>
		diagnostics.length === 1
			? vscode.l10n.t('Start Task for This Problem')
			: vscode.l10n.t('Start Task for This Problem: {0}', oneLine(message, MAXIMUM_TITLE));
	const actions = diagnostics.slice(0, MAXIMUM_ACTIONS).map(diagnostic => {
		const argument: PlaceArgument = {
			kind: 'problem',
			uri: document.uri,
			range: diagnostic.range,
			message: diagnostic.message,
		};
		const action = codeAction(title(diagnostic), argument);
		action.diagnostics = [diagnostic];
		return action;
	});
	// The range may refer to an earlier, longer text.
	const { start, end } = document.validateRange(range);
	for (let line = start.line; line <= Math.min(end.line, start.line + 100); line++) {
		if (findTodo(document.lineAt(line).text) !== undefined) {
			actions.push(codeAction(vscode.l10n.t('Start Task for This TODO'), { kind: 'todo', uri: document.uri, line }));
			break;
		}
	}
	return actions;
}

function codeAction(title: string, argument: PlaceArgument): vscode.CodeAction {
	const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
	action.command = { command: internalCommands.startTaskFromSelection, title, arguments: [argument] };
	return action;
}
