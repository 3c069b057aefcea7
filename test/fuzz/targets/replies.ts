// Replies of model servers, in the three forms, and their errors.
import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/async.ts';
import { ClientError } from '../../../src/base/errors.ts';
import { explainFailure } from '../../../src/base/explainFailure.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { sseEvent } from '../../../src/base/streamText.ts';
import { createChat } from '../../../src/client/chat.ts';
import { BatchedStream } from '../../../src/client/core/batchedStream.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { SseDecoder, type SseEvent, StrayLines } from '../../../src/client/core/sse.ts';
import { StreamedReply } from '../../../src/client/core/streamedReply.ts';
import { createUpstreamCaller } from '../../../src/client/core/upstreamCaller.ts';
import { createResponses } from '../../../src/client/responses.ts';
import { readErrorBody, readStreamError } from '../../../src/contract/errorBody.ts';
import { MessageEvents } from '../../../src/contract/messageEvents.ts';
import type { UpstreamKind } from '../../../src/contract/upstreams.ts';
import type { ReplyChunk } from '../../../src/service/inference/provider.ts';
import { ServerSeal } from '../../../src/service/inference/serverSeal.ts';
import { RefusedParameters, refusesImages } from '../../../src/service/inference/upstreams/serverRefusals.ts';
import { UPSTREAM_FORMS } from '../../../src/service/inference/upstreams/upstreamForms.ts';
import { assertLine, jsonOf, piecesOf, type Target, unlessRefused } from '../fuzzer.ts';

const ADDRESS = 'https://models.example/v1';

/** Returns the means to ask a server whose reply consists of these pieces, over the whole client but the network. */
function callerOf(pieces: readonly Uint8Array[]) {
	const type = jsonOf(Buffer.concat(pieces)) === undefined ? 'text/event-stream' : 'application/json';
	const body = () =>
		new ReadableStream({
			start(controller) {
				for (const piece of pieces) {
					controller.enqueue(piece);
				}
				controller.close();
			},
		});
	const reply = () => new Response(body(), { headers: { 'content-type': type } });
	const transport = createFetchTransport(async () => reply());
	return createUpstreamCaller({
		...{ name: 'models', url: ADDRESS, key: 'sk-0123456789abcdef', transport, logger: nullLogger, clock: systemClock },
	});
}

/** All that came of a reply: its events, and the error that ended it. */
interface Read<T> {
	events: T[];
	problem: string | undefined;
}

/** Rejects for any other error than a ClientError, whose explanation must be fit to be shown. */
async function read<T>(stream: AsyncIterable<T>): Promise<Read<T>> {
	const events: T[] = [];
	try {
		for await (const event of stream) {
			events.push(event);
		}
	} catch (error) {
		if (!ClientError.is(error)) {
			throw error;
		}
		const { cause, step } = explainFailure(error, { name: 'models', url: ADDRESS });
		assertLine(cause + step, 'the explanation of a failure');
		assert.ok(cause !== '', `a failure (${error.code}) is not explained`);
		return { events, problem: `${error.code}: ${error.message}` };
	}
	return { events, problem: undefined };
}

function upstreamReply(kind: UpstreamKind, pieces: readonly Uint8Array[]): AsyncIterable<ReplyChunk> {
	const form = UPSTREAM_FORMS[kind];
	const call = { route: { ...form.route, key: 'inference' as const }, body: {} };
	return new BatchedStream(undefined, signal => {
		const decoder = form.decoder('large', new ServerSeal(ADDRESS));
		return new StreamedReply(callerOf(pieces), { call: () => ({ ...call, signal }), decoder });
	});
}

/** The texts of a reply, without the borders of its pieces. */
interface Said {
	text: string;
	reasoning: string;
	calls: string;
}

function saidIn(chunks: readonly ReplyChunk[]): Said {
	const said = { text: '', reasoning: '', calls: '' };
	for (const { choices } of chunks) {
		for (const { index, delta } of choices) {
			if (index === 0) {
				said.text += delta.content ?? '';
				said.reasoning += delta.reasoning || delta.reasoning_content || '';
				said.calls += (delta.tool_calls ?? []).map(call => call.function?.arguments ?? '').join('');
			}
		}
	}
	return said;
}

async function clientReads(body: string): Promise<Said> {
	const said = { text: '', reasoning: '', calls: '' };
	const messages = [{ role: 'user' as const, content: 'Hello' }];
	const { events, problem } = await read(
		createChat(callerOf([Buffer.from(body)])).stream({ model: 'large', messages }),
	);
	assert.equal(problem, undefined, 'the client refuses what the service passes on');
	for (const event of events) {
		said.text += event.type === 'text' ? event.text : '';
		said.reasoning += event.type === 'reasoning' ? event.text : '';
		said.calls += event.type === 'toolCall' ? event.arguments : '';
	}
	return said;
}

