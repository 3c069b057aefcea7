import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';

/** The place of a key, and the origins to which it may be sent. */
export interface KeySlot {
	/** The name of the secret. It must not change, as other windows and later versions read it. */
	secret: string;
	/** Sorted and distinct; empty if the connection has no host for the kind of key. */
	origins: readonly string[];
}

export const KEY_KINDS: readonly KeyKind[] = ['inference', 'cloud', 'agent'];

/** The kinds of keys: those of a connection, and the one of a model server. */
export type KeyUseKind = KeyKind | 'server';

/** The prefixes of the names of secrets that hold keys of connections and of model servers. */
export const SECRET_PREFIX = 'errand.key.';
export const SERVER_SECRET_PREFIX = 'errand.upstream.';

export function connectionKey(connection: Connection, kind: KeyKind): KeySlot {
	return { secret: connectionSecret(connection.name, kind), origins: keyOrigins(kind, connection) };
}

/** The name of the secret for a connection, which need not be usable. */
export function connectionSecret(name: string, kind: KeyKind): string {
	return `${SECRET_PREFIX}${name}.${kind}`;
}

/** The slot for the key of the model server of that name at that address. */
export function serverKey(slug: string, url: string): KeySlot {
	return { secret: SERVER_SECRET_PREFIX + slug, origins: [new URL(url).origin] };
}

/**
 * Returns the last four characters of a key, or an empty text if the key is so short that they would reveal too much.
 */
export function keyEnding(key: string): string {
	return key.length >= 12 ? key.slice(-4) : '';
}

/**
 * Returns the sorted, distinct origins to which a kind of key is sent. The list is empty if the connection has no host
 * for it.
 */
export function keyOrigins(kind: KeyKind, connection: Connection): string[] {
	const urls =
		kind === 'inference'
			? [connection.apiUrl, connection.enterpriseUrl, connection.orgUrl, connection.encryptUrl]
			: kind === 'cloud'
				? [connection.cloudUrl]
				: [connection.agentUrl];
	return [...new Set(urls.filter(url => url !== undefined).map(url => new URL(url).origin))].sort();
}

/** Returns whether the key was saved for every one of these origins; only then may it be sent to them. */
export function isSavedFor(saved: readonly string[], origins: readonly string[]): boolean {
	return origins.every(origin => saved.includes(origin));
}
