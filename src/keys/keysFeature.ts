import type * as vscode from 'vscode';
import { MutableDisposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { keyForRequest } from './keyForRequest.ts';
import { KeyPrompts } from './keyPrompts.ts';
import { type KeyState, keyStateOf } from './keyState.ts';
import { KeyStore } from './keyStore.ts';
import { type ManageKeysDependencies, manageKeys } from './manageKeys.ts';
import { type KeysContext, setKey } from './saveKey.ts';

/** What the root hands to the keys. */
export interface KeysDependencies extends ManageKeysDependencies {
	secrets: vscode.SecretStorage;
	/** A client for a connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
}

export interface KeysFeature {
	/** The key for a request. Rejects with a sentence for the user when the connection's hosts changed since it was saved. */
	key(connection: Connection, kind: KeyKind): Promise<string | undefined>;
	state(connection: Connection, kind: KeyKind): Promise<KeyState>;
	/**
	 * For what the user does, never in the background: asks for the key if it is missing, after `onAsk`. Resolves with
	 * false when the user gave none, which was said.
	 */
	ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean>;
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
	manage(): Promise<void>;
	/** A secret of that name was written, here or in another window. */
	secretChanged(name: string): Promise<void>;
}

export function createKeysFeature(dependencies: KeysDependencies, changed: () => void): KeysFeature {
	const { secrets, client, logger } = dependencies;
	const store = new KeyStore(secrets, changed);
	const context: KeysContext = { store, client, logger, note: new MutableDisposable() };
	const prompts = new KeyPrompts(context);
	return {
		key: (connection, kind) => keyForRequest(store, connection, kind),
		state: (connection, kind) => keyStateOf(store, connection, kind),
		ensure: (connection, kind, onAsk) => prompts.ensure(connection, kind, onAsk),
		set: (connection, kind) => setKey(context, connection, kind),
		manage: () => manageKeys(context, dependencies),
		secretChanged: name => store.secretChanged(name),
	};
}
