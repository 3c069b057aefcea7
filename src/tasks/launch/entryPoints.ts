import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { registerCommand } from '../../platform/commands.ts';
import { commands, PROMPT_SCHEME } from '../../platform/ids.ts';
import { PromptFile } from './promptFile.ts';
import type { TaskLauncher } from './taskLauncher.ts';

/** This check is cheap enough for every move of the cursor; the code that is loaded afterwards decides exactly. */
const MAYBE_TODO = /TODO|FIXME/;

export interface EntryPoints extends Disposable {
	promptFile: PromptFile;
}

/**
 * Registers the ways to start a task other than `errand.startTask`. Their implementation loads when one of them is
 * first used.
 */
export function registerEntryPoints(
	workspaceState: vscode.Memento,
	launcher: () => Promise<TaskLauncher>,
): EntryPoints {
	const store = new DisposableStore();
	const promptFile = store.add(new PromptFile(PROMPT_SCHEME, workspaceState, () => void launcher()));
	store.add(
		registerCommand(commands.startTaskFromSelection, async argument => (await launcher()).startFromPlace(argument)),
	);
	store.add(registerCommand(commands.startTaskFromPrompt, async () => (await launcher()).startFromPrompt()));
	store.add(
		vscode.window.registerUriHandler({ handleUri: async uri => (await launcher()).startFromLink(uri.path, uri.query) }),
	);
	store.add(
		vscode.languages.registerCodeActionsProvider(
			{ scheme: 'file' },
			{
				async provideCodeActions(document, range, { diagnostics }) {
					const { line } = document.validatePosition(range.start);
					if (diagnostics.length === 0 && !MAYBE_TODO.test(document.lineAt(line).text)) {
						return undefined;
					}
					const { placeActions } = await import('./promptSources.ts');
					return placeActions(document, range, diagnostics);
				},
			},
			{ providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
		),
	);
	return { promptFile, dispose: () => store.dispose() };
}
