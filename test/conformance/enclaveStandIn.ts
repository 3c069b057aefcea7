import { createPublicKey, randomBytes, sign } from 'node:crypto';
import {
	type KeyPair,
	open,
	p384KeyPair,
	type Sealed,
	seal,
	sharedKey,
} from '../support/contractServer/channelCryptography.ts';
import type { ContractServer, ReceivedRequest } from '../support/contractServer/contractServer.ts';
import { channelReply } from '../support/contractServer/fixtures.ts';

/** A message as it was received over HTTP. */
export interface SentMessage {
	peer_public_key: string;
	session_id: string;
	payload: Sealed;
}

interface AttestationFields {
	public_key: string;
	session_id: string;
	nonce_b64: string;
	signature: string;
	report_json: string;
	report?: unknown;
	gpu_eat?: string;
}

/** Makes another attestation of one. */
export type Alteration = (record: AttestationFields, keyPair: KeyPair) => AttestationFields;

/**
 * Replaces the server's enclave with one whose keys the proof holds. `answer` makes its replies (a list is the frames
 * of a streamed reply, to which the end mark is added), and `alter` changes its attestations. `opened` holds what the enclave was
 * sent, verified and decrypted.
 */
export function standIn(
	server: ContractServer,
	answer: (
		message: SentMessage,
		sealed: (text: string, nonce?: number) => Sealed,
		keyPair: KeyPair,
	) => Sealed | unknown[] = (_, sealed) => sealed(channelReply.pieces.join('')),
	alter: Alteration = record => record,
): { opened: string[] } {
	const keyPair = p384KeyPair();
	const opened: string[] = [];
	server.answer(
		({ path }) => path.endsWith('/attestation'),
		() => {
			const reportJson = JSON.stringify({ arch: 'HOPPER' });
			const record: AttestationFields = {
				public_key: keyPair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
				session_id: randomBytes(8).toString('hex'),
				nonce_b64: randomBytes(32).toString('base64'),
				signature: sign('sha256', Buffer.from(reportJson), keyPair.privateKey).toString('base64'),
				report_json: reportJson,
			};
			return { status: 200, headers: {}, json: alter(record, keyPair) };
		},
	);
	server.answer(
		({ method }) => method === 'POST',
		({ json, path }: ReceivedRequest) => {
			const message = json as SentMessage;
			const peer = createPublicKey(message.peer_public_key);
			const { deviation } = server;
			const key = sharedKey(keyPair.privateKey, peer, deviation);
			opened.push(open(message.payload, key, peer, deviation));
			const sealed = (text: string, nonce = message.payload.nonce + 2000) =>
				seal(text, nonce, key, keyPair.privateKey, deviation);
			const reply = answer(message, sealed, keyPair);
			const frames = Array.isArray(reply) ? reply : [reply];
			return path.endsWith('/message_stream')
				? { status: 200, headers: {}, events: [...frames, '[DONE]'].map(data => ({ data })) }
				: { status: 200, headers: {}, json: frames[0] };
		},
	);
	return { opened };
}
