import * as z from 'zod';
import { UserFacingError } from '../../base/errors.ts';
import type { MessageReply } from '../../contract/channel.ts';

/** The environment variable that holds the modes as JSON. */
export const TEST_MODES_VARIABLE = 'ERRAND_CHANNEL_TEST';

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
type Tampering = (typeof TAMPERINGS)[number];

const schema = z.strictObject({
	/** The number of messages that a session accepts before it expires. */
	messagesPerSession: z.int().min(0).optional(),
	/** Whether each attestation gets a new key. */
	rotatesKey: z.boolean().optional(),
	framing: z.enum(['events', 'lines']).optional(),
	batching: z.enum(['token', 'batch']).optional(),
	/** The way to tamper with the sealed frames of a reply, starting with the frame of index `from`. */
	tampering: z.strictObject({ kind: z.enum(TAMPERINGS), from: z.int().min(0).default(0) }).optional(),
});

/** Modes of the responder for testing clients against it. Neither the service's own tests nor its users need them. */
export type TestModes = z.output<typeof schema>;

/**
 * Reads the modes.
 * @throws UserFacingError for invalid JSON or an unknown mode.
 */
export function readTestModes(text: string | undefined): TestModes {
	if (text === undefined) {
		return {};
	}
	try {
		return schema.parse(JSON.parse(text));
	} catch {
		throw new UserFacingError(`${TEST_MODES_VARIABLE} is no JSON with modes that are known.`);
	}
}

/** Tampers with the frames of one reply before they are sent. Each of them was sealed correctly. */
export class Tamperer {
	private readonly mode: TestModes['tampering'];
	private count = 0;
	private firstIv: string | undefined;

	constructor({ tampering }: TestModes) {
		this.mode = tampering;
	}

	apply(frame: MessageReply): unknown {
		this.firstIv ??= frame.iv;
		const isMeant = this.mode !== undefined && this.count >= this.mode.from;
		this.count++;
		return this.mode && isMeant ? tampered(frame, this.mode.kind, this.firstIv) : frame;
	}
}

function tampered(frame: MessageReply, kind: Tampering, firstIv: string): unknown {
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
