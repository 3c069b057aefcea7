// AES-256-GCM without associated data; the ciphertext ends with the tag.
import type { DecipherGCM, KeyObject, webcrypto } from 'node:crypto';
import { nodeCrypto, subtle } from './platform.ts';

export const IV_LENGTH = 12;
export const TAG_LENGTH = 16;

/** What is no longer is decrypted at once: to hand it to another thread would take longer than the work. */
const AT_ONCE = 65_536;

/** Cannot be read out again. */
export type AesKey = webcrypto.CryptoKey;

/** The same keys as the platform's own library takes them. */
const platformKeys = new WeakMap<AesKey, KeyObject>();

const parameters = (iv: Uint8Array) => ({ name: 'AES-GCM', iv, tagLength: 8 * TAG_LENGTH });

/** From 32 bytes. */
export async function importAesKey(bytes: Uint8Array): Promise<AesKey> {
	const key = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
	if (nodeCrypto) {
		platformKeys.set(key, nodeCrypto.createSecretKey(bytes));
	}
	return key;
}

/** The IV must be new for the key. */
export async function encrypt(key: AesKey, iv: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await subtle.encrypt(parameters(iv), key, plain));
}

/** Undefined where the tag does not hold. */
export async function decrypt(key: AesKey, iv: Uint8Array, ciphertext: Uint8Array): Promise<Uint8Array | undefined> {
	const platformKey = platformKeys.get(key);
	if (nodeCrypto && platformKey && ciphertext.length <= AT_ONCE) {
		return decryptAtOnce(nodeCrypto.createDecipheriv('aes-256-gcm', platformKey, iv, OPTIONS), ciphertext);
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

function decryptAtOnce(decipher: DecipherGCM, ciphertext: Uint8Array): Uint8Array | undefined {
	const end = ciphertext.length - TAG_LENGTH;
	if (end < 0) {
		return undefined;
	}
	const plain = decipher.setAuthTag(ciphertext.subarray(end)).update(ciphertext.subarray(0, end));
	try {
		decipher.final();
		return plain;
	} catch {
		return undefined;
	}
}
