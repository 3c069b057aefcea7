// The encrypted message channel: records, the message and its reply (contract: encrypted-channel.md).
import * as z from 'zod';
import { decodeBase64 } from '../base/base64.ts';
import { lenient } from './lenient.ts';
import { integerFrom } from './ranges.ts';

/** The nonce of a session's first message; each later one has the next (encrypted-channel.md, Limits). */
export const FIRST_NONCE = 1000;
/** The nonce of a reply lies this far above that of its request. */
export const REPLY_NONCE_DISTANCE = 2000;

const IV_BYTES = 12;
/** A ciphertext ends with the authentication tag, and an empty text has nothing else. */
const TAG_BYTES = 16;
const MAXIMUM_SESSION_ID_LENGTH = 512;

export const healthSchema = z.looseObject({
	/** `healthy` when up. */
	status: lenient(z.string()),
	/** `ready` when messages can be encrypted. */
	crypto_status: lenient(z.string()),
	server: lenient(z.string()),
	version: lenient(z.string()),
	/** Unix seconds with a fraction. An organisation's own host alone has it and `worker_pid`. */
	timestamp: lenient(z.number()),
	worker_pid: lenient(z.int()),
});
export type Health = z.output<typeof healthSchema>;

const base64 = z.string().refine(text => text !== '' && decodeBase64(text) !== undefined, 'must be base64');

const base64Of = (allowed: (length: number) => boolean, what: string) =>
	z.string().refine(text => {
		const bytes = decodeBase64(text);
		return bytes !== undefined && allowed(bytes.length);
	}, `must be the base64 of ${what}`);

/** Opaque, but nothing that a log, a header or a screen would take for an order of its own. */
const sessionId = z
	.string()
	.refine(
		text => text !== '' && [...text].length <= MAXIMUM_SESSION_ID_LENGTH && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text),
		`must be a text of 1 to ${MAXIMUM_SESSION_ID_LENGTH} printable characters`,
	);

/**
 * An attestation as received, unproven. What the later checks cannot do without is demanded here; evidence may be
 * absent, which those checks then say.
 */
export const attestationSchema = z.looseObject({
	/** PEM. */
	public_key: z.string().min(1, 'must not be empty'),
	session_id: sessionId,
	nonce_b64: base64,
	/** contract: not shown. Its form is base64 (unspecified.md, "which bytes `signature` of the attestation covers"). */
	signature: base64,
	/** The GPU maker's report as the text that was signed. */
	report_json: z.string().min(1, 'must not be empty'),
	/** Unsigned, so that whatever stands here is held against `report_json`. */
	report: z.unknown().optional(),
	/** contract: not shown. A JWT, or the detached form with its tokens in a list (unspecified.md). */
	gpu_eat: z.unknown().optional(),
});
export type AttestationRecord = z.output<typeof attestationSchema>;

/** The conversation that a message carries encrypted. */
export const channelHistorySchema = z
	.array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
	.min(1);
export type ChannelMessage = z.input<typeof channelHistorySchema>[number];

const iv = base64Of(length => length === IV_BYTES, `${IV_BYTES} bytes`);
const ciphertext = base64Of(length => length >= TAG_BYTES, `${TAG_BYTES} bytes or more`);

export const messageRequestSchema = z.strictObject({
	/** The client's own, as the PEM of a SubjectPublicKeyInfo. */
	peer_public_key: z
		.string()
		.regex(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z\d+/=\n]+\n-----END PUBLIC KEY-----\n?$/, 'must be a PEM'),
	session_id: sessionId,
	payload: z.strictObject({
		nonce: integerFrom(FIRST_NONCE),
		iv,
		ciphertext,
		/** DER, over nonce, IV and ciphertext. */
		signature: base64,
	}),
});
export type MessageRequest = z.input<typeof messageRequestSchema>;

/** Strict, unlike other replies: what does not fit was tampered with. */
export const messageReplySchema = z.looseObject({ nonce: z.int(), iv, ciphertext, signature: base64 });
export type MessageReply = z.output<typeof messageReplySchema>;