/** What a server has sent, and what the service makes of it for its own clients. */
function upstreamTarget(kind: UpstreamKind): Target {
	return {
		name: `${kind}Reply`,
		iterations: 350,
		async run(input) {
			const whole = await read(upstreamReply(kind, [input]));
			assert.deepEqual(await read(upstreamReply(kind, piecesOf(input))), whole, 'it depends on how it is cut');
			const body = whole.events.map(chunk => sseEvent(chunk)).join('');
			assert.ok(body.length <= 20_000 + 40 * input.length, `it grows to ${body.length} characters`);
			if (whole.problem === undefined) {
				const said = saidIn(whole.events);
				assert.deepEqual(await clientReads(`${body}data: [DONE]\n\n`), said, 'the client reads something else');
				assert.equal(await asMessages(whole.events), said.text, 'clients of the Messages form read something else');
			}
			return [whole.problem, ...new Set(whole.events.flatMap(({ choices }) => choices.map(shapeOf)))].join();
		},
	};
}

const shapeOf = ({ index, delta, finish_reason: reason }: ReplyChunk['choices'][number]): string =>
	[Math.min(index, 2), ...Object.keys(delta), reason === null ? '' : 'end'].join(' ');

/** Returns the text of a reply after it went through the Messages form. */
async function asMessages(chunks: readonly ReplyChunk[]): Promise<string> {
	const writer = new MessageEvents('large');
	const events = chunks.flatMap(({ choices }) =>
		choices.flatMap(({ index, delta }) => (index === 0 && delta.content ? writer.text(delta.content) : [])),
	);
	events.push(...writer.end({ reason: 'stop' }));
	const body = events.map(event => sseEvent(event, event.type)).join('');
	return saidIn((await read(upstreamReply('messages', [Buffer.from(body)]))).events).text;
}

const sse: Target = {
	name: 'sse',
	iterations: 200,
	maximumLength: 160_000,
	run(input) {
		// More than the decoder takes at once.
		const maximum = 70_000;
		for (const hasStrays of [false, true]) {
			const decode = (pieces: readonly Uint8Array[]) => {
				const decoder = new SseDecoder(maximum, hasStrays ? new StrayLines() : undefined);
				const events: SseEvent[] = [];
				const refused = unlessRefused(() => {
					for (const piece of pieces) {
						events.push(...decoder.decode(piece));
					}
					events.push(...decoder.finish());
					decoder.check();
					return true;
				}, ClientError);
				return { events, isWhole: refused === true };
			};
			const whole = decode([input]);
			const cut = decode(piecesOf(input));
			// A line that comes at once need not be held, however long it is.
			const isShort = input
				.toString()
				.split(/[\r\n]/)
				.every(line => line.length < maximum / 2);
			assert.ok(cut.isWhole === whole.isWhole || !isShort, 'whether it is too long depends on how it is cut');
			if (whole.isWhole && cut.isWhole) {
				assert.deepEqual(cut.events, whole.events, 'its events depend on how it is cut');
			}
			assert.ok(whole.events.every(({ data }) => data.length <= maximum));
			// A text can be too long for an event once its characters are escaped.
			const written = whole.events.filter(({ data }) => JSON.stringify(data).length <= maximum);
			const again = written.map(({ data, event }) => sseEvent(data, event)).join('');
			assert.deepEqual(
				decode([Buffer.from(again)]).events.map(({ data }) => JSON.parse(data)),
				written.map(({ data }) => data),
				'what is written of it is read as something else',
			);
		}
	},
};

const responsesStream: Target = {
	name: 'responsesStream',
	iterations: 250,
	async run(input) {
		const ask = (pieces: readonly Uint8Array[]) =>
			read(createResponses(callerOf(pieces)).stream({ model: 'large', input: [{ role: 'user', content: 'Hello' }] }));
		const whole = await ask([input]);
		assert.deepEqual(await ask(piecesOf(input)), whole, 'it depends on how it is cut');
		assert.ok(JSON.stringify(whole.events).length <= 20_000 + 40 * input.length, 'it grows');
		return [whole.problem, ...new Set(whole.events.map(({ type }) => type))].join();
	},
};

const errorBody: Target = {
	name: 'errorBody',
	iterations: 900,
	run(input) {
		const text = input.toString();
		const { message, code, upstreams } = readErrorBody(text);
		assert.ok((message ?? '').length <= 16_384 && (code ?? '').length <= 16_384);
		readStreamError(jsonOf(input));
		new RefusedParameters().draft('large', { temperature: 1, max_tokens: 2, thinking: {} }).amend(message ?? '');
		refusesImages(message ?? '');
		const failure = new ClientError('server', 'failed', { status: 500, serviceMessage: message, upstreams });
		const { cause, step } = explainFailure(failure, { name: 'models', url: ADDRESS });
		assertLine(cause + step, 'the explanation of a failure');
		assert.ok(cause.length <= 2_000, 'the explanation of a failure is too long');
		return [message?.slice(0, 20), code?.slice(0, 5), upstreams?.length].join();
	},
};

export const replyTargets: readonly Target[] = [
	sse,
	upstreamTarget('chat'),
	upstreamTarget('messages'),
	upstreamTarget('responses'),
	responsesStream,
	errorBody,
];
