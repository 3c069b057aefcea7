import * as vscode from 'vscode';

/** Tells a program that the user has refused. */
export function refusedByUser(): string {
	return vscode.l10n.t('The user did not allow it, so nothing was sent. Do not try again unless they ask for it.');
}
