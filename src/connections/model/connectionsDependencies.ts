import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';

/** What this feature needs from the keys feature. */
export interface ConnectionKeys {
	/** Returns the state of a key. `unconfirmed`: the connection's hosts have changed since the key was saved. */
	state(connection: Connection, kind: KeyKind): Promise<'not-needed' | 'missing' | 'unconfirmed' | 'set'>;
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
	/** Keeps a key that has the right form, for the origins of this connection. */
	save(connection: Connection, kind: KeyKind, key: string): Promise<void>;
	/** Removes all keys of a connection. */
	removeAll(connection: Connection): Promise<void>;
	/** Returns a function that says what is wrong with the form of a key. */
	formOf(connection: Connection, kind: KeyKind): Promise<(key: string) => string | undefined>;
	/** Asks the service whether it accepts the saved key, and says what it answered. */
	check(connection: Connection, kind: KeyKind): Promise<{ answer: KeyAnswer; sentence: string }>;
	/** Returns how a kind of key is called. */
	label(kind: KeyKind): Promise<string>;
}

/** What a service says about a key, as far as this feature tells it apart. */
export type KeyAnswer = 'accepted' | 'turned-down' | 'unknown';

/** What the root provides to this feature. */
export interface ConnectionsDependencies {
	keys: ConnectionKeys;
	/** Returns a client for a connection, which sends the keys that are saved for it. */
	client(connection: Connection): Promise<Client>;
	logger: Logger;
}
