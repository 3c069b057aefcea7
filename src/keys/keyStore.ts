import type { SecretStorage } from 'vscode';
import * as z from 'zod';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { isSavedFor, keyOrigins } from './model/keyFormat.ts';

const storedKeySchema = z.object({
	key: z.string().min(1),
	/** The origins that the user saved the key for. */
	origins: z.array(z.string()),
	/** Milliseconds since the epoch. */
	savedAt: z.number(),
});
export type StoredKey = z.output<typeof storedKeySchema>;

export const KEY_KINDS: readonly KeyKind[] = ['inference', 'cloud', 'agent'];

/** The secret's name. Fixed: other windows and later versions read it. */
export function secretName(connection: string, kind: KeyKind): string {
	return `errand.key.${connection}.${kind}`;
}

/** Keys in SecretStorage, each bound to the origins it was saved for. */
export class KeyStore {
	private readonly secrets: SecretStorage;

	constructor(secrets: SecretStorage) {
		this.secrets = secrets;
	}

	/** What is stored, whether or not it may be used. A damaged value counts as none. */
	async read(connection: Connection, kind: KeyKind): Promise<StoredKey | undefined> {
		const text = await this.secrets.get(secretName(connection.name, kind));
		if (text === undefined) {
			return undefined;
		}
		try {
			return storedKeySchema.parse(JSON.parse(text));
		} catch {
			return undefined;
		}
	}

	/** The key for a request, unless the connection's hosts have changed since it was saved. */
	async usable(connection: Connection, kind: KeyKind): Promise<{ key?: string; mustBeConfirmed: boolean }> {
		const stored = await this.read(connection, kind);
		if (!stored) {
			return { mustBeConfirmed: false };
		}
		return isSavedFor(stored.origins, keyOrigins(kind, connection))
			? { key: stored.key, mustBeConfirmed: false }
			: { mustBeConfirmed: true };
	}

	async save(connection: Connection, kind: KeyKind, key: string, now = Date.now()): Promise<void> {
		const stored: StoredKey = { key, origins: keyOrigins(kind, connection), savedAt: now };
		await this.secrets.store(secretName(connection.name, kind), JSON.stringify(stored));
	}

	async remove(connection: Connection, kind: KeyKind): Promise<void> {
		await this.secrets.delete(secretName(connection.name, kind));
	}
}
