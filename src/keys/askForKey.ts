import * as vscode from 'vscode';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { keyTitle, originsText, problemText } from './messages.ts';
import { keyProblem } from './model/keyFormat.ts';

export interface KeyQuestion {
	connection: Connection;
	kind: KeyKind;
	/** Said before where the key is kept and sent. */
	reason?: string;
	/** A key that would be no answer. */
	replaces?: string;
}

/** Asks for a key, hidden while it is typed; names the connection, the kind and where it is sent. Undefined: dismissed. */
export async function askForKey({ connection, kind, reason, replaces }: KeyQuestion): Promise<string | undefined> {
	const keeping = vscode.l10n.t(
		'Kept in the editor’s secret storage and sent to {0} only.',
		originsText(kind, connection),
	);
	const text = await vscode.window.showInputBox({
		title: keyTitle(kind, connection),
		prompt: reason === undefined ? keeping : `${reason} ${keeping}`,
		password: true,
		ignoreFocusOut: true,
		validateInput: input => {
			const key = input.trim();
			if (key !== '' && key === replaces) {
				return vscode.l10n.t('This is the present key. Paste the new one.');
			}
			const problem = keyProblem(kind, key, connection);
			return problem && problemText(problem, connection);
		},
	});
	return text?.trim();
}
