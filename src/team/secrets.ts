import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { UserFacingError } from '../base/errors.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret as the database keeps it: without the key of the environment, it is worth nothing. */
export interface SealedSecret {
	/** Names the key that has sealed it, and tells nothing of that key. */
	keyId: string;
	/** Nonce, tag and ciphertext. */
	bytes: Buffer;
}

/**
 * The keys under which secrets are kept in the database, from `ERRAND_SERVICE_KEYS`: base64 of 32 bytes each, separated
 * by commas. The first one seals, and all of them open, so that a new key is put in front, the secrets are sealed anew
 * (`errand-service keys rotate`), and the old key is taken away.
 */
export class Secrets {
	private readonly keys: ReadonlyMap<string, Buffer>;
	/** The id of the key that seals. */
	readonly current: string;

	/** @throws UserFacingError if there is no key, or one is not 32 bytes long. */
	constructor(text: string | undefined) {
		const keys = (text ?? '')
			.split(',')
			.map(part => part.trim())
			.filter(part => part !== '')
			.map(part => Buffer.from(part, 'base64'));
		const [first] = keys;
		if (first === undefined || keys.some(key => key.length !== KEY_BYTES)) {
			throw new UserFacingError(
				`ERRAND_SERVICE_KEYS must have at least one key of ${KEY_BYTES} bytes in base64, separated by commas. Make one with: openssl rand -base64 ${KEY_BYTES}`,
			);
		}
		this.keys = new Map(keys.map(key => [idOf(key), key]));
		this.current = idOf(first);
	}

	/** `owner` is what the secret belongs to, such as a user and a host: a secret opens for nobody else. */
	seal(secret: string, owner: string): SealedSecret {
		const nonce = randomBytes(NONCE_BYTES);
		const cipher = createCipheriv(CIPHER, this.keyOf(this.current), nonce).setAAD(Buffer.from(owner));
		const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
		return { keyId: this.current, bytes: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
	}

	/** @throws UserFacingError if the key is missing, or the secret was changed or belongs to somebody else. */
	open({ keyId, bytes }: SealedSecret, owner: string): string {
		const nonce = bytes.subarray(0, NONCE_BYTES);
		const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
		try {
			const decipher = createDecipheriv(CIPHER, this.keyOf(keyId), nonce, { authTagLength: TAG_BYTES })
				.setAAD(Buffer.from(owner))
				.setAuthTag(tag);
			const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
			return Buffer.concat(opened).toString('utf8');
		} catch (error) {
			throw error instanceof UserFacingError
				? error
				: new UserFacingError('A secret in the database cannot be opened: it was changed. Store it again.');
		}
	}

	/** Returns a key for another purpose, which is the same wherever the same key seals. */
	derive(purpose: string): Buffer {
		return Buffer.from(hkdfSync('sha256', this.keyOf(this.current), '', purpose, KEY_BYTES));
	}

	private keyOf(id: string): Buffer {
		const key = this.keys.get(id);
		if (key === undefined) {
			throw new UserFacingError(
				`A secret in the database was sealed with the key ${id}, which ERRAND_SERVICE_KEYS does not have. Add that key behind the current one.`,
			);
		}
		return key;
	}
}

const idOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
