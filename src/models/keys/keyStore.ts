import { createHash } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import * as z from 'zod';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';
import { type KeyCheck, keyCheckSchema } from '../model/keyCheck.ts';
import { isSavedFor, type KeySlot, SERVER_SECRET_PREFIX } from '../model/keyFormat.ts';

const storedKeySchema = z.preprocess(
	// The key of a model server has its only origin in a separate field.
	value => (isFields(value) && value['origins'] === undefined ? { ...value, origins: [value['origin']] } : value),
	// What a later version has saved with a key stays there when a check is stored.
	z.looseObject({
		key: z.string().min(1),
		/** The origins for which the user saved the key. */
		origins: z.array(z.string()),
		/** Milliseconds since the epoch. */
		savedAt: z.number(),
		/** The result of the last check. A damaged one counts as none. */
		check: keyCheckSchema.optional().catch(undefined),
	}),
);
export type StoredKey = z.output<typeof storedKeySchema>;

/** Stores keys in SecretStorage, each bound to the origins for which it was saved. */
export class KeyStore {
	private readonly secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>;
	private readonly changed: (secret: string) => void;
	private readonly writes = new SerialQueue();
	/**
	 * For each secret, a digest of the key and origins that this window last saw. The keys themselves are not kept in
	 * memory.
	 */
	private readonly known = new Map<string, string>();

	/** `changed` is called when a key used by requests has changed, in this or in another window. */
	constructor(secrets: Pick<SecretStorage, 'get' | 'store' | 'delete'>, changed: (secret: string) => void) {
		this.secrets = secrets;
		this.changed = changed;
	}

	/** Returns the stored key whether or not it may be used. A damaged value counts as none. */
	async read({ secret }: Pick<KeySlot, 'secret'>): Promise<StoredKey | undefined> {
		const stored = parseStored(await this.secrets.get(secret));
		if (!this.known.has(secret)) {
			this.known.set(secret, digestOf(stored));
		}
		return stored;
	}

	/** Returns the key for a request, unless its origins have changed since it was saved. */
	async usable(slot: KeySlot): Promise<{ key?: string; mustBeConfirmed: boolean }> {
		const stored = await this.read(slot);
		if (!stored) {
			return { mustBeConfirmed: false };
		}
		return isSavedFor(stored.origins, slot.origins) && slot.origins.every(mayCarryKey)
			? { key: stored.key, mustBeConfirmed: false }
			: { mustBeConfirmed: true };
	}

	/**
	 * Replaces the stored key. `check` is the result of a check of this same key. @throws RangeError for an origin to
	 * which no key may be sent.
	 */
	async save({ secret, origins }: KeySlot, key: string, check?: KeyCheck): Promise<void> {
		if (!origins.every(mayCarryKey)) {
			throw new RangeError('a key goes to https and loopback addresses only');
		}
		await this.write(secret, { key, origins: [...origins], savedAt: Date.now(), ...defined({ check }) });
	}

	/** Saves a key and then writes the entry that needs it. If that fails, restores the previous key. */
	async saveWith(slot: KeySlot, key: string, write: () => Promise<void>): Promise<void> {
		const before = await this.read(slot);
		await this.save(slot, key);
		try {
			await write();
		} catch (error) {
			await this.write(slot.secret, before);
			throw error;
		}
	}

	/**
	 * Stores the result of a check together with the checked key. Resolves with false if another key has replaced it
	 * meanwhile.
	 */
	async keepCheck({ secret }: KeySlot, key: string, check: KeyCheck): Promise<boolean> {
		return this.writes.run(async () => {
			const stored = parseStored(await this.secrets.get(secret));
			if (stored?.key !== key) {
				return false;
			}
			await this.secrets.store(secret, textOf(secret, { ...stored, check }));
			return true;
		});
	}

	async remove({ secret }: Pick<KeySlot, 'secret'>): Promise<void> {
		await this.write(secret, undefined);
	}

	/** Must be called when one of our secrets was written. If only a check was stored, `changed` is not called. */
	async secretChanged(secret: string): Promise<void> {
		this.notice(secret, parseStored(await this.secrets.get(secret)));
	}

	private async write(secret: string, stored: StoredKey | undefined): Promise<void> {
		await this.writes.run(async () =>
			stored ? this.secrets.store(secret, textOf(secret, stored)) : this.secrets.delete(secret),
		);
		this.notice(secret, stored);
	}

	private notice(secret: string, stored: StoredKey | undefined): void {
		const digest = digestOf(stored);
		if (this.known.get(secret) !== digest) {
			this.known.set(secret, digest);
			this.changed(secret);
		}
	}
}

/** `unconfirmed`: the origins have changed since the key was saved, so it is not sent. */
export function stateOf(stored: StoredKey | undefined, { origins }: KeySlot): 'missing' | 'unconfirmed' | 'set' {
	return stored === undefined ? 'missing' : isSavedFor(stored.origins, origins) ? 'set' : 'unconfirmed';
}

function textOf(secret: string, stored: StoredKey): string {
	const { origins, ...others } = stored;
	return JSON.stringify(secret.startsWith(SERVER_SECRET_PREFIX) ? { ...others, origin: origins[0] } : stored);
}

function parseStored(text: string | undefined): StoredKey | undefined {
	return storedKeySchema.safeParse(parseJson(text ?? '')).data;
}

function digestOf(stored: StoredKey | undefined): string {
	return stored === undefined
		? ''
		: createHash('sha256')
				.update(JSON.stringify([stored.key, stored.origins]))
				.digest('base64');
}
