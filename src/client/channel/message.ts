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
 * Sends a message that is already encrypted and signed. The reply is neither verified nor decrypted here. The request
 * is never repeated, as its nonce is used up. Throws `session-expired` if the session needs a new attestation,
 * `too-large` if the conversation is too long for the channel, and `tampered` if the reply does not belong to this
 * message.
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

/** Throws `tampered` if the shape or the nonce cannot be that of a reply to the request. */
export function readMessageReply(value: unknown, requestNonce: number): MessageReply {
	const reply = readSealed(value);
	if (reply.nonce !== requestNonce + REPLY_NONCE_DISTANCE) {
		throw new ClientError('tampered', 'the nonce of the reply is not the one of its request');
	}
	return reply;
}

/** Throws `tampered` if the value is no encrypted message. */
export function readSealed(value: unknown): MessageReply {
	const sealed = messageReplySchema.safeParse(value).data;
	if (!sealed) {
		throw new ClientError('tampered', 'the reply is no encrypted message');
	}
	return sealed;
}

/**
 * A reply with a success status comes from the enclave or was tampered with, so if it cannot be read it counts as
 * tampered. Errors with other statuses are returned as they are.
 */
export function asTampered(error: unknown): unknown {
	const isReply = ClientError.is(error, 'bad-response') && (error.status ?? 200) < 300;
	return isReply ? new ClientError('tampered', 'the reply is no encrypted message', { cause: error }) : error;
}
