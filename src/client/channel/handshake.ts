import { decodeBase64 } from '../../base/base64.ts';
import { ClientError } from '../../base/errors.ts';
import { FIRST_NONCE, type MessageReply, type MessageRequest } from '../../contract/channel.ts';
import type { AesKey } from '../../crypto/aesGcm.ts';
import { generateKeyPair, type KeyPair } from '../../crypto/keyPair.ts';
import type { PublicKey } from '../../crypto/publicKey.ts';
import { CryptoRefusal } from '../../crypto/refusal.ts';
import { deriveMessageKey, openFrame, sealFrame } from '../../crypto/sealedFrame.ts';
import { createVerifier, type Verifier } from '../../crypto/verifier.ts';
import type { Attested } from '../types.ts';

/** A reply with more frames than this is refused, which bounds the memory for their IVs. */
const MAXIMUM_IVS = 1_000_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** One attestation serves one message and its reply. This holds their keys and the IVs that were seen. */
export class Handshake {
	readonly attested: Attested;
	private readonly keyPair: KeyPair;
	private readonly key: AesKey;
	private readonly verify: Verifier;
	/** The IVs of both directions, which share a key. */
	private readonly ivs = new Set<string>();

	private constructor(attested: Attested, keyPair: KeyPair, key: AesKey, verify: Verifier) {
		this.attested = attested;
		this.keyPair = keyPair;
		this.key = key;
		this.verify = verify;
	}

	/** Generates a new key pair for the handshake. */
	static async begin(attested: Attested, enclave: PublicKey): Promise<Handshake> {
		const keyPair = generateKeyPair();
		return new Handshake(attested, keyPair, await deriveMessageKey(keyPair, enclave), createVerifier(enclave));
	}

	/** Encrypts and signs the text and returns the message to send. */
	async seal(text: string): Promise<MessageRequest> {
		const { nonce, iv, ciphertext, signature } = await sealFrame(
			Buffer.from(text),
			FIRST_NONCE,
			this.key,
			this.keyPair,
		);
		const payload = { nonce, iv: base64(iv), ciphertext: base64(ciphertext), signature: base64(signature) };
		this.ivs.add(payload.iv);
		return { peer_public_key: this.keyPair.publicKey, session_id: this.attested.attestation.session_id, payload };
	}

	/** Throws `tampered` for an IV that was seen before. It must be called once for each frame, in their order. */
	admit({ iv }: MessageReply): void {
		if (this.ivs.has(iv)) {
			throw new ClientError('tampered', 'a part of the reply was seen before');
		}
		if (this.ivs.size >= MAXIMUM_IVS) {
			throw new ClientError('tampered', `the reply has more than ${MAXIMUM_IVS} parts`);
		}
		this.ivs.add(iv);
	}

	/** Verifies, decrypts and decodes a frame that was admitted. Throws `tampered`. */
	async open(frame: MessageReply): Promise<string> {
		try {
			const { nonce, iv, ciphertext, signature } = frame;
			const sealed = { nonce, iv: bytes(iv), ciphertext: bytes(ciphertext), signature: bytes(signature) };
			return decodeText(await openFrame(sealed, this.key, this.verify));
		} catch (error) {
			if (error instanceof CryptoRefusal) {
				throw new ClientError('tampered', 'a part of the reply is not what the enclave sent', { cause: error });
			}
			throw error;
		}
	}
}

function decodeText(plain: Uint8Array): string {
	try {
		return utf8.decode(plain);
	} catch {
		throw new CryptoRefusal('frame', 'it is no UTF-8');
	}
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const bytes = (text: string): Uint8Array => decodeBase64(text) ?? new Uint8Array();
