import { createPublicKey, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { PublicKey } from './publicKey.ts';
import { RAW_SIGNATURE_LENGTH, writeDerSignature } from './signature.ts';

export type Digest = 'SHA-256' | 'SHA-384';

/** Resolves with true if `signature`, r ‖ s as 96 bytes, is a signature of `message` by the key. */
export type Verifier = (message: Uint8Array, signature: Uint8Array, digest: Digest) => Promise<boolean>;

const check = promisify(verify);

/** Verifies signatures off the event loop, several in parallel. */
export function createVerifier({ spki }: PublicKey): Verifier {
	const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
	return async (message, signature, digest) =>
		signature.length === RAW_SIGNATURE_LENGTH &&
		// A DER signature is checked with the bare key. A raw one needs an object that names its form, and takes twice as long.
		check(NODE_DIGEST[digest], message, key, writeDerSignature(signature));
}

const NODE_DIGEST: Readonly<Record<Digest, string>> = { 'SHA-256': 'sha256', 'SHA-384': 'sha384' };
