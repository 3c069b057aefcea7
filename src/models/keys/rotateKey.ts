import * as vscode from 'vscode';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { showMessage } from '../../platform/notify.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { askForKey } from './askForKey.ts';
import { answerSentence, connectionLabel } from './messages.ts';
import { checkWithService, type KeysContext, saveKey } from './saveKey.ts';

/**
 * Replaces the key `present` with a new one. `present` is kept until the new key has been checked and was not refused.
 */
export async function rotateKey(
	context: KeysContext,
	connection: Connection,
	kind: KeyKind,
	present: string,
): Promise<void> {
	if (connection.dashboardUrl !== undefined) {
		await vscode.env.openExternal(vscode.Uri.parse(connection.dashboardUrl, true));
	}
	const service = connectionLabel(connection);
	for (;;) {
		const key = await askForKey({
			connection,
			kind,
			replaces: present,
			reason: vscode.l10n.t(
				'Create a new key at {0} and paste it here. The current key stays in use until the new one is checked.',
				service,
			),
		});
		if (key === undefined) {
			return;
		}
		const check = await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Checking the key…') },
			() => checkWithService(context, connection, kind, key),
		);
		const decision = await decide(check, kind, connection);
		if (decision === 'replace') {
			await saveKey(context, connection, kind, key, check);
			const replaced = vscode.l10n.t('{0} now uses the new key. Delete the old one in its dashboard.', service);
			void showMessage(
				'information',
				check.answer === 'accepted' ? replaced : `${replaced} ${answerSentence(check, kind, connection)}`,
			);
		}
		if (decision !== 'again') {
			return;
		}
	}
}

async function decide(check: KeyCheck, kind: KeyKind, connection: Connection): Promise<'replace' | 'again' | 'keep'> {
	const sentence = answerSentence(check, kind, connection);
	if (isKeyRefusal(check)) {
		const again = vscode.l10n.t('Try Again');
		const message = vscode.l10n.t('The current key stays in use. {0}', sentence);
		return (await showMessage('error', message, again)) === again ? 'again' : 'keep';
	}
	if (check.answer === 'no-answer') {
		const replace = vscode.l10n.t('Replace Anyway');
		const message = vscode.l10n.t('The current key stays in use. {0}', sentence);
		return (await showMessage('warning', message, replace)) === replace ? 'replace' : 'keep';
	}
	return 'replace';
}
