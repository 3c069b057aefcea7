import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { chatReply, openModel } from '../support/contractServer/fixtures.ts';
import { collect } from '../unit/client/testClient.ts';
import type { ProofContext } from './harness.ts';

export const MODEL = openModel.id;

/** What the reference server says where nothing else is asked for. */
export const TEXT = chatReply.pieces.join('');

export const user = (content: string) => ({ role: 'user' as const, content });

/** The last message chooses what the reference server does. */
export const asking = (content: string, fields: Partial<ChatRequest> = {}): ChatRequest => ({
	model: MODEL,
	messages: [user(content)],
	...fields,
});

export const tool = {
	type: 'function',
	function: { name: 'tide', description: 'The tide', parameters: { type: 'object' } },
} as const;

/** As it goes over the wire: without what is undefined. */
export const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Sends the request whole, and sees that exactly this came. */
export async function arrives({ client, lastRequest }: ProofContext, request: ChatRequest): Promise<void> {
	await client.chat.complete(request);
	assert.deepEqual(lastRequest().json, plain(request));
}

/** The request is refused by name of the field before anything is sent, whole and streamed. */
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
