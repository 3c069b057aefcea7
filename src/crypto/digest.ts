import { subtle } from 'node:crypto';

export type DigestName = 'SHA-256' | 'SHA-384' | 'SHA-512';

export async function digest(name: DigestName, bytes: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await subtle.digest(name, bytes));
}

/** Returns the SHA-256 digest in hexadecimal. */
export async function fingerprint(bytes: Uint8Array): Promise<string> {
	return Buffer.from(await digest('SHA-256', bytes)).toString('hex');
}
