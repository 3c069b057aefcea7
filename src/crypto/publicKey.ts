import { p384 } from '@noble/curves/nist.js';
import { decodeBase64 } from '../base/base64.ts';
import { fingerprint } from './digest.ts';
import { CryptoRefusal } from './refusal.ts';

/** A P-384 key whose point was seen to lie on the curve. */
export interface PublicKey {
	/** SubjectPublicKeyInfo as DER, 120 bytes. */
	spki: Uint8Array;
	/** Uncompressed: 04 ‖ x ‖ y, 97 bytes. */
	point: Uint8Array;
}

/**
 * All that comes before the point in the one DER form that is taken (RFC 5480): the sequence, id-ecPublicKey with
 * secp384r1 as a named curve, and a bit string without unused bits. Other encodings of the same key would be a second
 * name for it.
 */
const PREFIX = Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex');
const POINT_LENGTH = 97;
/** RFC 7468. */
const LINE_LENGTH = 64;
const PEM = /^-----BEGIN PUBLIC KEY-----\r?\n((?:[A-Za-z\d+/]+=*\r?\n)+)-----END PUBLIC KEY-----(?:\r?\n)*$/;

/** Reads one PEM block, and nothing beside it. Throws `CryptoRefusal`. */
export function readPublicKey(pem: string): PublicKey {
	const spki = decodeBase64(PEM.exec(pem)?.[1]?.replace(/\r?\n/g, '') ?? '');
	if (!spki || spki.length === 0) {
		throw new CryptoRefusal('pem-key', 'it is not one PEM block of a public key');
	}
	return readSubjectPublicKeyInfo(spki);
}

/** The same from its DER. Throws `CryptoRefusal`. */
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

/** SHA-256 of the SubjectPublicKeyInfo, in hexadecimal digits: what one key is told from another by. */
export function fingerprintOf({ spki }: PublicKey): Promise<string> {
	return fingerprint(spki);
}

/** The PEM of an uncompressed point. */
export function writePublicKey(point: Uint8Array): string {
	const lines =
		Buffer.concat([PREFIX, point])
			.toString('base64')
			.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
	return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}

/** Of 97 bytes only those of an uncompressed point are taken. */
function isOnCurve(point: Uint8Array): boolean {
	try {
		p384.Point.fromBytes(point).assertValidity();
		return true;
	} catch {
		return false;
	}
}
