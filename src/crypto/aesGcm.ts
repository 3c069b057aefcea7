// AES-256-GCM without associated data. The ciphertext ends with the authentication tag.
import type { webcrypto } from 'node:crypto';
import { subtle } from './platform.ts';

export const IV_LENGTH = 12;
export const TAG_LENGTH = 16;

/** The key is not extractable. */
export type AesKey = webcrypto.CryptoKey;

const parameters = (iv: Uint8Array) => ({ name: 'AES-GCM', iv, tagLength: 8 * TAG_LENGTH });

/** Imports a key of 32 bytes. */
export function importAesKey(bytes: Uint8Array): Promise<AesKey> {
	return subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** The IV must never have been used with this key before. */
export async function encrypt(key: AesKey, iv: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await subtle.encrypt(parameters(iv), key, plain));
}

/** Returns undefined if the authentication tag does not match. */
export async function decrypt(key: AesKey, iv: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array | undefined> {
	try {
		return new Uint8Array(await subtle.decrypt(parameters(iv), key, ciphertext));
	} catch (error) {
		if (error instanceof Error && error.name === 'OperationError') {
			return undefined;
		}
		throw error;
	}
}
