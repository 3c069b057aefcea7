import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { KeyStore } from './keyStore.ts';
import { connectionLabel } from './messages.ts';

/**
 * Returns the key for a request, or undefined if none is stored.
 * @throws UserFacingError when the key was saved for other hosts.
 */
export async function keyForRequest(
	store: KeyStore,
	connection: Connection,
	kind: KeyKind,
): Promise<string | undefined> {
	const { key, mustBeConfirmed } = await store.usable(connection, kind);
	if (mustBeConfirmed) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The addresses of {0} changed since its key was saved, so the key was not sent. Confirm it with “Errand: Manage Keys”.',
				connectionLabel(connection),
			),
			{ action: 'manageKeys' },
		);
	}
	return key;
}
