import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { chatReply, openModel } from '../support/contractServer/fixtures.ts';
import { collect } from '../unit/client/testClient.ts';
import type { ProofContext } from './harness.ts';

export const MODEL = openModel.id;

/** The text that the reference server answers by default. */
export const TEXT = chatReply.pieces.join('');

export const user = (content: string) => ({ role: 'user' as const, content });

/** Returns a request whose last message chooses what the reference server does. */
export const asking = (content: string, fields: Partial<ChatRequest> = {}): ChatRequest => ({
	model: MODEL,
	messages: [user(content)],
	...fields,
});

export const tool = {
	type: 'function',
	function: { name: 'tide', description: 'The tide', parameters: { type: 'object' } },
} as const;

/** Returns a value as it is sent over the wire, without undefined fields. */
export const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Sends the request for a whole reply, and checks that the server received exactly this request. */
export async function arrives({ client, lastRequest }: ProofContext, request: ChatRequest): Promise<void> {
	await client.chat.complete(request);
	assert.deepEqual(lastRequest().json, plain(request));
}

/**
 * Checks that the request is refused with the field's name before anything is sent, both for a whole reply and for a
 * stream.
 */
export async function isRefused({ client, server }: ProofContext, request: object, message: RegExp): Promise<void> {
	const before = server.received.length;
	const refused = (error: unknown) => {
		assert.ok(ClientError.is(error, 'invalid-request'), String(error));
		assert.match(error.message, message);
		return true;
	};
	await assert.rejects(client.chat.complete(request as ChatRequest), refused);
	refused((await collect(client.chat.stream(request as ChatRequest))).error);
	assert.equal(server.received.length, before);
}
