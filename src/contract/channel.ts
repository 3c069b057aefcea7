// The encrypted message channel: records, the message and its reply (contract: encrypted-channel.md).
import * as z from 'zod';
import { decodeBase64 } from '../base/base64.ts';
import { lenient } from './lenient.ts';
import { integerFrom } from './ranges.ts';

/** The nonce of a session's first message; each later message uses the next one (encrypted-channel.md, Limits). */
export const FIRST_NONCE = 1000;
/** The nonce of a reply is the nonce of its request plus this number. */
export const REPLY_NONCE_DISTANCE = 2000;

const IV_BYTES = 12;
/** A ciphertext ends with the authentication tag; the ciphertext of an empty text consists of the tag alone. */
const TAG_BYTES = 16;
const MAXIMUM_SESSION_ID_LENGTH = 512;

export const healthSchema = z.looseObject({
	/** The value is `healthy` when the service is up. */
	status: lenient(z.string()),
	/** The value is `ready` when messages can be encrypted. */
	crypto_status: lenient(z.string()),
	server: lenient(z.string()),
	version: lenient(z.string()),
	/** Unix seconds with a fraction. Only an organisation's own host sends this field and `worker_pid`. */
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

/**
 * The id is opaque, but must not contain anything that a log, a header or a screen would interpret as a control
 * character.
 */
const sessionId = z
	.string()
	.refine(
		text => text !== '' && [...text].length <= MAXIMUM_SESSION_ID_LENGTH && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text),
		`must be a text of 1 to ${MAXIMUM_SESSION_ID_LENGTH} printable characters`,
	);

/**
 * An attestation as received, not yet verified. Fields that later checks cannot do without are required here; evidence
 * may be absent, and the checks then report that.
 */
export const attestationSchema = z.looseObject({
	/** The key in PEM form. */
	public_key: z.string().min(1, 'must not be empty'),
	session_id: sessionId,
	nonce_b64: base64,
	/**
	 * contract: not shown. The signature is encoded as base64 (unspecified.md, "which bytes `signature` of the
	 * attestation covers").
	 */
	signature: base64,
	/** The GPU maker's report, exactly as the text that was signed. */
	report_json: z.string().min(1, 'must not be empty'),
	/** This copy of the report is not signed, so its content is compared with `report_json`. */
	report: z.unknown().optional(),
	/** contract: not shown. The token is a JWT, or the detached form with its tokens in a list (unspecified.md). */
	gpu_eat: z.unknown().optional(),
});
export type AttestationRecord = z.output<typeof attestationSchema>;

export const channelHistorySchema = z
	.array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
	.min(1);
export type ChannelMessage = z.input<typeof channelHistorySchema>[number];

const iv = base64Of(length => length === IV_BYTES, `${IV_BYTES} bytes`);
const ciphertext = base64Of(length => length >= TAG_BYTES, `${TAG_BYTES} bytes or more`);

export const messageRequestSchema = z.strictObject({
	/** The client's own public key: the PEM of a SubjectPublicKeyInfo. */
	peer_public_key: z
		.string()
		.regex(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z\d+/=\n]+\n-----END PUBLIC KEY-----\n?$/, 'must be a PEM'),
	session_id: sessionId,
	payload: z.strictObject({
		nonce: integerFrom(FIRST_NONCE),
		iv,
		ciphertext,
		/** The signature in DER form, over nonce, IV and ciphertext. */
		signature: base64,
	}),
});
export type MessageRequest = z.input<typeof messageRequestSchema>;

/** This schema is strict, unlike those of other replies: a value that does not fit was tampered with. */
export const messageReplySchema = z.looseObject({ nonce: z.int(), iv, ciphertext, signature: base64 });
export type MessageReply = z.output<typeof messageReplySchema>;
