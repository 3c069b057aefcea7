import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientError } from '../../../../src/base/errors.ts';
import { LIMITS } from '../../../../src/client/core/limits.ts';
import type { ChannelSession } from '../../../../src/client/types.ts';
import type { ChannelMessage } from '../../../../src/contract/channel.ts';
import { ChannelFront, type FrontMessage, handOut } from '../../../support/channelFront.ts';
import type { Sealed } from '../../../support/contractServer/channelCryptography.ts';
import { Enclave, type EnclaveMessage } from '../../../support/enclave.ts';
import { sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const PIECES = 4;

const ask = (question: string): ChannelMessage[] => [{ role: 'user', content: question }];

/** The nonces of a stream's frames, which the contract does not show. */
const NUMBERINGS = {
	'one up': [0, 1, 2, 3],
	alike: [0, 0, 0, 0],
	'alike, then one up': [0, 0, 1, 2],
	'in pairs': [0, 0, 1, 1],
} as const;

/** Says of every piece which question it answers: `two: 3`. */
const answering =
	(numbers: readonly number[]): Enclave['answer'] =>
	(response, { path, nonce, history, seal }: EnclaveMessage) => {
		const question = (history as ChannelMessage[]).at(-1)?.content;
		if (path.endsWith('_stream')) {
			const frames = numbers.map((step, index) => seal(`${question}: ${index}; `, nonce + 2000 + step));
			sendEvents(response, ...frames.map(frame => sseEvent(frame)), sseEvent('[DONE]'));
		} else {
			sendJson(response, 200, seal(`${question}: whole; `));
		}
	};

/** The enclave and its attestation are genuine; what stands before it hands out the reply to one message for another. */
describe('what a front holds back of a reply', () => {
	let enclave: Enclave;
	let front: ChannelFront;
	let client: TestClient;
	/** The frames of every stream that the front has asked for. */
	let held: Sealed[];

	beforeEach(async () => {
		enclave = await Enclave.start();
		enclave.answer = answering(NUMBERINGS['one up']);
		front = await ChannelFront.start(enclave.server.origin);
		client = testClient('https://api.example', { fields: { encryptUrl: front.server.origin } });
		held = [];
	});
	afterEach(async () => {
		await front.stop();
		await enclave.stop();
	});

	/** Has every message answered as a stream, keeps the frames, and hands out the first one that fits. */
	const handOutPieces = async (response: Parameters<typeof handOut>[0], message: FrontMessage) => {
		held.push(...(await message.forward('message_stream')));
		handOutHeld(response, message);
	};
	const handOutHeld = (response: Parameters<typeof handOut>[0], message: FrontMessage) => {
		const index = held.findIndex(({ nonce }) => nonce === message.nonce + 2000);
		handOut(response, message, held.splice(Math.max(index, 0), 1));
	};

	/** What a session made of a question: the text that was shown, and how it ended. */
	async function outcomeOf(session: ChannelSession, question: string, endpoint: 'send' | 'stream') {
		if (endpoint === 'stream') {
			const { events, error } = await collect(session.stream(ask(question)));
			return { text: events.map(({ text }) => text).join(''), error };
		}
		try {
			return { ...(await session.send(ask(question))), error: undefined };
		} catch (error) {
			return { text: '', error };
		}
	}

	const assertOwn = (text: string, question: string) =>
		assert.ok(
			text
				.split('; ')
				.filter(Boolean)
				.every(piece => piece.startsWith(`${question}: `)),
			`“${question}” was answered with “${text}”`,
		);

	for (const endpoints of [
		['send', 'send', 'send'],
		['send', 'stream', 'send'],
		['stream', 'send', 'stream'],
		['stream', 'stream', 'stream'],
	] as const) {
		it(`never answers the next question, over ${endpoints.join(', ')}`, async () => {
			const session = await client.channel.open();
			front.answer = handOutPieces;
			for (const [index, question] of ['one', 'two', 'three'].entries()) {
				const { text } = await outcomeOf(session, question, endpoints[index] ?? 'send');
				assertOwn(text, question);
			}
			const places = enclave.messages.map(({ sessionId, nonce }) => `${sessionId} ${nonce}`);
			assert.equal(new Set(places).size, enclave.messages.length);
			assert.equal(new Set(enclave.messages.map(({ peerPublicKey }) => peerPublicKey)).size, enclave.messages.length);
		});
	}

	const losses: Record<string, (response: Parameters<typeof handOut>[0]) => void> = {
		'an error of the service': response => sendJson(response, 500, { error: 'Down' }),
		'a page': response => void response.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad gateway</p>'),
		'a redirect': response => void response.writeHead(307, { location: '/message' }).end(),
		'a broken connection': response => void response.socket?.destroy(),
	};
	for (const [what, lose] of Object.entries(losses)) {
		for (const first of ['send', 'stream'] as const) {
			for (const second of ['send', 'stream'] as const) {
				it(`never answers a ${second} after a ${first} that ended with ${what}`, async () => {
					const session = await client.channel.open();
					front.answer = async (response, message) => {
						held.push(...(await message.forward('message_stream')));
						lose(response);
					};
					assert.ok(ClientError.is((await outcomeOf(session, 'one', first)).error));
					front.answer = handOutHeld;
					const { text, error } = await outcomeOf(session, 'two', second);
					assert.equal(text, '');
					assert.ok(ClientError.is(error, 'tampered'));
				});
			}
		}
	}

	for (const first of ['send', 'stream'] as const) {
		it(`never answers the question after a ${first} that was stopped`, async () => {
			const session = await client.channel.open();
			const controller = new AbortController();
			front.answer = async (_, message) => {
				held.push(...(await message.forward('message_stream')));
				controller.abort();
			};
			const options = { signal: controller.signal };
			await assert.rejects(
				first === 'send'
					? session.send(ask('one'), options)
					: collect(session.stream(ask('one'), options)).then(({ error }) => Promise.reject(error)),
				{ code: 'aborted' },
			);
			front.answer = handOutHeld;
			await assert.rejects(session.send(ask('two')), { code: 'tampered' });
		});

		it(`never answers the question after a ${first} that had no answer in time`, async () => {
			const session = await client.channel.open();
			front.answer = async (_, message) => {
				held.push(...(await message.forward('message_stream')));
				client.clock.advance(LIMITS.replyFirstByteMs);
			};
			assert.ok(ClientError.is((await outcomeOf(session, 'one', first)).error, 'timeout'));
			front.answer = handOutHeld;
			await assert.rejects(session.send(ask('two')), { code: 'tampered' });
		});
	}

	it('never answers the question after a reader who left', async () => {
		const session = await client.channel.open();
		front.answer = async (response, message) => {
			held.push(...(await message.forward('message_stream')));
			const [first] = held.splice(0, 1);
			response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sseEvent(first));
		};
		for await (const { text } of session.stream(ask('one'))) {
			assertOwn(text, 'one');
			break;
		}
		front.answer = handOutHeld;
		await assert.rejects(session.send(ask('two')), { code: 'tampered' });
	});

	it('never answers the next question where it was asked for twice, to look like a reply with one nonce', async () => {
		const session = await client.channel.open();
		front.answer = async (response, message) => {
			const [one, other] = [await message.forward('message_stream'), await message.forward('message_stream')];
			held.push(...one.slice(1));
			handOut(
				response,
				message,
				[one[0], other[0]].filter(frame => frame !== undefined),
			);
		};
		assertOwn((await outcomeOf(session, 'one', 'stream')).text, 'one');
		front.answer = handOutHeld;
		const { text, error } = await outcomeOf(session, 'two', 'stream');
		assert.equal(text, '');
		assert.ok(ClientError.is(error, 'tampered'));
	});

	it('never answers the retry in a new session, nor what comes after it', async () => {
		const session = await client.channel.open();
		front.answer = async (response, message) => {
			held.push(...(await message.forward('message_stream')));
			if (enclave.messages.length === 1) {
				sendJson(response, 409, { error: 'Expired' });
			} else {
				handOutHeld(response, message);
			}
		};
		await assert.rejects(session.send(ask('one')), { code: 'tampered' });
	});

	it('answers no other question, whatever is asked twice, kept, cut, repeated or put in another order', async () => {
		const turn = fc.record({
			endpoint: fc.constantFrom('send' as const, 'stream' as const),
			forwards: fc.array(fc.constantFrom('message' as const, 'message_stream' as const), { maxLength: 3 }),
			/** Each picks one of the frames that fit the next place, oldest first, or any frame that the front has. */
			picks: fc.array(fc.record({ isFitting: fc.boolean(), index: fc.nat(20) }), { maxLength: 5 }),
			status: fc.constantFrom(200, 200, 200, 200, 409, 500, 0),
		});
		const plan = fc.record({
			numbering: fc.constantFrom(...Object.values(NUMBERINGS)),
			turns: fc.array(turn, { minLength: 2, maxLength: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(plan, async ({ numbering, turns }) => {
				enclave.answer = answering(numbering);
				const seen: Sealed[] = [];
				let session = await client.channel.open();
				for (const [index, { endpoint, forwards, picks, status }] of turns.entries()) {
					front.answer = async (response, message) => {
						for (const forward of forwards) {
							seen.push(...(await message.forward(forward)));
						}
						const from = message.nonce + 2000;
						const frames = picks.flatMap(({ isFitting, index }, place) => {
							const fitting = seen.filter(({ nonce }) => nonce === from || nonce === from + place);
							const choice = isFitting && fitting.length > 0 ? fitting : seen;
							return choice[index % Math.max(choice.length, 1)] ?? [];
						});
						if (status === 0) {
							response.socket?.destroy();
						} else if (status === 200) {
							handOut(response, message, frames);
						} else {
							sendJson(response, status, frames[0] ?? {});
						}
					};
					const question = `question ${index}`;
					const { text, error } = await outcomeOf(session, question, endpoint);
					assertOwn(text, question);
					if (ClientError.is(error, 'tampered')) {
						session = await client.channel.open();
					}
				}
			}),
			{ numRuns: 15 },
		);
	});

	it(`costs nobody a whole reply: ${PIECES} pieces and a whole one come through an honest front`, async () => {
		const session = await client.channel.open();
		front.answer = async (response, message) =>
			handOut(
				response,
				message,
				await message.forward(message.path.endsWith('_stream') ? 'message_stream' : 'message'),
			);
		for (const numbering of [NUMBERINGS['one up'], NUMBERINGS.alike]) {
			enclave.answer = answering(numbering);
			assert.deepEqual(await session.send(ask('one')), { text: 'one: whole; ' });
			const { text } = await outcomeOf(session, 'two', 'stream');
			assert.equal(text, numbering.map((_, index) => `two: ${index}; `).join(''));
		}
	});
});
