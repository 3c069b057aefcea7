import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/client.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { KeyState } from './keyState.ts';
import type { KeysFeature } from './keysFeature.ts';
import { SECRET_PREFIX } from './model/keyFormat.ts';

export interface KeysDependencies {
	secrets: vscode.SecretStorage;
	activeConnection(): Promise<Connection>;
	/** The keys of the model servers behind the local connection, which itself needs none. */
	manageLocalKeys(): Promise<void>;
	/** A client for a connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
}

export interface Keys extends Disposable {
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
	/** In this window or in another. */
	readonly onDidChange: Event<void>;
}

export function registerKeys(dependencies: KeysDependencies): Keys {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	let loaded: Promise<KeysFeature> | undefined;
	const feature = (): Promise<KeysFeature> => {
		loaded ??= import('./keysFeature.ts').then(({ createKeysFeature }) =>
			createKeysFeature(dependencies, () => changed.fire()),
		);
		return loaded;
	};
	store.add(
		dependencies.secrets.onDidChange(({ key }) => {
			if (key.startsWith(SECRET_PREFIX)) {
				feature()
					.then(keys => keys.secretChanged(key))
					.catch((error: unknown) =>
						dependencies.logger.log('warn', 'a changed key cannot be read', { reason: describeError(error) }),
					);
			}
		}),
	);
	store.add(registerCommand(commands.manageKeys, async () => (await feature()).manage()));
	return {
		key: async (connection, kind) => (await feature()).key(connection, kind),
		state: async (connection, kind) => (await feature()).state(connection, kind),
		ensure: async (connection, kind, onAsk) =>
			// Nothing is loaded where no key can be missing.
			connection.name === LOCAL_CONNECTION_NAME || (await feature()).ensure(connection, kind, onAsk),
		set: async (connection, kind) => (await feature()).set(connection, kind),
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}
