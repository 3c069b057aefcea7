import * as vscode from 'vscode';

/** Describes in a sentence why an agent of the local service cannot run. */
export function agentProblemText(problem: 'not-found' | 'own-account' | 'model-api' | 'no-model'): string {
	switch (problem) {
		case 'not-found':
			return vscode.l10n.t('It is not installed.');
		case 'own-account':
			return vscode.l10n.t('It needs an account of its own, so Errand does not run it yet.');
		case 'model-api':
			return vscode.l10n.t('It uses a model API that Errand doesn’t support.');
		case 'no-model':
			return vscode.l10n.t('It needs a model. Add a model server.');
	}
}
