import assert from 'node:assert/strict';
import { ENCRYPTED_PATH } from '../../src/contract/localConnection.ts';
import { MAXIMUM_SESSIONS } from '../../src/service/channel/responder.ts';
import type { Sealed } from './contractServer/channelCryptography.ts';

/** The ways to tamper with a sealed frame. */
export const TAMPERINGS = [
	'nonce',
	'nonce-as-text',
	'iv-short',
	'iv-repeated',
	'ciphertext',
	'tag-cut',
	'signature',
	'unsigned',
	'plain',
] as const;
export type Tampering = (typeof TAMPERINGS)[number];

/** Tampers with the sealed frames of one reply, which are genuine, starting with the frame at index `from`. */
export function tamper(frames: readonly Sealed[], kind: Tampering, from = 0): unknown[] {
	return frames.map((frame, index) => (index < from ? frame : tampered(frame, kind, frames[0]?.iv ?? '')));
}

function tampered(frame: Sealed, kind: Tampering, firstIv: string): unknown {
	const { signature: _, ...unsigned } = frame;
	switch (kind) {
		case 'nonce':
			return { ...frame, nonce: frame.nonce + 1 };
		case 'nonce-as-text':
			return { ...frame, nonce: String(frame.nonce) };
		case 'iv-short':
			return { ...frame, iv: changed(frame.iv, bytes => bytes.subarray(1)) };
		case 'iv-repeated':
			return { ...frame, iv: firstIv };
		case 'ciphertext':
			return { ...frame, ciphertext: changed(frame.ciphertext, flipped) };
		case 'tag-cut':
			return { ...frame, ciphertext: changed(frame.ciphertext, bytes => bytes.subarray(0, -4)) };
		case 'signature':
			return { ...frame, signature: changed(frame.signature, flipped) };
		case 'unsigned':
			return unsigned;
		case 'plain':
			return { content: 'in clear' };
	}
}

function changed(base64: string, change: (bytes: Buffer) => Uint8Array): string {
	return Buffer.from(change(Buffer.from(base64, 'base64'))).toString('base64');
}

function flipped(bytes: Buffer): Buffer {
	bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
	return bytes;
}

/** Begins as many sessions at a local service as it keeps, so that it forgets all earlier ones. */
export async function expireSessions({ address, token }: { address: string; token: string }): Promise<void> {
	for (let count = 0; count < MAXIMUM_SESSIONS; count++) {
		const response = await fetch(`${address}${ENCRYPTED_PATH}/attestation`, {
			headers: { authorization: `Bearer ${token}` },
		});
		assert.equal(response.status, 200);
		await response.arrayBuffer();
	}
}
