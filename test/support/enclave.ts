import { createCipheriv, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
	type KeyPair,
	open,
	p384KeyPair,
	p384PublicKey,
	type Sealed,
	seal,
	sharedKey,
} from './contractServer/channelCryptography.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from './faultServer.ts';

/** A message as the enclave reads it. */
export interface EnclaveMessage {
	path: string;
	sessionId: string;
	nonce: number;
	iv: string;
	peerPublicKey: string;
	history: unknown;
	/** Seals a text for the sender of this message. */
	seal(text: string, nonce?: number): Sealed;
	/** Seals any bytes for the sender of this message, under any IV. */
	sealBytes(bytes: Uint8Array, iv?: Uint8Array): Sealed;
}

type Record = { [field: string]: unknown };

/**
 * The enclave's side of the channel. A test can make it misbehave although it holds the right keys. Every test that
 * starts one must call `stop`.
 */
export class Enclave {
	/** Every received message, including those of expired sessions. */
	readonly messages: EnclaveMessage[] = [];
	/** Every attestation that was sent. */
	readonly attestations: Record[] = [];
	/** Answers the next messages. */
	answer: (response: ServerResponse, message: EnclaveMessage) => void | Promise<void> = answerWhole;
	/** Changes the next attestations before they are sent. */
	alter: (record: Record) => Record = record => record;
	/** The digest and the signature encoding for the report. */
	form: { digest: 'sha256' | 'sha384'; dsaEncoding: 'der' | 'ieee-p1363' } = { digest: 'sha256', dsaEncoding: 'der' };
	/** If set, a session accepts messages of its first client key only and refuses others with this status. */
	bindsKeys: 400 | 401 | 403 | 409 | undefined;
	keyPair: KeyPair = p384KeyPair();
	readonly server: FaultServer;
	private readonly expired = new Set<string>();
	/** The first client key of each session. */
	private readonly firstKeys = new Map<string, string>();

	private constructor(server: FaultServer) {
		this.server = server;
	}

	static async start(): Promise<Enclave> {
		const enclave = new Enclave(await FaultServer.start(() => {}));
		enclave.server.answer = (response, { path, body }) => {
			if (path.endsWith('/health')) {
				return sendJson(response, 200, {
					status: 'healthy',
					crypto_status: 'ready',
					server: 'enclave',
					version: '1.4',
				});
			}
			return path.endsWith('/attestation')
				? enclave.attest(response)
				: enclave.receive(response, path, JSON.parse(body));
		};
		return enclave;
	}

	stop(): Promise<void> {
		return this.server.stop();
	}

	/** Expires every session that exists now, so that its next message is answered with 409. */
	expire(): void {
		for (const { session_id: id } of this.attestations) {
			this.expired.add(String(id));
		}
	}

	signReport(reportJson: string, privateKey: KeyObject = this.keyPair.privateKey): string {
		const { digest, dsaEncoding } = this.form;
		return sign(digest, Buffer.from(reportJson), { key: privateKey, dsaEncoding }).toString('base64');
	}

	private attest(response: ServerResponse): void {
		const nonce = randomBytes(32);
		const report = { arch: 'HOPPER', eat_nonce: nonce.toString('hex') };
		const reportJson = JSON.stringify(report);
		const record = this.alter({
			public_key: this.keyPair.publicKey.export({ type: 'spki', format: 'pem' }),
			session_id: `session-${this.attestations.length}`,
			nonce_b64: nonce.toString('base64'),
			signature: this.signReport(reportJson),
			report_json: reportJson,
			report,
			gpu_eat: 'head.claims.signature',
		});
		this.attestations.push(record);
		sendJson(response, 200, record);
	}

	private async receive(response: ServerResponse, path: string, body: Record): Promise<void> {
		const sealed = body['payload'] as Sealed;
		const peerPublicKey = String(body['peer_public_key']);
		const peer = p384PublicKey(peerPublicKey);
		const key = sharedKey(this.keyPair.privateKey, peer);
		const message: EnclaveMessage = {
			path,
			sessionId: String(body['session_id']),
			nonce: sealed.nonce,
			iv: sealed.iv,
			peerPublicKey,
			history: undefined,
			seal: (text, nonce = sealed.nonce + 2000) => seal(text, nonce, key, this.keyPair.privateKey),
			sealBytes: (bytes, iv = randomBytes(12)) =>
				sealBytes(bytes, { nonce: sealed.nonce + 2000, iv, key, signer: this.keyPair.privateKey }),
		};
		this.messages.push(message);
		if (this.expired.has(message.sessionId)) {
			sendJson(response, 409, { error: { message: 'The session has expired' } });
			return;
		}
		const firstKey = this.firstKeys.get(message.sessionId) ?? peerPublicKey;
		this.firstKeys.set(message.sessionId, firstKey);
		if (this.bindsKeys !== undefined && peerPublicKey !== firstKey) {
			sendJson(response, this.bindsKeys, { error: { message: 'The session has another key' } });
			return;
		}
		message.history = JSON.parse(open(sealed, key, peer));
		await this.answer(response, message);
	}
}

function sealBytes(
	bytes: Uint8Array,
	{ nonce, iv, key, signer }: { nonce: number; iv: Uint8Array; key: Buffer; signer: KeyObject },
): Sealed {
	const cipher = createCipheriv('aes-256-gcm', key, iv);
	const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
	const head = Buffer.alloc(8);
	head.writeBigUInt64BE(BigInt(nonce));
	const signature = sign('sha256', Buffer.concat([head, iv, ciphertext]), signer);
	const [ivText, ciphertextText, signatureText] = [iv, ciphertext, signature].map(part =>
		Buffer.from(part).toString('base64'),
	);
	return { nonce, iv: ivText ?? '', ciphertext: ciphertextText ?? '', signature: signatureText ?? '' };
}

export function answerWhole(response: ServerResponse, message: EnclaveMessage): void {
	sendJson(response, 200, message.seal('So it is.'));
}

/** Answers with these frames as server-sent events, without adding an end mark. */
export function answerEvents(frames: (message: EnclaveMessage) => unknown[]): Enclave['answer'] {
	return (response, message) => sendEvents(response, ...frames(message).map(frame => sseEvent(frame)));
}
