import * as vscode from 'vscode';
import type { ConnectionKeys } from './model/connectionsDependencies.ts';

/** Says in a few words whether a key is there. */
export function keyStateText(state: Awaited<ReturnType<ConnectionKeys['state']>>): string {
	switch (state) {
		case 'set':
			return vscode.l10n.t('key set');
		case 'missing':
			return vscode.l10n.t('no key yet');
		case 'unconfirmed':
			return vscode.l10n.t('key to be confirmed: the addresses changed');
		case 'not-needed':
			return vscode.l10n.t('needs no key');
	}
}
