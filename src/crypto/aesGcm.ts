// AES-256-GCM without associated data. The ciphertext ends with the tag.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

export const IV_LENGTH = 12;
export const TAG_LENGTH = 16;

const OPTIONS = { authTagLength: TAG_LENGTH };

/** A key of 32 bytes, which cannot be read out. */
export class AesKey {
	readonly #key: KeyObject;

	constructor(bytes: Uint8Array) {
		this.#key = createSecretKey(bytes);
	}

	/** The IV must never have been used with this key before. */
	encrypt(iv: Uint8Array, plain: Uint8Array): Uint8Array {
		const cipher = createCipheriv('aes-256-gcm', this.#key, iv, OPTIONS);
		return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
	}

	/** Returns undefined if the tag does not match. */
	decrypt(iv: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
		const end = ciphertext.length - TAG_LENGTH;
		if (end < 0) {
			return undefined;
		}
		const decipher = createDecipheriv('aes-256-gcm', this.#key, iv, OPTIONS).setAuthTag(ciphertext.subarray(end));
		const plain = decipher.update(ciphertext.subarray(0, end));
		try {
			// Only this call compares the tag.
			decipher.final();
			return plain;
		} catch {
			return undefined;
		}
	}
}
