import * as vscode from 'vscode';

/** Describes in a sentence why an agent of the local service cannot run. */
export function agentProblemText(
	problem: 'not-found' | 'no-model' | 'own-account' | 'account-forbidden' | 'account-retention',
): string {
	return {
		'not-found': vscode.l10n.t('It is not installed.'),
		'own-account': vscode.l10n.t('It works with an account of its own, once you allow that in “Set Up Agents…”.'),
		'account-forbidden': vscode.l10n.t('It works with an account of its own, which errand.local.ownAccounts forbids.'),
		'account-retention': vscode.l10n.t(
			'Nobody knows what its account retains, so it does not run under zero data retention.',
		),
		'no-model': vscode.l10n.t('It needs a model. Add a model server.'),
	}[problem];
}
