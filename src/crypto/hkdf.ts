import { subtle } from 'node:crypto';

export interface HkdfInput {
	secret: Uint8Array;
	salt: Uint8Array;
	info: Uint8Array;
	/** The length of the result in bytes. */
	length: number;
}

/** HKDF with SHA-256 (RFC 5869). */
export async function hkdfSha256({ secret, salt, info, length }: HkdfInput): Promise<Uint8Array> {
	const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
	return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 8 * length));
}
