import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { DecisionsDependencies } from './decisionsDependencies.ts';
import type { DecisionsFeature } from './decisionsFeature.ts';

/** How decision files are named; package.json has the same pattern for their schema and their menus. */
const PATTERN = '**/*.decision.json';

const isDecision = ({ uri }: vscode.TextDocument) => uri.path.endsWith('.decision.json') && uri.scheme !== 'git';

/**
 * Registers the commands, the code lens and the diagnostics of decision files. Their implementation loads with the first
 * command or the first such file.
 */
export function registerDecisions(dependencies: DecisionsDependencies): Disposable {
	const store = new DisposableStore();
	let loaded: Promise<DecisionsFeature> | undefined;
	const feature = (): Promise<DecisionsFeature> => {
		loaded ??= import('./decisionsFeature.ts').then(({ DecisionsFeature }) =>
			store.add(new DecisionsFeature(dependencies)),
		);
		return loaded;
	};
	store.add(registerCommand(commands.newDecision, async () => (await feature()).create()));
	store.add(registerCommand(commands.evaluateDecision, async argument => (await feature()).evaluate(argument)));
	store.add(registerCommand(commands.whyDidItFail, async argument => (await feature()).whyDidItFail(argument)));
	store.add(registerCommand(commands.whichIsBetter, async argument => (await feature()).whichIsBetter(argument)));
	store.add(registerCommand(commands.isItReady, async argument => (await feature()).isItReady(argument)));
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
	store.add(registerDiagnostics());
	return store;
}

function registerDiagnostics(): Disposable {
	const store = new DisposableStore();
	const found = store.add(vscode.languages.createDiagnosticCollection('errand-decision'));
	const look = async (document: vscode.TextDocument) => {
		if (isDecision(document)) {
			const { diagnosticsOf } = await import('./diagnostics.ts');
			if (!document.isClosed) {
				found.set(document.uri, diagnosticsOf(document));
			}
		}
	};
	store.add(vscode.workspace.onDidOpenTextDocument(look));
	store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)));
	store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => found.delete(uri)));
	for (const document of vscode.workspace.textDocuments) {
		void look(document);
	}
	return store;
}
