import { SerialQueue } from '../../base/async.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { parseJson } from '../../base/json.ts';
import {
	type ChannelMessage,
	channelHistorySchema,
	FIRST_NONCE,
	type MessageReply,
	type MessageRequest,
	REPLY_NONCE_DISTANCE,
} from '../../contract/channel.ts';
import type { AesKey } from '../../crypto/aesGcm.ts';
import { readPublicKey } from '../../crypto/publicKey.ts';
import { CryptoRefusal } from '../../crypto/refusal.ts';
import { deriveMessageKey, openFrame, type SealedFrame, type Signer, sealFrame } from '../../crypto/sealedFrame.ts';
import { createVerifier, type Verifier } from '../../crypto/verifier.ts';
import { RequestRefused } from '../replies.ts';

/** contract: not shown. The limits of a session and of a message (encrypted-channel.md, Limits). */
export const MAXIMUM_MESSAGES = 1000;
export const MAXIMUM_CIPHERTEXT_MEGABYTES = 8;

/** A message that has been verified and decrypted. */
export interface OpenedMessage {
	history: ChannelMessage[];
	/** Seals a text as the reply, or as a part of it. Each call uses a fresh IV. */
	seal(text: string): Promise<MessageReply>;
}

/** The keys with which the service opens messages and seals replies. */
export interface Identity {
	/** The secret half of the key that the attestation names. */
	secretKey: Uint8Array;
	sign: Signer;
}

/** A client's key, and the key derived for its messages. */
interface Peer {
	key: AesKey;
	verify: Verifier;
}

/**
 * The state of the session that belongs to one attestation: the next nonce, and the IVs that the client has used.
 *
 * contract: not shown. Each message may bring a key of its own, and none is bound to the session. So an attacker in the
 * middle who sees a session in clear text, and has the service's token, can spend its nonces, but cannot read or answer
 * anything of it.
 */
export class ChannelSession {
	private readonly identity: Identity;
	/**
	 * Messages are verified one after another: if a later one were verified first, its nonce would look like one that is
	 * ahead.
	 */
	private readonly queue = new SerialQueue();
	/** Only the client's IVs are tracked: our own reply, if sent back to us, does not carry the client's signature. */
	private readonly ivs = new Set<string>();
	private nonce = FIRST_NONCE;
	private isBroken = false;

	constructor(identity: Identity) {
		this.identity = identity;
	}

	get isOver(): boolean {
		return this.isBroken || this.nonce >= FIRST_NONCE + MAXIMUM_MESSAGES;
	}

	/**
	 * Opens the session's next message.
	 * @throws RequestRefused 400 for an invalid key, signature, nonce, IV or text, 409 for a session that is over, 413
	 * for a ciphertext that is too large.
	 */
	open({ peer_public_key: publicKey, payload }: MessageRequest): Promise<OpenedMessage> {
		return this.queue.run(async () => {
			if (this.isOver) {
				throw sessionExpired();
			}
			const peer = this.peerOf(publicKey);
			const frame: SealedFrame = {
				nonce: payload.nonce,
				iv: bytesOf(payload.iv),
				ciphertext: bytesOf(payload.ciphertext),
				signature: bytesOf(payload.signature),
			};
			const plain = await this.openFrom(peer, frame, payload.iv);
			return {
				history: readHistory(plain),
				seal: text => this.seal(text, frame.nonce + REPLY_NONCE_DISTANCE, peer),
			};
		});
	}

	private peerOf(pem: string): Peer {
		try {
			const publicKey = readPublicKey(pem);
			const key = deriveMessageKey(this.identity.secretKey, publicKey);
			return { key, verify: createVerifier(publicKey) };
		} catch (error) {
			throw error instanceof CryptoRefusal
				? new RequestRefused(400, `peer_public_key cannot be used: ${error.message}.`)
				: error;
		}
	}

	private async openFrom(peer: Peer, frame: SealedFrame, iv: string): Promise<Uint8Array> {
		try {
			return await openFrame(frame, peer.key, async (...signed) => {
				const holds = await peer.verify(...signed);
				if (holds) {
					// The nonce is spent between verification and decryption: a sender without the key cannot spend nonces, and
					// nothing is decrypted twice.
					this.admit(frame, iv);
				}
				return holds;
			});
		} catch (error) {
			throw error instanceof CryptoRefusal
				? new RequestRefused(400, `payload cannot be opened: ${error.message}.`)
				: error;
		}
	}

	/** Spends the nonce of a frame whose signature has been verified. */
	private admit({ nonce, ciphertext }: SealedFrame, iv: string): void {
		if (nonce !== this.nonce) {
			// The client has spent nonces on messages that never arrived, so none of its later nonces could be the next one.
			this.isBroken = nonce > this.nonce;
			const remedy = this.isBroken ? '; this session has ended, fetch a new attestation' : '';
			throw new RequestRefused(400, `payload.nonce must be ${this.nonce} now${remedy}.`);
		}
		this.nonce++;
		if (this.ivs.has(iv)) {
			throw new RequestRefused(400, 'payload.iv was used before in this session.');
		}
		this.ivs.add(iv);
		if (ciphertext.length > MAXIMUM_CIPHERTEXT_MEGABYTES * 1024 * 1024) {
			throw new RequestRefused(413, `payload.ciphertext is larger than ${MAXIMUM_CIPHERTEXT_MEGABYTES} MB.`);
		}
	}

	private async seal(text: string, nonce: number, { key }: Peer): Promise<MessageReply> {
		const { iv, ciphertext, signature } = await sealFrame(Buffer.from(text), nonce, key, this.identity.sign);
		return { nonce, iv: base64(iv), ciphertext: base64(ciphertext), signature: base64(signature) };
	}
}

/**
 * Returns the refusal of an expired session. An unknown session gets the same, as it may be one that was evicted
 * (States and transitions).
 */
export function sessionExpired(): RequestRefused {
	return new RequestRefused(409, 'The session has expired. Fetch a new attestation, and begin again with nonce 1000.');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The error does not say what is wrong: the refusal is sent in clear text and must not repeat encrypted content. */
function readHistory(plain: Uint8Array): ChannelMessage[] {
	let value: unknown;
	try {
		value = parseJson(utf8.decode(plain));
	} catch {
		// The value stays undefined, which is not a conversation either.
	}
	const { data } = channelHistorySchema.safeParse(value);
	if (data === undefined) {
		throw new RequestRefused(
			400,
			'The decrypted conversation must be a JSON array of objects with a role (system, user or assistant) and a text as content.',
		);
	}
	return data;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The schema has already verified that the text is base64. */
const bytesOf = (text: string): Uint8Array => decodeBase64(text) ?? new Uint8Array();
