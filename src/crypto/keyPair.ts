import { p384 } from '@noble/curves/nist.js';
import { subtle } from './platform.ts';
import { type PublicKey, writePublicKey } from './publicKey.ts';

/** A P-384 key pair of one session. */
export interface KeyPair {
	/** 48 bytes. */
	secretKey: Uint8Array;
	/** PEM of the SubjectPublicKeyInfo. */
	publicKey: string;
}

export function generateKeyPair(): KeyPair {
	const { secretKey } = p384.keygen();
	return { secretKey, publicKey: writePublicKey(p384.getPublicKey(secretKey, false)) };
}

/** ECDH: the x coordinate of the shared point, 48 bytes. */
export function agree(secretKey: Uint8Array, { point }: PublicKey): Uint8Array {
	// The compressed form is a sign byte and x.
	return Uint8Array.from(p384.getSharedSecret(secretKey, point, true)).subarray(1);
}

/** ECDSA with SHA-256, as DER. The random number of the signature comes from key and digest, never from chance. */
export async function signMessage(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
	const digest = new Uint8Array(await subtle.digest('SHA-256', message));
	// The library would hash with SHA-384 and move s into the lower half, which nothing here asks for.
	return p384.sign(digest, secretKey, { prehash: false, lowS: false, format: 'der' });
}
