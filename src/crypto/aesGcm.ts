// AES-256-GCM without associated data. The ciphertext ends with the tag.
import { createDecipheriv, createSecretKey, type KeyObject, subtle, type webcrypto } from 'node:crypto';

export const IV_LENGTH = 12;
export const TAG_LENGTH = 16;

/** Up to this size, data is decrypted synchronously: handing it to another thread would take longer. */
const MAXIMUM_SYNCHRONOUS = 65_536;

/** A key whose bytes cannot be exported. */
export type AesKey = webcrypto.CryptoKey;

/** The same keys in the form that the synchronous functions accept. */
const keyObjects = new WeakMap<AesKey, KeyObject>();

const parameters = (iv: Uint8Array) => ({ name: 'AES-GCM', iv, tagLength: 8 * TAG_LENGTH });

/** Creates a key from 32 bytes. */
export async function importAesKey(bytes: Uint8Array): Promise<AesKey> {
	const key = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
	keyObjects.set(key, createSecretKey(bytes));
	return key;
}

/** Encrypts. The IV must never have been used with this key before. */
export async function encrypt(key: AesKey, iv: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await subtle.encrypt(parameters(iv), key, plain));
}

/** Returns undefined if the tag does not match. */
export async function decrypt(key: AesKey, iv: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array | undefined> {
	const keyObject = keyObjects.get(key);
	if (keyObject && ciphertext.length <= MAXIMUM_SYNCHRONOUS) {
		return decryptSynchronously(keyObject, iv, ciphertext);
	}
	try {
		return new Uint8Array(await subtle.decrypt(parameters(iv), key, ciphertext));
	} catch (error) {
		if (error instanceof Error && error.name === 'OperationError') {
			return undefined;
		}
		throw error;
	}
}

const OPTIONS = { authTagLength: TAG_LENGTH };

function decryptSynchronously(key: KeyObject, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
	const end = ciphertext.length - TAG_LENGTH;
	if (end < 0) {
		return undefined;
	}
	const decipher = createDecipheriv('aes-256-gcm', key, iv, OPTIONS).setAuthTag(ciphertext.subarray(end));
	const plain = decipher.update(ciphertext.subarray(0, end));
	try {
		// Only this call compares the tag.
		decipher.final();
		return plain;
	} catch {
		return undefined;
	}
}
