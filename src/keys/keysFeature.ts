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

/** What the root passes to the keys feature. */
export interface KeysDependencies extends ManageKeysDependencies {
	secrets: vscode.SecretStorage;
	/** Creates a client for the connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
}

export interface KeysFeature {
	/**
	 * Returns the key for a request.
	 * @throws UserFacingError when the connection's hosts have changed since it was saved.
	 */
	key(connection: Connection, kind: KeyKind): Promise<string | undefined>;
	state(connection: Connection, kind: KeyKind): Promise<KeyState>;
	/**
	 * Asks for the key if it is missing, after calling `onAsk`. It is for actions of the user, never for background work.
	 * Resolves with false if the user gave none, which a notification then says.
	 */
	ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean>;
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
	manage(): Promise<void>;
	/** Must be called when a secret of that name was written, in this or in another window. */
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
