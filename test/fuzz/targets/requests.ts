// Bodies of requests for a model, as agents and other programs write them.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { readClientChat } from '../../../src/agents/relay/clientChat.ts';
import { chatRequestIn, readClientMessages } from '../../../src/agents/relay/clientMessages.ts';
import { readClientResponses } from '../../../src/agents/relay/clientResponses.ts';
import { ClientError } from '../../../src/base/errors.ts';
import { readJsonBody } from '../../../src/base/httpRequest.ts';
import { chatRequestSchema } from '../../../src/contract/chatRequest.ts';
import { estimateRequestTokens } from '../../../src/contract/requestTokens.ts';
import type { GatewayRequest } from '../../../src/service/inference/provider.ts';
import { readChatRequest } from '../../../src/service/inference/readChatRequest.ts';
import { UPSTREAM_FORMS } from '../../../src/service/inference/upstreams/upstreamForms.ts';
import { RequestRefused } from '../../../src/service/replies.ts';
import { readResponsesRequest } from '../../../src/service/responses/responsesRequest.ts';
import { readAgentChat } from '../../../src/service/tasks/relay/modelListener.ts';
import { type Target, unlessRefused } from '../fuzzer.ts';

const SETTINGS = { model: 'large', provider: undefined };

/** Returns the body of a request as every server of ours reads it. */
async function bodyOf(input: Buffer): Promise<unknown> {
	const body = await readJsonBody(Readable.from([input]) as IncomingMessage, 1);
	return 'value' in body ? body.value : undefined;
}

/** Returns a value if it was read, which can then be sent and has not grown. */
function sent<T>(input: Buffer, read: () => T): T | undefined {
	const value = unlessRefused(read, RequestRefused, ClientError);
	const length = value === undefined ? 0 : (JSON.stringify(value) ?? '').length;
	assert.ok(length <= 20_000 + 20 * input.length, `it grows to ${length} characters`);
	return value;
}

/** What a model server gets of a request, in each form. */
function forwarded(input: Buffer, request: GatewayRequest | undefined): void {
	if (request !== undefined) {
		assert.ok(estimateRequestTokens(request) >= 0);
		for (const { bodyOf } of Object.values(UPSTREAM_FORMS)) {
			sent(input, () => bodyOf(request, { contextLength: 100_000 }));
		}
	}
}

const requests: Target = {
	name: 'requests',
	iterations: 500,
	async run(input) {
		const body = await bodyOf(input);
		forwarded(
			input,
			sent(input, () => readChatRequest(body)),
		);
		forwarded(
			input,
			sent(input, () => readAgentChat(body, 'large')),
		);
		const chat = sent(input, () => readClientChat(body, SETTINGS));
		const responses = sent(input, () => readClientResponses(body, SETTINGS));
		const read = sent(input, () => readResponsesRequest(body, () => false));
		return [chat, responses, read].map(value => value !== undefined).join();
	},
};

const messagesRequest: Target = {
	name: 'messagesRequest',
	iterations: 500,
	async run(input) {
		const body = await bodyOf(input);
		const request = sent(input, () => chatRequestIn(body, SETTINGS));
		const asked = sent(input, () => readClientMessages(body, SETTINGS));
		assert.equal(asked === undefined, request === undefined);
		if (request !== undefined) {
			chatRequestSchema.parse(request);
			forwarded(input, request as GatewayRequest);
		}
		return [request?.messages.length, request?.tools?.length, asked?.isStreamed].join();
	},
};

export const requestTargets: readonly Target[] = [requests, messagesRequest];
