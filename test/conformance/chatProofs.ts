import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { ChatStreamEvent } from '../../src/client/types.ts';
import type { ChatCompletion } from '../../src/contract/chatReply.ts';
import type { ChatRequest, ToolCall } from '../../src/contract/chatRequest.ts';
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

/** Returns the calls of a whole reply as a next message sends them back. */
export const callsOf = ({ choices }: ChatCompletion): ToolCall[] =>
	(choices[0]?.message?.tool_calls ?? []).map(({ id = '', function: called }) => ({
		id,
		type: 'function',
		function: { name: called?.name ?? '', arguments: called?.arguments ?? '' },
	}));

/** What a request is answered with in both ways of asking. */
export interface Answered {
	whole: ChatCompletion;
	events: ChatStreamEvent[];
}

/** Asks for a whole reply and for a stream, and checks that the server received exactly this request both times. */
export async function askBothWays({ client, lastRequest }: ProofContext, request: ChatRequest): Promise<Answered> {
	const whole = await client.chat.complete(request);
	assert.deepEqual(lastRequest().json, plain(request));
	const { events, error } = await collect(client.chat.stream(request));
	assert.equal(error, undefined);
	assert.deepEqual(lastRequest().json, { ...plain(request), stream: true });
	return { whole, events };
}

/** Checks that the server receives exactly this request, whether a whole reply or a stream is asked for. */
export async function arrives(context: ProofContext, request: ChatRequest): Promise<void> {
	await askBothWays(context, request);
}

/** Asks in both ways, checks that the same provider served both, and resolves with its name. */
export async function serverOf(context: ProofContext, request: ChatRequest): Promise<string | undefined> {
	const { whole, events } = await askBothWays(context, request);
	const streamed = events.findLast(event => event.type === 'served')?.provider;
	assert.equal(streamed, whole.provider);
	return streamed;
}

/** Checks that the service refuses the request in both ways of asking, after it has received exactly this request. */
export async function isTurnedAway({ client, lastRequest }: ProofContext, request: ChatRequest): Promise<void> {
	await assert.rejects(client.chat.complete(request), ClientError);
	assert.deepEqual(lastRequest().json, plain(request));
	const { error } = await collect(client.chat.stream(request));
	assert.ok(ClientError.is(error), String(error));
	assert.deepEqual(lastRequest().json, { ...plain(request), stream: true });
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
