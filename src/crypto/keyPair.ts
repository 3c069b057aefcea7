import { p384 } from '@noble/curves/nist.js';
import { digest } from './digest.ts';
import { type PublicKey, writePublicKey } from './publicKey.ts';

/** A P-384 key pair: of one message on the client's side, of the process on the service's side. */
export interface KeyPair {
	/** 48 bytes. */
	secretKey: Uint8Array;
	/** The PEM of the SubjectPublicKeyInfo. */
	publicKey: string;
}

// By default, the first key pair would compute a table of multiples, which would block the event loop for 50 to 100 ms.
// Without it, a message takes some 10 ms more, so the table would pay off only after many messages.
p384.Point.BASE.precompute(1);

export function generateKeyPair(): KeyPair {
	const secretKey = p384.utils.randomSecretKey();
	return { secretKey, publicKey: writePublicKey(p384.getPublicKey(secretKey, false)) };
}

/** Returns the secret that both sides agree on by ECDH: the x coordinate of the shared point, 48 bytes. */
export function agree(secretKey: Uint8Array, { point }: PublicKey): Uint8Array {
	// The compressed form of a point is a byte for the sign of y, then x.
	return p384.getSharedSecret(secretKey, point, true).subarray(1);
}

/**
 * Signs by ECDSA with SHA-256 and returns the signature as DER. Its nonce is derived from the key and the message (RFC
 * 6979), so a bad random number generator reveals nothing.
 */
export async function signMessage(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
	// By default, the library would hash with SHA-384 and move s into the lower half.
	return p384.sign(await digest('SHA-256', message), secretKey, { prehash: false, lowS: false, format: 'der' });
}
