import * as vscode from 'vscode';
import { MutableDisposable } from '../../base/disposable.ts';
import { ClientError } from '../../base/errors.ts';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Keys } from '../api.ts';
import { isKeyRefusal } from '../model/keyCheck.ts';
import { connectionSecret, KEY_KINDS } from '../model/keyFormat.ts';
import { ConnectionKey, type KeysContext } from './connectionKey.ts';
import { manageKeys, type ServerKey } from './manageKeys.ts';
import { kindLabel } from './messages.ts';

/** A service's answer about a key, with a sentence about it. */
export interface KeyAnswer {
	answer: 'accepted' | 'turned-down' | 'unknown';
	sentence: string;
}

export interface KeysFeature extends Pick<Keys, 'key' | 'state' | 'ensure'> {
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
	/** Stores a key that was checked elsewhere, for the origins of this connection. */
	save(connection: Connection, kind: KeyKind, key: string): Promise<void>;
	/** Removes the keys of the connection of that name, which need not be usable. */
	removeAll(name: string): Promise<void>;
	/** Asks the service whether it accepts the saved key. Rejects if there is no key that may be sent. */
	check(connection: Connection, kind: KeyKind): Promise<KeyAnswer>;
	/** Lets the user change the keys of a connection and those of servers. */
	manage(connection: Connection, servers: { model: readonly ServerKey[]; mcp: readonly ServerKey[] }): Promise<void>;
}

export function createKeysFeature(dependencies: Omit<KeysContext, 'note'>): KeysFeature {
	const { store, logger } = dependencies;
	const context: KeysContext = { ...dependencies, note: new MutableDisposable() };
	const of = (connection: Connection, kind: KeyKind) => new ConnectionKey(context, connection, kind);
	/** The open questions by name of the secret, so that two actions that need the same key ask for it once. */
	const open = new Map<string, Promise<boolean>>();
	return {
		key: (connection, kind) => of(connection, kind).forRequest(),
		state: (connection, kind) => of(connection, kind).state(),
		async ensure(connection, kind, onAsk) {
			const key = of(connection, kind);
			if ((await key.state()) !== 'missing') {
				return true;
			}
			onAsk?.();
			const { secret } = key.slot;
			const asking = open.get(secret) ?? askMissing(key).finally(() => open.delete(secret));
			open.set(secret, asking);
			return asking;
		},
		set: (connection, kind) => of(connection, kind).set(),
		save: (connection, kind, key) => of(connection, kind).save(key),
		async removeAll(name) {
			await Promise.all(KEY_KINDS.map(kind => store.remove({ secret: connectionSecret(name, kind) })));
			logger.log('info', 'keys removed', { connection: name });
		},
		check: (connection, kind) => checkUsable(of(connection, kind)),
		manage: (connection, servers) => manageKeys(context, connection, servers),
	};
}

async function checkUsable(asked: ConnectionKey): Promise<KeyAnswer> {
	const key = await asked.forRequest();
	const check = key === undefined ? undefined : await asked.checkSaved(key);
	if (check === undefined) {
		throw new ClientError('no-key', 'the key was removed or replaced meanwhile', { unsent: true });
	}
	const answer = check.answer === 'accepted' ? 'accepted' : isKeyRefusal(check) ? 'turned-down' : 'unknown';
	return { answer, sentence: asked.sentenceOf(check) };
}

/** Asks for a key that an action of the user needs. Resolves with false if the user gave none. */
async function askMissing(asked: ConnectionKey): Promise<boolean> {
	const key = await asked.ask({ reason: vscode.l10n.t('{0} requires a key for this.', asked.service) });
	if (key === undefined) {
		void sayMissing(asked);
		return false;
	}
	await asked.save(key);
	// The check runs silently: the request that needs the key follows at once and reports a refused key itself.
	void asked.checkSaved(key);
	return true;
}

async function sayMissing(asked: ConnectionKey): Promise<void> {
	const add = vscode.l10n.t('Add Key');
	const message = vscode.l10n.t(
		'Nothing was sent: {0} requires a key for this ({1}). Add one, then try again.',
		asked.service,
		kindLabel(asked.kind),
	);
	if ((await showMessage('warning', message, add)) === add) {
		await asked.set();
	}
}
