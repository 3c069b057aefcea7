import { decodeBase64 } from '../../base/base64.ts';
import { ClientError } from '../../base/errors.ts';
import type { MessageReply, MessageRequest } from '../../contract/channel.ts';
import type { AesKey } from '../../crypto/aesGcm.ts';
import { generateKeyPair, signMessage } from '../../crypto/keyPair.ts';
import { CryptoRefusal } from '../../crypto/refusal.ts';
import { deriveMessageKey, openFrame, sealFrame } from '../../crypto/sealedFrame.ts';
import { createVerifier, type Verifier } from '../../crypto/verifier.ts';
import type { Accepted } from './attest.ts';

/** A reply with more frames than this is refused, which bounds the memory for their IVs. */
const MAXIMUM_IVS = 1_000_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Seals one message and opens its reply. It holds the key of both and the IVs that were seen under that key. */
export class Handshake {
	private readonly key: AesKey;
	private readonly verify: Verifier;
	/** The IVs of both directions, which share a key. */
	private readonly ivs: Set<string>;

	private constructor(key: AesKey, verify: Verifier, iv: string) {
		this.key = key;
		this.verify = verify;
		this.ivs = new Set([iv]);
	}

	/** Encrypts and signs the text with a new key pair, and returns the message to send with its handshake. */
	static async seal(
		text: string,
		nonce: number,
		{ attested, enclave }: Accepted,
	): Promise<{ handshake: Handshake; request: MessageRequest }> {
		const { secretKey, publicKey } = generateKeyPair();
		const key = deriveMessageKey(secretKey, enclave);
		const frame = await sealFrame(Buffer.from(text), nonce, key, bytes => signMessage(secretKey, bytes));
		const { iv, ciphertext, signature } = frame;
		const payload = { nonce, iv: base64(iv), ciphertext: base64(ciphertext), signature: base64(signature) };
		const request = { peer_public_key: publicKey, session_id: attested.attestation.session_id, payload };
		return { handshake: new Handshake(key, createVerifier(enclave), payload.iv), request };
	}

	/** Throws `tampered` for an IV that was seen before. Must be called once for each frame, in order. */
	admit({ iv }: MessageReply): void {
		if (this.ivs.has(iv)) {
			throw new ClientError('tampered', 'a part of the reply was seen before');
		}
		if (this.ivs.size >= MAXIMUM_IVS) {
			throw new ClientError('tampered', `the reply has more than ${MAXIMUM_IVS} parts`);
		}
		this.ivs.add(iv);
	}

	/** Verifies, decrypts and decodes an admitted frame. Throws `tampered`. */
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
