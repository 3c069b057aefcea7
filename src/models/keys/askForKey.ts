import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { inertText } from '../../platform/inertText.ts';
import { keyProblem } from '../model/keyFormat.ts';
import { keyTitle, originsText, problemText } from './messages.ts';

export interface KeyQuestion {
	connection: Connection;
	kind: KeyKind;
	/** Shown before the text about where the key is stored and sent. */
	reason?: string;
	/** A key that is not accepted as an answer, because it is the one to be replaced. */
	replaces?: string;
}

/**
 * Asks for a key, which is hidden while it is typed. The box names the connection, the kind and the hosts to which the
 * key is sent. Returns undefined if the user dismissed it.
 */
export async function askForKey({ connection, kind, reason, replaces }: KeyQuestion): Promise<string | undefined> {
	const keeping = vscode.l10n.t(
		'Saved in the editor’s secret storage and sent only to {0}.',
		originsText(kind, connection),
	);
	const text = await vscode.window.showInputBox({
		title: keyTitle(kind, connection),
		prompt: inertText(reason === undefined ? keeping : `${reason} ${keeping}`),
		password: true,
		ignoreFocusOut: true,
		validateInput: input => {
			const key = input.trim();
			if (key !== '' && key === replaces) {
				return vscode.l10n.t('This is the current key. Paste the new one.');
			}
			const problem = keyProblem(kind, key, connection);
			return problem && inertText(problemText(problem, connection));
		},
	});
	return text?.trim();
}
