import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { UpstreamKind } from '../../../../../src/contract/upstreams.ts';
import { ProviderFailure, type ReplyChunk } from '../../../../../src/service/inference/provider.ts';
import { wholeReply } from '../../../../../src/service/inference/wholeReply.ts';
import { sseEvent } from '../../../../support/faultServer.ts';
import * as messages from '../../../../support/messagesWire.ts';
import { chunked, cutAfter, cutReplies, ENDS, headOf, RawServer, replyOf } from '../../../../support/misbehaviour.ts';
import * as responses from '../../../../support/responsesWire.ts';
import { chunk, DONE } from '../../../client/chatWire.ts';
import { textOf, useGateway } from '../gatewayHarness.ts';

interface Form {
	/** The events that begin a reply, a piece of its text, the beginning of a call's arguments, and its end. */
	begin: string;
	text(text: string): string;
	call: string;
	end: string;
	error(words: string): string;
}

const sent = (...events: { type: string }[]) => events.map(event => sseEvent(event, event.type)).join('');

const FORMS: Record<UpstreamKind, Form> = {
	chat: {
		begin: chunk({ role: 'assistant' }),
		text: content => chunk({ content }),
		call: chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"pa' } }] }),
		end: chunk({}, {}, { finish_reason: 'stop' }) + DONE,
		error: message => sseEvent({ error: { message } }),
	},
	responses: {
		begin: sent(responses.created('small')),
		text: text => sent(responses.textDelta(0, text)),
		call: sent(responses.added(1, responses.callItem('a', 'read', '')), responses.argumentsOf(1, '{"pa')),
		end: sent(responses.completed([])),
		error: message => sent({ type: 'response.failed', response: { error: { message } } } as { type: string }),
	},
	messages: {
		begin: sent(messages.messageStart(), messages.blockStart(0, { type: 'text', text: '' })),
		text: text => sent(messages.blockDelta(0, { type: 'text_delta', text })),
		call: sent(...messages.toolBlock(1, 'a', 'read', '{"pa').slice(0, -1)),
		end: sent(messages.blockStop(0), ...messages.messageEnd('end_turn')),
		error: message => sent({ type: 'error', error: { type: 'api_error', message } } as { type: string }),
	},
};

for (const [kind, form] of Object.entries(FORMS) as [UpstreamKind, Form][]) {
	describe(`a hostile stream of an upstream of the form ${kind}`, () => {
		const start = useGateway();
		let server: RawServer;
		beforeEach(async () => {
			server = await RawServer.start();
		});
		afterEach(() => server.stop());

		const text = { 'content-type': 'text/event-stream' };
		const whole = (...events: string[]) => replyOf(events.join(''), text);

		async function ask(answer: (socket: Socket) => unknown): Promise<AsyncIterable<ReplyChunk>> {
			server.answer = socket => void answer(socket);
			const gateway = await start({});
			gateway.directory.replace({
				findOllama: false,
				upstreams: [{ slug: 'one', url: `${server.origin}/v1`, kind, models: ['small'] }],
			});
			return (await gateway.chat()).chunks;
		}

		/** What of the reply has come, and how it failed. */
		async function read(answer: (socket: Socket) => unknown): Promise<{ said: string; failure: unknown }> {
			let said = '';
			try {
				for await (const part of await ask(answer)) {
					said += textOf([part]);
				}
				return { said, failure: undefined };
			} catch (failure) {
				return { said, failure };
			}
		}

		it('is read where it is whole, and no further than its end', async () => {
			const { said, failure } = await read(socket =>
				socket.write(whole(form.begin, form.text('All.'), form.end, form.text('More'))),
			);
			assert.deepEqual([said, failure], ['All.', undefined]);
		});

		for (const end of ENDS) {
			for (const [phase, bytes, count] of cutReplies('text/event-stream', [
				form.begin + form.text('Only '),
				form.text('hälf'),
			])) {
				it(`fails where it is cut ${phase} (${end}), after what has come, and is asked for once`, async () => {
					const { said, failure } = await read(socket => cutAfter(socket, bytes, end));
					assert.equal(said, 'Only hälf'.slice(0, [0, 5, 9][count]));
					assert.ok(failure instanceof Error);
					assert.match(failure.message, /one/);
					assert.equal(server.requests.length, 1);
				});
			}
		}

		it('fails with the words of an error in its middle, whatever follows', async () => {
			const { said, failure } = await read(socket =>
				socket.write(whole(form.begin, form.text('So far'), form.error('Overloaded'), form.text('More'), form.end)),
			);
			assert.equal(said, 'So far');
			assert.ok(failure instanceof ProviderFailure);
			assert.match(failure.message, /^one .*Overloaded\.$/);
		});

		for (const data of ['{"type":', '[1]', '"text"', '7']) {
			it(`fails at data that is no event (${data})`, async () => {
				const { said, failure } = await read(socket =>
					socket.write(whole(form.begin, form.text('So far'), `data: ${data}\n\n`, form.text('More'), form.end)),
				);
				assert.equal(said, 'So far');
				assert.ok(failure instanceof ProviderFailure);
				assert.match(failure.message, /isn’t a reply/);
			});
		}

		it('never makes a call of one that was cut off', async () => {
			const reply = await ask(socket => socket.end(whole(form.begin, form.call)));
			await assert.rejects(wholeReply(reply), /ended its reply early/);
		});

		it('is broken off in an event without end, and not kept in memory', async () => {
			const { said, failure } = await read(async socket => {
				socket.write(headOf({ ...text, 'transfer-encoding': 'chunked' }) + chunked(form.begin + form.text('a')));
				socket.write(chunked('data: '));
				const piece = chunked('x'.repeat(64 * 1024));
				for (let count = 0; count < 200 && !socket.destroyed; count++) {
					socket.write(piece);
					await new Promise(resolve => setImmediate(resolve));
				}
			});
			assert.equal(said, 'a');
			assert.ok(failure instanceof ProviderFailure);
			assert.match(failure.message, /isn’t a reply: an event of the stream has more than/);
		});
	});
}
