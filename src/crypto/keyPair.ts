import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type PublicKey, writePublicKey } from './publicKey.ts';

/** A P-384 key pair of one session. */
export interface KeyPair {
	/** 48 bytes. */
	secretKey: Uint8Array;
	/** The PEM of the SubjectPublicKeyInfo. */
	publicKey: string;
}

const SECRET_LENGTH = 48;
const CURVE = 'secp384r1';
/** The bytes around a secret key in the form of RFC 5915, without the public key. */
const BEFORE_SECRET = Buffer.from('303e0201010430', 'hex');
const AFTER_SECRET = Buffer.from('a00706052b81040022', 'hex');

export function generateKeyPair(): KeyPair {
	const own = createECDH(CURVE);
	const publicKey = writePublicKey(own.generateKeys());
	// Node leaves out leading zeros.
	const secretKey = new Uint8Array(SECRET_LENGTH);
	const number = own.getPrivateKey();
	secretKey.set(number, SECRET_LENGTH - number.length);
	return { secretKey, publicKey };
}

/** Returns the secret that both sides agree on by ECDH: the x coordinate of the shared point, 48 bytes. */
export function agree(secretKey: Uint8Array, { point }: PublicKey): Uint8Array {
	const own = createECDH(CURVE);
	own.setPrivateKey(secretKey);
	return own.computeSecret(point);
}

/**
 * Signs by ECDSA with SHA-256, off the event loop, and resolves with the signature as DER. OpenSSL makes the signature's
 * nonce from the key and the message as well as from random bytes, so a bad random number generator gives nothing away.
 */
export function signMessage(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		sign('sha256', message, keyObject(secretKey), (error, signature) => {
			if (error) {
				reject(error);
			} else {
				resolve(signature);
			}
		});
	});
}

/** A session signs all its messages with one key, which is therefore parsed only once. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function keyObject(secretKey: Uint8Array): KeyObject {
	const known = keyObjects.get(secretKey);
	if (known) {
		return known;
	}
	const der = Buffer.concat([BEFORE_SECRET, secretKey, AFTER_SECRET]);
	const key = createPrivateKey({ key: der, format: 'der', type: 'sec1' });
	keyObjects.set(secretKey, key);
	return key;
}
