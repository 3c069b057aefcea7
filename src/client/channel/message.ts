import { ClientError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import {
	type MessageReply,
	type MessageRequest,
	messageReplySchema,
	messageRequestSchema,
	REPLY_NONCE_DISTANCE,
} from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { throwErrorIn } from '../core/replyData.ts';
import { checkRequest } from '../core/requestCheck.ts';
import { type ChannelAddress, channelTarget } from './address.ts';

/**
 * Sends a message that is already encrypted and signed. The reply is neither verified nor decrypted here. The request
 * is never repeated, as its nonce is used up. Throws `session-expired` if the session needs a new attestation,
 * `too-large` if the conversation is too long for the channel, `tampered` if the reply does not belong to this message,
 * and `bad-response` if it is not an encrypted message.
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
		redirects: 'refuse',
		retry: 'never',
		signal,
	});
	return readMessageReply(reply, request.payload.nonce);
}

/**
 * Throws `tampered` if the nonce or a part of the message is impossible in a reply to the request, and `bad-response`
 * if it is not an encrypted message at all.
 */
export function readMessageReply(value: unknown, requestNonce: number): MessageReply {
	throwErrorIn(value);
	const reply = readSealed(value);
	if (reply.nonce !== requestNonce + REPLY_NONCE_DISTANCE) {
		throw new ClientError('tampered', 'the nonce of the reply is not the one of its request');
	}
	return reply;
}

/**
 * Throws `tampered` for an encrypted message that is incomplete, and `bad-response` for anything that does not even
 * look like one: a page, a text or another framing has a source outside the contract, and does not prove an attack.
 */
export function readSealed(value: unknown): MessageReply {
	const sealed = messageReplySchema.safeParse(value).data;
	if (sealed) {
		return sealed;
	}
	throw isSealedInPart(value)
		? new ClientError('tampered', 'the reply is an encrypted message with a part that no such message has')
		: new ClientError('bad-response', 'the reply is no encrypted message');
}

function isSealedInPart(value: unknown): boolean {
	return isFields(value) && ['iv', 'ciphertext', 'signature'].some(field => field in value);
}

/**
 * contract: not shown. Checks the nonces of a streamed reply's frames (unspecified.md, "framing of `/message_stream`"):
 * the first is the request's plus 2000; the second is the same or one more, and all later ones repeat that step.
 */
export class ReplyNonces {
	private next: number;
	private count = 0;
	private step = 0;

	constructor(requestNonce: number) {
		this.next = requestNonce + REPLY_NONCE_DISTANCE;
	}

	/** Returns whether a frame with this nonce may come next, and then expects the following nonce. */
	accept(nonce: number): boolean {
		if (this.count === 1 && nonce === this.next + 1) {
			this.step = 1;
			this.next = nonce;
		}
		const isNext = nonce === this.next;
		this.next += this.step;
		this.count++;
		return isNext;
	}
}
