import type { KeyObject } from 'node:crypto';
import { p384 } from '@noble/curves/nist.js';
import { type NodeCrypto, nodeCrypto, subtle } from './platform.ts';
import { type PublicKey, writePublicKey } from './publicKey.ts';

/** A P-384 key pair of one session. */
export interface KeyPair {
	/** 48 bytes. */
	secretKey: Uint8Array;
	/** PEM of the SubjectPublicKeyInfo. */
	publicKey: string;
}

const SECRET_LENGTH = 48;
const CURVE = 'secp384r1';
/** What stands around a secret key as RFC 5915 writes it, without the public one. */
const BEFORE_SECRET = Buffer.from('303e0201010430', 'hex');
const AFTER_SECRET = Buffer.from('a00706052b81040022', 'hex');

// Each of these works with the platform's own library where there is one: the portable one makes a table before the first
// key and the first signature, for which the event loop would stand still for some 50 ms.

export function generateKeyPair(platform: NodeCrypto | null = nodeCrypto ?? null): KeyPair {
	if (platform) {
		const own = platform.createECDH(CURVE);
		const publicKey = writePublicKey(own.generateKeys());
		const secretKey = new Uint8Array(SECRET_LENGTH);
		const number = own.getPrivateKey();
		secretKey.set(number, SECRET_LENGTH - number.length);
		return { secretKey, publicKey };
	}
	const { secretKey } = p384.keygen();
	return { secretKey, publicKey: writePublicKey(p384.getPublicKey(secretKey, false)) };
}

/** ECDH: the x coordinate of the shared point, 48 bytes. */
export function agree(
	secretKey: Uint8Array,
	{ point }: PublicKey,
	platform: NodeCrypto | null = nodeCrypto ?? null,
): Uint8Array {
	if (platform) {
		const own = platform.createECDH(CURVE);
		own.setPrivateKey(secretKey);
		return own.computeSecret(point);
	}
	// The compressed form is a sign byte and x.
	return Uint8Array.from(p384.getSharedSecret(secretKey, point, true)).subarray(1);
}

/** ECDSA with SHA-256, as DER. The random number of the signature never comes from chance alone, but from key and digest. */
export async function signMessage(
	secretKey: Uint8Array,
	message: Uint8Array,
	platform: NodeCrypto | null = nodeCrypto ?? null,
): Promise<Uint8Array> {
	if (platform) {
		return signBesideTheLoop(platformKey(secretKey, platform), message, platform);
	}
	const digest = new Uint8Array(await subtle.digest('SHA-256', message));
	// The library would hash with SHA-384 and move s into the lower half, which nothing here asks for.
	return p384.sign(digest, secretKey, { prehash: false, lowS: false, format: 'der' });
}

function signBesideTheLoop(key: KeyObject, message: Uint8Array, { sign }: NodeCrypto): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		sign('sha256', message, key, (error, signature) => {
			if (error) {
				reject(error);
			} else {
				resolve(signature);
			}
		});
	});
}

/** A session signs with one key, which is read in once. */
const platformKeys = new WeakMap<Uint8Array, KeyObject>();

function platformKey(secretKey: Uint8Array, { createPrivateKey }: NodeCrypto): KeyObject {
	const known = platformKeys.get(secretKey);
	if (known) {
		return known;
	}
	const der = Buffer.concat([BEFORE_SECRET, secretKey, AFTER_SECRET]);
	const key = createPrivateKey({ key: der, format: 'der', type: 'sec1' });
	platformKeys.set(secretKey, key);
	return key;
}
