import { createHash } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import * as z from 'zod';
import { SerialQueue } from '../base/async.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { type KeyCheck, keyCheckSchema } from './model/keyCheck.ts';
import { isSavedFor, keyOrigins, secretName } from './model/keyFormat.ts';

const storedKeySchema = z.object({
	key: z.string().min(1),
	/** The origins for which the user saved the key. */
	origins: z.array(z.string()),
	/** Milliseconds since the epoch. */
	savedAt: z.number(),
	/** The result of the last check. A damaged one counts as none. */
	check: keyCheckSchema.optional().catch(undefined),
});
export type StoredKey = z.output<typeof storedKeySchema>;

/** Stores keys in SecretStorage, each bound to the origins for which it was saved. */
export class KeyStore {
	private readonly secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>;
	private readonly changed: () => void;
	private readonly writes = new SerialQueue();
	/**
	 * For each secret, a digest of the key and origins that this window last saw. The keys themselves are not kept in
	 * memory.
	 */
	private readonly known = new Map<string, string>();

	/** `changed` is called when the key that requests use has changed, in this or in another window. */
	constructor(secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>, changed: () => void) {
		this.secrets = secrets;
		this.changed = changed;
	}

	/** Returns the stored key whether or not it may be used. A damaged value counts as none. */
	async read(connection: Connection, kind: KeyKind): Promise<StoredKey | undefined> {
		const name = secretName(connection.name, kind);
		const stored = parseStored(await this.secrets.get(name));
		if (!this.known.has(name)) {
			this.known.set(name, digestOf(stored));
		}
		return stored;
	}

	/** Returns the key for a request, unless the connection's hosts have changed since it was saved. */
	async usable(connection: Connection, kind: KeyKind): Promise<{ key?: string; mustBeConfirmed: boolean }> {
		const stored = await this.read(connection, kind);
		if (!stored) {
			return { mustBeConfirmed: false };
		}
		return isSavedFor(stored.origins, keyOrigins(kind, connection))
			? { key: stored.key, mustBeConfirmed: false }
			: { mustBeConfirmed: true };
	}

	/** Replaces the stored key. `check` is the result of a check of this same key. */
	async save(connection: Connection, kind: KeyKind, key: string, check?: KeyCheck): Promise<void> {
		const stored: StoredKey = {
			key,
			origins: keyOrigins(kind, connection),
			savedAt: Date.now(),
			...(check ? { check } : {}),
		};
		await this.write(secretName(connection.name, kind), stored);
	}

	/**
	 * Stores the result of a check together with the checked key. Resolves with false if another key has replaced it
	 * meanwhile.
	 */
	async keepCheck(connection: Connection, kind: KeyKind, key: string, check: KeyCheck): Promise<boolean> {
		const name = secretName(connection.name, kind);
		return this.writes.run(async () => {
			const stored = parseStored(await this.secrets.get(name));
			if (stored?.key !== key) {
				return false;
			}
			await this.secrets.store(name, JSON.stringify({ ...stored, check }));
			return true;
		});
	}

	async remove(connection: Connection, kind: KeyKind): Promise<void> {
		await this.write(secretName(connection.name, kind), undefined);
	}

	/** Must be called when one of our secrets was written. If only a check was stored, `changed` is not called. */
	async secretChanged(name: string): Promise<void> {
		this.notice(name, parseStored(await this.secrets.get(name)));
	}

	private async write(name: string, stored: StoredKey | undefined): Promise<void> {
		await this.writes.run(async () =>
			stored ? this.secrets.store(name, JSON.stringify(stored)) : this.secrets.delete(name),
		);
		this.notice(name, stored);
	}

	private notice(name: string, stored: StoredKey | undefined): void {
		const digest = digestOf(stored);
		if (this.known.get(name) !== digest) {
			this.known.set(name, digest);
			this.changed();
		}
	}
}

function parseStored(text: string | undefined): StoredKey | undefined {
	try {
		return text === undefined ? undefined : storedKeySchema.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}

function digestOf(stored: StoredKey | undefined): string {
	return stored === undefined
		? ''
		: createHash('sha256')
				.update(JSON.stringify([stored.key, stored.origins]))
				.digest('base64');
}
