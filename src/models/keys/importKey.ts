import process from 'node:process';
import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { inertText } from '../../platform/inertText.ts';
import { KEY_KINDS, keyOrigins, keyProblem } from '../model/keyFormat.ts';
import { keyTitle, kindLabel, kindPurpose, originsText, problemText } from './messages.ts';
import { type KeysContext, saveAndTell } from './saveKey.ts';

/** Imports a key from an environment variable of the extension host. Its value is never shown. */
export async function importKey(context: KeysContext, connection: Connection): Promise<void> {
	const kind = await chooseKind(connection);
	if (kind === undefined) {
		return;
	}
	const name = await vscode.window.showInputBox({
		title: keyTitle(kind, connection),
		prompt: vscode.l10n.t(
			'The name of the environment variable. Its value isn’t shown; it’s saved in the editor’s secret storage and sent only to {0}.',
			originsText(kind, connection),
		),
		ignoreFocusOut: true,
		validateInput: text => nameProblem(text.trim(), kind, connection),
	});
	const key = name === undefined ? undefined : variable(name.trim());
	if (key !== undefined) {
		await saveAndTell(context, connection, kind, key);
	}
}

async function chooseKind(connection: Connection): Promise<KeyKind | undefined> {
	const kinds = KEY_KINDS.filter(kind => keyOrigins(kind, connection).length > 0);
	const items = kinds.map(kind => ({ keyKind: kind, label: kindLabel(kind), description: kindPurpose(kind) }));
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Import from Environment Variable'),
		placeHolder: vscode.l10n.t('Select the kind of key in the variable'),
	});
	return chosen?.keyKind;
}

function variable(name: string): string | undefined {
	return process.env[name]?.trim();
}

function nameProblem(name: string, kind: KeyKind, connection: Connection): string | undefined {
	if (name === '') {
		return vscode.l10n.t('Enter the name of the variable.');
	}
	const value = variable(name);
	if (value === undefined || value === '') {
		return vscode.l10n.t(
			'This variable isn’t set where the editor runs its extensions. Set it before you start the editor.',
		);
	}
	const problem = keyProblem(kind, value, connection);
	return (
		problem &&
		inertText(vscode.l10n.t('The variable doesn’t contain this kind of key. {0}', problemText(problem, connection)))
	);
}
