// The context that the quick pick and the composer's `#` and `@` offer.

import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { AttachmentKind } from '../model/attachment.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { nameOf, pathOf } from './readSource.ts';
import type { TerminalMemory } from './terminalMemory.ts';
import { openRepositories } from './workspaceFiles.ts';

export interface ContextChoice {
	readonly kind: AttachmentKind | 'instructions';
	/** Words that `#` and `@` match in addition to the label. They are never translated. */
	readonly word: string;
	readonly icon: string;
	readonly label: string;
	readonly description?: string;
	/** Resolves to the sources that the choice currently refers to. Rejects with a sentence for the user. */
	sources(): Promise<ContextSource[]>;
}

/**
 * Returns the choices that currently make sense. Files and folders are offered separately. `ofTask` lets the user
 * choose a part of a task.
 */
export function contextChoices(
	terminal: TerminalMemory | undefined,
	ofTask: () => Promise<ContextSource[]>,
): ContextChoice[] {
	const editor = vscode.window.activeTextEditor;
	const file = editor?.document.uri;
	const choices: ContextChoice[] = [];
	if (editor && file && hasSelectedText(editor)) {
		choices.push({
			kind: 'selection',
			word: 'selection',
			icon: 'selection',
			label: vscode.l10n.t('Selection'),
			description: nameOf(file),
			sources: async () => [selectionSource(editor)],
		});
	}
	if (file && isReadable(file)) {
		choices.push({
			kind: 'file',
			word: 'current',
			icon: 'file',
			label: vscode.l10n.t('Current File'),
			description: pathOf(file),
			sources: async () => [{ kind: 'file', uri: file.toString() }],
		});
		if (vscode.languages.getDiagnostics(file).length > 0) {
			choices.push({
				kind: 'problems',
				word: 'problems',
				icon: 'warning',
				label: vscode.l10n.t('Problems in {0}', nameOf(file)),
				sources: async () => [{ kind: 'problems', uri: file.toString() }],
			});
		}
	}
	choices.push(
		{
			kind: 'problems',
			word: 'problems',
			icon: 'warning',
			label: vscode.l10n.t('All Problems'),
			sources: async () => [{ kind: 'problems' }],
		},
		{
			kind: 'diff',
			word: 'changes diff git',
			icon: 'diff',
			label: vscode.l10n.t('Uncommitted Changes'),
			sources: changeSources,
		},
	);
	const command = terminal?.read()?.command;
	choices.push(
		{
			kind: 'terminal',
			word: 'terminal',
			icon: 'terminal',
			label: vscode.l10n.t('Last Terminal Output'),
			...defined({ description: command }),
			sources: async () => [terminalSource(terminal)],
		},
		{
			kind: 'file',
			word: 'editors open',
			icon: 'files',
			label: vscode.l10n.t('Open Editors'),
			sources: async () => openEditorSources(),
		},
		{
			kind: 'task',
			word: 'task log',
			icon: 'play',
			label: vscode.l10n.t('Log or Changes of a Task…'),
			sources: ofTask,
		},
	);
	return choices;
}

/** Returns the choice that restores the instructions, which are not context of a single message. */
export function instructionsChoice(bringBack: () => Promise<void>): ContextChoice {
	return {
		kind: 'instructions',
		word: 'instructions',
		icon: 'book',
		label: vscode.l10n.t('Instructions'),
		description: vscode.l10n.t('Excluded from this conversation'),
		sources: async () => {
			await bringBack();
			return [];
		},
	};
}

/** Returns whether the selection has any visible text. */
export function hasSelectedText({ document, selection }: vscode.TextEditor): boolean {
	return document.getText(selection).trim() !== '';
}

export function selectionSource({ document, selection }: vscode.TextEditor): ContextSource {
	const { start, end } = selection;
	return {
		kind: 'selection',
		uri: document.uri.toString(),
		range: {
			start: { line: start.line, character: start.character },
			end: { line: end.line, character: end.character },
		},
	};
}

async function changeSources(): Promise<ContextSource[]> {
	const repositories = await openRepositories();
	if (repositories.length === 0) {
		throw new UserFacingError(vscode.l10n.t('No Git repository is open. Open a folder that contains one.'));
	}
	if (repositories.length === 1) {
		return repositories.map(({ root }) => ({ kind: 'diff', uri: root.toString() }));
	}
	const picked = await vscode.window.showQuickPick(
		repositories.map(({ root }) => ({ label: nameOf(root), description: root.fsPath, root })),
		{
			title: vscode.l10n.t('Uncommitted Changes'),
			placeHolder: vscode.l10n.t('Select a repository whose changes to add'),
		},
	);
	return picked ? [{ kind: 'diff', uri: picked.root.toString() }] : [];
}

export function terminalSource(terminal: TerminalMemory | undefined): ContextSource {
	const last = terminal?.read();
	if (last === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'No terminal in this window has run a command that Errand can see. Run one in a terminal with shell integration.',
			),
		);
	}
	const { command, output, running } = last;
	return { kind: 'terminal', label: command, text: `$ ${command}\n${output}${running ? '\n(still running)' : ''}` };
}

function openEditorSources(): ContextSource[] {
	const uris = vscode.window.tabGroups.all
		.flatMap(({ tabs }) => tabs)
		.map(({ input }) => (input instanceof vscode.TabInputText ? input.uri : undefined))
		.filter(uri => uri !== undefined && isReadable(uri))
		.map(uri => uri?.toString() ?? '');
	if (uris.length === 0) {
		throw new UserFacingError(vscode.l10n.t('No text editor is open. Open the relevant files, then try again.'));
	}
	return [...new Set(uris)].map(uri => ({ kind: 'file', uri }));
}

/**
 * Returns whether a document can be read as a file. Editors also show output or logs, which are added as a selection.
 */
function isReadable({ scheme }: vscode.Uri): boolean {
	return scheme !== 'output' && scheme !== 'errand-log';
}
