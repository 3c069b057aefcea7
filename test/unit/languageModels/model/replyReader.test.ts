import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import { createClient } from '../../../../src/client/client.ts';
import { connectionSchema } from '../../../../src/contract/connection.ts';
import { type FinishedCall, ReplyReader, ReplyRefusal } from '../../../../src/languageModels/model/replyReader.ts';
import {
	type Answer,
	beginEvents,
	breakOff,
	FaultServer,
	flood,
	sendEvents,
	sseEvent,
} from '../../../support/faultServer.ts';

const chunk = (delta: object, finish: string | null = null) =>
	sseEvent({ id: 'r1', model: 'quill', provider: 'north', choices: [{ index: 0, delta, finish_reason: finish }] });
const fragment = (index: number, text: string, others: object = {}) =>
	chunk({ tool_calls: [{ index, ...others, function: { ...others, arguments: text } }] });
const DONE = 'data: [DONE]\n\n';

describe('the reply to a request of the editor', () => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
	});
	afterEach(() => server.stop());

	/** Asks the server and reads its reply as the editor gets it. */
	async function read(answer: Answer, signal?: AbortSignal, onText: (text: string) => void = () => {}) {
		server.answer = answer;
		const connection = { name: 'acme', ...connectionSchema.parse({ apiUrl: server.origin, service: 'acme' }) };
		const client = createClient({ connection, keys: async () => 'sk-acme' });
		const reader = new ReplyReader();
		const texts: string[] = [];
		let calls: FinishedCall[] = [];
		let error: unknown;
		try {
			const request = { model: 'quill', messages: [{ role: 'user' as const, content: 'Hello' }] };
			for await (const event of client.chat.stream(request, signal && { signal })) {
				const text = reader.add(event);
				if (text !== '') {
					texts.push(text);
					onText(text);
				}
			}
			calls = reader.end();
		} catch (caught) {
			error = caught;
		}
		return { texts, calls, error, reader };
	}
	const problemOf = (error: unknown) => (error instanceof ReplyRefusal ? error.problem : error);

	it('is its text as it comes, without what the model thinks, and with the provider that served', async () => {
		const { texts, calls, error, reader } = await read(response =>
			sendEvents(
				response,
				chunk({ reasoning_content: 'Hm.' }),
				chunk({ content: 'One ' }),
				chunk({ content: 'two.' }, 'stop'),
				sseEvent({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
				DONE,
			),
		);
		assert.equal(error, undefined);
		assert.deepEqual(texts, ['One ', 'two.']);
		assert.deepEqual(calls, []);
		assert.equal(reader.told.provider, 'north');
		assert.equal(reader.told.usage?.prompt_tokens, 3);
	});

	it('has whole calls, whose arguments came in pieces and between one another', async () => {
		const { calls, error } = await read(response =>
			sendEvents(
				response,
				fragment(0, '{"at":', { id: 'a', name: 'look' }),
				fragment(1, '', { id: 'b', name: 'wait' }),
				fragment(0, '"sky"}'),
				chunk({}, 'tool_calls'),
				DONE,
			),
		);
		assert.equal(error, undefined);
		assert.deepEqual(calls, [
			{ id: 'a', name: 'look', input: { at: 'sky' } },
			{ id: 'b', name: 'wait', input: {} },
		]);
	});

	for (const said of ['{"at": "sk', '["sky"]', '"sky"', 'null']) {
		it(`gives no call where the arguments are no JSON object: ${said}`, async () => {
			const { calls, error } = await read(response =>
				sendEvents(response, fragment(0, said, { id: 'a', name: 'look' }), chunk({}, 'tool_calls'), DONE),
			);
			assert.deepEqual(calls, []);
			assert.deepEqual(problemOf(error), { kind: 'arguments', tool: 'look' });
		});
	}

	it('gives no call of a stream that breaks off in its middle, and keeps the text that came', async () => {
		const { texts, calls, error } = await read(async response => {
			beginEvents(response);
			response.write(chunk({ content: 'I look.' }) + fragment(0, '{"at":"sky"}', { id: 'a', name: 'look' }));
			await breakOff(response);
		});
		assert.deepEqual(texts, ['I look.']);
		assert.deepEqual(calls, []);
		assert.ok(ClientError.is(error, 'truncated'));
	});

	it('gives no call whose arguments were cut at the maximum length, also where they had not begun', async () => {
		for (const cut of ['', '{', '{"at":"s']) {
			const { calls, error } = await read(response =>
				sendEvents(
					response,
					fragment(0, '{"at":"sky"}', { id: 'a', name: 'look' }),
					fragment(1, cut, { id: 'b', name: 'listen' }),
					chunk({}, 'length'),
					DONE,
				),
			);
			assert.deepEqual(calls, [], cut);
			assert.deepEqual(problemOf(error), { kind: 'cut', tool: 'listen' }, cut);
		}
	});

	it('gives the calls of a reply at its maximum length whose arguments are whole', async () => {
		const { calls } = await read(response =>
			sendEvents(response, fragment(0, '{"at":"sky"}', { id: 'a', name: 'look' }), chunk({}, 'length'), DONE),
		);
		assert.deepEqual(calls, [{ id: 'a', name: 'look', input: { at: 'sky' } }]);
	});

	it('ends at too many calls, long before 100,000 have come', async () => {
		const piece = Array.from({ length: 100_000 }, (_, number) => fragment(0, '{}', { id: `c${number}`, name: 'look' }));
		const { calls, error } = await read(response => sendEvents(response, ...piece, DONE));
		assert.deepEqual(calls, []);
		assert.deepEqual(problemOf(error), { kind: 'too-many-calls' });
		const { isWhole } = (await server.received[0]?.closed) ?? assert.fail();
		assert.equal(isWhole, false);
	});

	it('ends at arguments without an end', async () => {
		const million = `"${'a'.repeat(1_000_000)}",`;
		const { error } = await read(response =>
			sendEvents(response, ...Array.from({ length: 10 }, () => fragment(0, million, { id: 'a', name: 'look' })), DONE),
		);
		assert.deepEqual(problemOf(error), { kind: 'too-many-calls' });
	});

	it('ends where its text has no end', async () => {
		const { error } = await read(async response => {
			beginEvents(response);
			await flood(response, Buffer.from(chunk({ content: 'x'.repeat(100_000) })), 200_000_000, {
				sent: 0,
				isBlocked: false,
			});
		});
		assert.deepEqual(problemOf(error), { kind: 'too-long' });
		assert.equal((await server.received[0]?.closed)?.isWhole, false);
	});

	it('says that a filter has stopped it', async () => {
		const { texts, error } = await read(response =>
			sendEvents(response, chunk({ content: 'Well' }, 'content_filter'), DONE),
		);
		assert.deepEqual(texts, ['Well']);
		assert.deepEqual(problemOf(error), { kind: 'filtered' });
	});

	it('ends on the side of the service as well when it is cancelled', async () => {
		const stopped = new AbortController();
		const { texts, error } = await read(
			response => {
				beginEvents(response);
				response.write(chunk({ content: 'One' }));
			},
			stopped.signal,
			() => stopped.abort(),
		);
		assert.deepEqual(texts, ['One']);
		assert.ok(ClientError.is(error, 'aborted'));
		assert.equal((await server.received[0]?.closed)?.isWhole, false);
	});
});
