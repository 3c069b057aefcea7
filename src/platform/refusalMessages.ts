import * as vscode from 'vscode';

/** Tells a program that the user has refused. */
export function refusedByUser(): string {
	return vscode.l10n.t('The user didn’t allow it, so nothing was sent. Don’t try again unless they ask for it.');
}
