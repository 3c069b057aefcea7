// Decisions. A *subject* is what is decided about: a file, a task or a comparison. It prepares requests, which the
// page shows before it sends them. What they read comes from the chat, so that secrets and ignored files are noticed
// in the same way, and from tasks; the root hands both over. A run is kept without its state, whose digest tells
// whether two runs had the same one.
import * as vscode from 'vscode';
import { onFirstUse } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { DecisionsDependencies } from './decisionsFeature.ts';

/** Registers the commands and the code lens of decision files. Their implementation loads with the first command. */
export function registerDecisions(dependencies: DecisionsDependencies): Disposable {
	const store = new DisposableStore();
	const feature = onFirstUse(async () => {
		const { DecisionsFeature } = await import('./decisionsFeature.ts');
		return store.add(new DecisionsFeature(dependencies));
	});
	store.add(registerCommand(commands.newDecision, async argument => (await feature()).ask(argument)));
	store.add(registerCommand(commands.evaluateDecision, async argument => (await feature()).evaluate(argument)));
	store.add(
		vscode.languages.registerCodeLensProvider(
			// package.json has the same pattern for the schema of decision files and their menus.
			{ pattern: '**/*.decision.json' },
			{
				provideCodeLenses: ({ uri }) => [
					new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
						title: vscode.l10n.t('$(play) Evaluate'),
						command: commands.evaluateDecision,
						arguments: [uri],
					}),
				],
			},
		),
	);
	return store;
}
