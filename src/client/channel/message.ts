import {
	FIRST_NONCE,
	type MessageReply,
	type MessageRequest,
	messageReplySchema,
	messageRequestSchema,
	REPLY_NONCE_DISTANCE,
} from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { ClientError } from '../core/errors.ts';
import { checkRequest } from '../core/requestCheck.ts';
import { type ChannelAddress, channelTarget } from './address.ts';

/** A session's nonces. One is spent by any attempt to send, a failed one too: it must never stand over another text. */
export class NonceCounter {
	private next = FIRST_NONCE;

	take(): number {
		return this.next++;
	}
}

/**
 * Sends a message that is encrypted and signed already; what comes back is neither verified nor decrypted. Never
 * repeated, as its nonce is spent. Throws `session-expired` for a session that needs a new attestation, `too-large`
 * for a conversation that is too long for the channel, and `tampered` for a reply that is no reply to this message.
 */
export async function postMessage(
	caller: Caller,
	address: ChannelAddress,
	request: MessageRequest,
	signal: AbortSignal | undefined,
): Promise<MessageReply> {
	const reply = await caller.json({
		...channelTarget(caller.connection, 'message', address),
		body: checkRequest<MessageRequest>(messageRequestSchema, request),
		codes: { 409: 'session-expired' },
		firstByteMs: caller.limits.replyFirstByteMs,
		retry: 'never',
		signal,
	});
	return readMessageReply(reply, request.payload.nonce);
}

/** Throws `tampered` for a shape or a nonce that no reply to the request can have. */
export function readMessageReply(value: unknown, requestNonce: number): MessageReply {
	const reply = messageReplySchema.safeParse(value).data;
	if (!reply) {
		throw new ClientError('tampered', 'the reply is no encrypted message');
	}
	if (reply.nonce !== requestNonce + REPLY_NONCE_DISTANCE) {
		throw new ClientError('tampered', 'the nonce of the reply is not the one of its request');
	}
	return reply;
}
