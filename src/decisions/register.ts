import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { DecisionsDependencies, DecisionsFeature } from './decisionsFeature.ts';

/** How decision files are named; package.json has the same pattern for their schema and their menus. */
const PATTERN = '**/*.decision.json';

/** Registers the commands and the code lens of decision files. Their implementation loads with the first command. */
export function registerDecisions(dependencies: DecisionsDependencies): Disposable {
	const store = new DisposableStore();
	let loaded: Promise<DecisionsFeature> | undefined;
	const feature = (): Promise<DecisionsFeature> => {
		loaded ??= import('./decisionsFeature.ts').then(({ DecisionsFeature }) =>
			store.add(new DecisionsFeature(dependencies)),
		);
		return loaded;
	};
	store.add(registerCommand(commands.newDecision, async argument => (await feature()).ask(argument)));
	store.add(registerCommand(commands.evaluateDecision, async argument => (await feature()).evaluate(argument)));
	store.add(
		vscode.languages.registerCodeLensProvider(
			{ pattern: PATTERN },
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
