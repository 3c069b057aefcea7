import { hkdfSync } from 'node:crypto';
import { AesKey, IV_LENGTH, TAG_LENGTH } from './aesGcm.ts';
import { agree } from './keyPair.ts';
import type { PublicKey } from './publicKey.ts';
import { CryptoRefusal } from './refusal.ts';
import { readDerSignature } from './signature.ts';
import type { Verifier } from './verifier.ts';

/** One text of the encrypted channel, in either direction (contract: encrypted-channel.md, Cryptographic contract). */
export interface SealedFrame {
	/** The nonce, a safe integer. */
	nonce: number;
	/** The IV, 12 bytes. */
	iv: Uint8Array;
	/** The ciphertext, which ends with the tag of 16 bytes. */
	ciphertext: Uint8Array;
	/** The signature in DER form, over nonce, IV and ciphertext. */
	signature: Uint8Array;
}

const KEY_LENGTH = 32;
const NONCE_LENGTH = 8;
const INFO = Buffer.from('handshake data', 'ascii');

/** Signs bytes with the sender's key by ECDSA with SHA-256, and resolves with the signature as DER. */
export type Signer = (message: Uint8Array) => Promise<Uint8Array>;

/** Derives the key of a message and its reply; both sides derive the same one. */
export function deriveMessageKey(secretKey: Uint8Array, peer: PublicKey): AesKey {
	const derived = hkdfSync('sha256', agree(secretKey, peer), new Uint8Array(), INFO, KEY_LENGTH);
	return new AesKey(new Uint8Array(derived));
}

/** Encrypts with a fresh IV and signs. */
export async function sealFrame(plain: Uint8Array, nonce: number, key: AesKey, sign: Signer): Promise<SealedFrame> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
	const ciphertext = key.encrypt(iv, plain);
	return { nonce, iv, ciphertext, signature: await sign(signedBytes(nonce, iv, ciphertext)) };
}

/**
 * Verifies the signature, then decrypts.
 * @throws CryptoRefusal if anything about the frame is wrong.
 */
export async function openFrame(frame: SealedFrame, key: AesKey, verify: Verifier): Promise<Uint8Array> {
	const { nonce, iv, ciphertext, signature } = frame;
	if (!Number.isSafeInteger(nonce) || nonce < 0 || iv.length !== IV_LENGTH || ciphertext.length < TAG_LENGTH) {
		throw new CryptoRefusal('frame', 'it does not have the form of a sealed frame');
	}
	const raw = readDerSignature(signature);
	if (!raw) {
		throw new CryptoRefusal('frame', 'its signature is not strict DER');
	}
	if (!(await verify(signedBytes(nonce, iv, ciphertext), raw, 'SHA-256'))) {
		throw new CryptoRefusal('frame', 'its signature is not one of the other side');
	}
	const plain = key.decrypt(iv, ciphertext);
	if (!plain) {
		throw new CryptoRefusal('frame', 'it was not encrypted with the key of its message');
	}
	return plain;
}

/** Returns u64be(nonce) ‖ IV ‖ ciphertext. */
function signedBytes(nonce: number, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(NONCE_LENGTH + iv.length + ciphertext.length);
	new DataView(bytes.buffer).setBigUint64(0, BigInt(nonce));
	bytes.set(iv, NONCE_LENGTH);
	bytes.set(ciphertext, NONCE_LENGTH + iv.length);
	return bytes;
}
