import { p384 } from '@noble/curves/nist.js';
import { subtle } from './platform.ts';
import { type PublicKey, writePublicKey } from './publicKey.ts';

/** The P-384 key pair of one session. */
export interface KeyPair {
	/** The secret number as 48 bytes. */
	secretKey: Uint8Array;
	/** The PEM of the SubjectPublicKeyInfo. */
	publicKey: string;
}

export function generateKeyPair(): KeyPair {
	const { secretKey } = p384.keygen();
	return { secretKey, publicKey: writePublicKey(p384.getPublicKey(secretKey, false)) };
}

/** Performs ECDH. Returns the x coordinate of the shared point as 48 bytes. */
export function agree(secretKey: Uint8Array, { point }: PublicKey): Uint8Array {
	// The compressed form consists of a sign byte and x.
	return Uint8Array.from(p384.getSharedSecret(secretKey, point, true)).subarray(1);
}

/**
 * Signs with ECDSA and SHA-256. Returns DER. The signature is deterministic: its nonce is derived from key and digest
 * instead of random numbers.
 */
export async function signMessage(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
	const digest = new Uint8Array(await subtle.digest('SHA-256', message));
	// By default the library would hash with SHA-384 and normalise s to the lower half; the contract asks for neither.
	return p384.sign(digest, secretKey, { prehash: false, lowS: false, format: 'der' });
}
