// The part of the context that loads at startup: commands, the action on a problem, and the listener for terminal
// output.
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { registerCommand } from '../../platform/commands.ts';
import { type CommandId, commands, internalCommands } from '../../platform/ids.ts';
import type { ChatContext } from './chatContext.ts';
import type { TerminalMemory } from './terminalMemory.ts';

/** The parts of the chat view that the commands need. It loads with the first of them. */
export interface ContextHost {
	readonly context: ChatContext;
	readonly page: {
		/** Runs something that asks the user. If the page had the focus before, the composer has it afterwards. */
		aroundQuestion<T>(run: () => PromiseLike<T>): Promise<T>;
		/** Puts a question into the composer if it is empty. */
		suggest(question: string): void;
	};
}

export interface RegisteredContext extends Disposable {
	terminal(): TerminalMemory | undefined;
}

/** `open` resolves to the chat, and `show` brings it to the front with the cursor in the composer. */
export function registerContext(open: () => Promise<ContextHost>, show: () => Promise<void>): RegisteredContext {
	const store = new DisposableStore();
	let memory: Promise<TerminalMemory> | undefined;
	let terminal: TerminalMemory | undefined;
	store.add(
		vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
			// The output is read at once, because anything before the first read is lost. The class that remembers it loads
			// with the first command.
			const data = execution.read();
			memory ??= import('./terminalMemory.ts').then(({ TerminalMemory }) => new TerminalMemory());
			void memory.then(loaded => {
				terminal = loaded;
				// If a terminal is closed during a command, its output ends; the part so far is kept.
				return loaded.remember(execution.commandLine.value, data).catch(() => {});
			});
		}),
	);
	const add = async (command: CommandId, args: readonly unknown[]): Promise<void> => {
		const [host, { contextOf }] = await Promise.all([open(), import('./contextCommands.ts')]);
		// The command refers to the currently active editor, so it is read before the chat takes the focus.
		const isAdded = await host.page.aroundQuestion(() =>
			host.context.addFrom(() => contextOf(command, args, host.context, terminal)),
		);
		if (!isAdded) {
			// The user cancelled or was told why nothing was added. Bringing the chat to the front would take them away
			// from where they are.
			return;
		}
		if (command === internalCommands.explainProblem) {
			host.page.suggest(vscode.l10n.t('Explain this problem and how to solve it.'));
		}
		await show();
	};
	store.add(registerCommand(commands.addContext, (...args) => add(commands.addContext, args)));
	store.add(registerCommand(commands.askAboutSelection, (...args) => add(commands.askAboutSelection, args)));
	store.add(registerCommand(internalCommands.explainProblem, (...args) => add(internalCommands.explainProblem, args)));
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
	action.command = { command: internalCommands.explainProblem, title, arguments: [document.uri, touched] };
	return [action];
}
