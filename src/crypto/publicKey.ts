import { p384 } from '@noble/curves/nist.js';
import { decodeBase64 } from '../base/base64.ts';
import { fingerprint } from './digest.ts';
import { CryptoRefusal } from './refusal.ts';

/** A P-384 public key whose point has been verified to lie on the curve. */
export interface PublicKey {
	/** The SubjectPublicKeyInfo as DER, 120 bytes. */
	spki: Uint8Array;
	/** The uncompressed point: 04 ‖ x ‖ y, 97 bytes. */
	point: Uint8Array;
}

/**
 * The bytes before the point in the only DER form that is accepted (RFC 5480): the sequence, id-ecPublicKey with
 * secp384r1 as a named curve, and a bit string without unused bits. Accepting other encodings would give the same key
 * several fingerprints.
 */
const PREFIX = Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex');
const POINT_LENGTH = 97;
/** The line length that RFC 7468 requires. */
const LINE_LENGTH = 64;
const PEM = /^-----BEGIN PUBLIC KEY-----\r?\n((?:[A-Za-z\d+/]+=*\r?\n)+)-----END PUBLIC KEY-----(?:\r?\n)*$/;

/**
 * Reads exactly one PEM block and nothing else.
 * @throws CryptoRefusal
 */
export function readPublicKey(pem: string): PublicKey {
	const spki = decodeBase64(PEM.exec(pem)?.[1]?.replace(/\r?\n/g, '') ?? '');
	if (!spki || spki.length === 0) {
		throw new CryptoRefusal('pem-key', 'it is not one PEM block of a public key');
	}
	return readSubjectPublicKeyInfo(spki);
}

/**
 * Reads the same key from its DER encoding.
 * @throws CryptoRefusal
 */
export function readSubjectPublicKeyInfo(spki: Uint8Array): PublicKey {
	if (spki.length !== PREFIX.length + POINT_LENGTH || !PREFIX.every((byte, index) => spki[index] === byte)) {
		throw new CryptoRefusal(
			'key-form',
			'it is not the SubjectPublicKeyInfo of an uncompressed key of the named curve P-384',
		);
	}
	const point = spki.subarray(PREFIX.length);
	if (!isOnCurve(point)) {
		throw new CryptoRefusal('curve', 'its point is not on the curve P-384');
	}
	return { spki, point };
}

/** Returns the SHA-256 digest of the SubjectPublicKeyInfo in hexadecimal, which identifies the key. */
export function fingerprintOf({ spki }: PublicKey): Promise<string> {
	return fingerprint(spki);
}

/** Returns the PEM of an uncompressed point. */
export function writePublicKey(point: Uint8Array): string {
	const lines =
		Buffer.concat([PREFIX, point])
			.toString('base64')
			.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
	return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}

/** A point of this length is read only in the uncompressed form. */
function isOnCurve(point: Uint8Array): boolean {
	try {
		p384.Point.fromBytes(point).assertValidity();
		return true;
	} catch {
		return false;
	}
}
