import { ClientError } from '../../base/errors.ts';
import {
	type MessageReply,
	type MessageRequest,
	messageReplySchema,
	messageRequestSchema,
	REPLY_NONCE_DISTANCE,
} from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { checkRequest } from '../core/requestCheck.ts';
import { type ChannelAddress, channelTarget } from './address.ts';

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
		redirects: 'refuse',
		retry: 'never',
		signal,
	});
	return readMessageReply(reply, request.payload.nonce);
}

/** Throws `tampered` for a shape or a nonce that no reply to the request can have. */
export function readMessageReply(value: unknown, requestNonce: number): MessageReply {
	const reply = readSealed(value);
	if (reply.nonce !== requestNonce + REPLY_NONCE_DISTANCE) {
		throw new ClientError('tampered', 'the nonce of the reply is not the one of its request');
	}
	return reply;
}

/** Throws `tampered` for what is no encrypted message at all. */
export function readSealed(value: unknown): MessageReply {
	const sealed = messageReplySchema.safeParse(value).data;
	if (!sealed) {
		throw new ClientError('tampered', 'the reply is no encrypted message');
	}
	return sealed;
}

/** A reply with a status of success comes from the enclave, or was tampered with. Another status speaks for itself. */
export function asTampered(error: unknown): unknown {
	const isReply = ClientError.is(error, 'bad-response') && (error.status ?? 200) < 300;
	return isReply ? new ClientError('tampered', 'the reply is no encrypted message', { cause: error }) : error;
}
