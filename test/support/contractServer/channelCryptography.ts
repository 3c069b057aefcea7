import {
	type CipherGCMTypes,
	createCipheriv,
	createDecipheriv,
	createHash,
	createPublicKey,
	diffieHellman,
	generateKeyPairSync,
	hkdfSync,
	type KeyObject,
	randomBytes,
	sign,
	verify,
} from 'node:crypto';
import { refuse } from './checks.ts';

/** The four fields that carry an encrypted text, in either direction. */
export interface Sealed {
	nonce: number;
	iv: string;
	ciphertext: string;
	signature: string;
}

export interface KeyPair {
	publicKey: KeyObject;
	privateKey: KeyObject;
}

/** The differences between an enclave's cryptography and the contract's; none by default. */
export interface Deviation {
	/** Set to agree on something other than the ECDH secret. */
	secret?: 'hashed';
	info?: string;
	salt?: string;
	keyLength?: 16;
	additionalData?: string;
	ivLength?: 16;
	/** The encoding of the nonce in the signed bytes. */
	nonce?: 'little-endian';
	/** The signed bytes besides the nonce. */
	signed?: 'ciphertext';
}

const tagLength = 16;

export function p384KeyPair(): KeyPair {
	return generateKeyPairSync('ec', { namedCurve: 'P-384' });
}

/** Reads a P-384 key from a PEM with one SPKI block. Throws a `Refusal` for anything else. */
export function p384PublicKey(pem: string): KeyObject {
	if (!/^-----BEGIN PUBLIC KEY-----\r?\n[\w+/=\r\n]+-----END PUBLIC KEY-----\s*$/.test(pem)) {
		refuse('peer_public_key must be a PEM of a SubjectPublicKeyInfo');
	}
	let key: KeyObject;
	try {
		key = createPublicKey(pem);
	} catch {
		return refuse('peer_public_key is no public key');
	}
	if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'secp384r1') {
		refuse('peer_public_key must be a P-384 key');
	}
	return key;
}

/** Derives a key of 32 bytes: ECDH, then HKDF with SHA-256 and without salt. */
export function sharedKey(privateKey: KeyObject, publicKey: KeyObject, deviation: Deviation = {}): Buffer {
	const { info = 'handshake data', salt = '', keyLength = 32 } = deviation;
	const agreed = diffieHellman({ privateKey, publicKey });
	const secret = deviation.secret === 'hashed' ? createHash('sha256').update(agreed).digest() : agreed;
	return Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt), Buffer.from(info, 'ascii'), keyLength));
}

/** Encrypts with a fresh IV and signs nonce ‖ IV ‖ ciphertext. */
export function seal(text: string, nonce: number, key: Buffer, signer: KeyObject, deviation: Deviation = {}): Sealed {
	const iv = randomBytes(deviation.ivLength ?? 12);
	const cipher = createCipheriv(cipherOf(key), key, iv);
	cipher.setAAD(Buffer.from(deviation.additionalData ?? ''));
	const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
	const signature = sign('sha256', signedBytes(nonce, iv, ciphertext, deviation), {
		key: signer,
		dsaEncoding: 'der',
	});
	return {
		nonce,
		iv: iv.toString('base64'),
		ciphertext: ciphertext.toString('base64'),
		signature: signature.toString('base64'),
	};
}

/** Verifies the signature and the tag, and returns the text. Throws a `Refusal` if either is invalid. */
export function open(
	{ nonce, iv, ciphertext, signature }: Sealed,
	key: Buffer,
	signer: KeyObject,
	deviation: Deviation = {},
): string {
	const ivBytes = base64(iv, 'payload.iv');
	const sealed = base64(ciphertext, 'payload.ciphertext');
	if (ivBytes.length !== 12) {
		refuse('payload.iv must have 12 bytes');
	}
	if (sealed.length < tagLength) {
		refuse('payload.ciphertext has no tag');
	}
	const signatureBytes = base64(signature, 'payload.signature');
	const signed = signedBytes(nonce, ivBytes, sealed, deviation);
	if (!verify('sha256', signed, { key: signer, dsaEncoding: 'der' }, signatureBytes)) {
		refuse('payload.signature does not verify');
	}
	const decipher = createDecipheriv(cipherOf(key), key, ivBytes);
	decipher.setAAD(Buffer.from(deviation.additionalData ?? ''));
	decipher.setAuthTag(sealed.subarray(-tagLength));
	try {
		const bytes = Buffer.concat([decipher.update(sealed.subarray(0, -tagLength)), decipher.final()]);
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return refuse('payload.ciphertext does not decrypt to text');
	}
}

/** Returns the signed bytes: the nonce as 8 bytes big-endian, the IV and the ciphertext with its tag. */
export function signedBytes(nonce: number, iv: Buffer, ciphertext: Buffer, deviation: Deviation = {}): Buffer {
	const head = Buffer.alloc(8);
	if (deviation.nonce === 'little-endian') {
		head.writeBigUInt64LE(BigInt(nonce));
	} else {
		head.writeBigUInt64BE(BigInt(nonce));
	}
	return Buffer.concat(deviation.signed === 'ciphertext' ? [head, ciphertext] : [head, iv, ciphertext]);
}

function cipherOf(key: Buffer): CipherGCMTypes {
	return key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm';
}

/** Decodes base64 strictly, with padding and alphabet as in the standard. Throws a `Refusal` for anything else. */
function base64(value: string, name: string): Buffer {
	const bytes = Buffer.from(value, 'base64');
	if (bytes.toString('base64') !== value) {
		refuse(`${name} must be base64`);
	}
	return bytes;
}
