import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { KeyStore } from './keyStore.ts';
import { isSavedFor, keyOrigins } from './model/keyFormat.ts';

/**
 * `not-needed`: includes connections without a host for the kind. `unconfirmed`: the hosts have changed since the key
 * was saved.
 */
export type KeyState = 'not-needed' | 'missing' | 'unconfirmed' | 'set';

export async function keyStateOf(store: KeyStore, connection: Connection, kind: KeyKind): Promise<KeyState> {
	const origins = keyOrigins(kind, connection);
	if (connection.name === LOCAL_CONNECTION_NAME || origins.length === 0) {
		return 'not-needed';
	}
	const stored = await store.read(connection, kind);
	if (!stored) {
		return 'missing';
	}
	return isSavedFor(stored.origins, origins) ? 'set' : 'unconfirmed';
}
