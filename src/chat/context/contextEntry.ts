// The part of the context that is there from the start: commands, the action on a problem, and the ear at the terminals.
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { registerCommand } from '../../platform/commands.ts';
import { type CommandId, commands } from '../../platform/ids.ts';
import type { ChatContext } from './chatContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** What the commands need of the chat view; it loads with the first of them. */
export interface ContextHost {
	readonly context: ChatContext;
	/** Runs what asks the user; where the page had the keyboard before, the composer has it afterwards. */
	aroundQuestion<T>(run: () => PromiseLike<T>): Promise<T>;
	/** Puts a question into the composer, where there is none. */
	suggest(question: string): void;
}

export interface RegisteredContext extends Disposable {
	terminal(): TerminalMemory | undefined;
}

/** `open` gives the chat, `show` brings it to the front with the cursor in the composer. */
export function registerContext(open: () => Promise<ContextHost>, show: () => Promise<void>): RegisteredContext {
	const store = new DisposableStore();
	let memory: Promise<TerminalMemory> | undefined;
	let terminal: TerminalMemory | undefined;
	store.add(
		vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
			// Now, because output from before the first read is gone; what remembers it loads with the first command.
			const data = execution.read();
			memory ??= import('./terminalMemory.ts').then(({ TerminalMemory }) => new TerminalMemory());
			void memory.then(loaded => {
				terminal = loaded;
				// A terminal that goes away in the middle of a command ends its output; what came is kept.
				return loaded.remember(execution.commandLine.value, data).catch(() => {});
			});
		}),
	);
	const add = async (command: CommandId, args: readonly unknown[]): Promise<void> => {
		const [host, { contextOf }] = await Promise.all([open(), import('./contextCommands.ts')]);
		// The editor that is active now is the one that is meant: it is asked before the chat takes the focus.
		const isAdded = await host.aroundQuestion(() =>
			host.context.addFrom(() => contextOf(command, args, host.context, terminal)),
		);
		if (!isAdded) {
			// The user left it, or was told why: a chat that comes to the front now would take them away from where they are.
			return;
		}
		if (command === commands.explainProblem) {
			host.suggest(vscode.l10n.t('Explain this problem and how to solve it.'));
		}
		await show();
	};
	store.add(registerCommand(commands.addContext, (...args) => add(commands.addContext, args)));
	store.add(registerCommand(commands.addSelection, (...args) => add(commands.addSelection, args)));
	store.add(registerCommand(commands.addFile, (...args) => add(commands.addFile, args)));
	store.add(registerCommand(commands.addFolder, (...args) => add(commands.addFolder, args)));
	store.add(registerCommand(commands.addProblems, (...args) => add(commands.addProblems, args)));
	store.add(registerCommand(commands.addChanges, (...args) => add(commands.addChanges, args)));
	store.add(registerCommand(commands.addTerminalOutput, (...args) => add(commands.addTerminalOutput, args)));
	store.add(registerCommand(commands.addOpenEditors, (...args) => add(commands.addOpenEditors, args)));
	store.add(registerCommand(commands.askAboutSelection, (...args) => add(commands.askAboutSelection, args)));
	store.add(registerCommand(commands.explainProblem, (...args) => add(commands.explainProblem, args)));
	store.add(
		vscode.languages.registerCodeActionsProvider(
			[{ scheme: 'file' }, { scheme: 'untitled' }, { scheme: 'vscode-vfs' }],
			{ provideCodeActions: (document, range, { diagnostics }) => explainActions(document, range, diagnostics) },
			{ providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
		),
	);
	return { terminal: () => terminal, dispose: () => store.dispose() };
}

function explainActions(
	document: vscode.TextDocument,
	range: vscode.Range,
	diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
	const [first] = diagnostics;
	if (!first) {
		return [];
	}
	const title = vscode.l10n.t('Explain Problem in Errand');
	const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
	const touched = diagnostics.reduce(
		(sum, diagnostic) => sum.union(diagnostic.range),
		new vscode.Range(range.start, range.end),
	);
	action.diagnostics = [...diagnostics];
	action.command = { command: commands.explainProblem, title, arguments: [document.uri, touched] };
	return [action];
}
