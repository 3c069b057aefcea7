import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import type { ChannelMessage } from '../../../../src/contract/channel.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';
import { answerEvents, Enclave, type EnclaveMessage } from '../../../support/enclave.ts';
import { beginEvents, breakOff, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const history: ChannelMessage[] = [{ role: 'user', content: 'When does the tide turn?' }];
const DONE = '[DONE]';
const texts = ['Under ', 'seal ', '⚓', '.'];

const codeOf = (error: unknown) => (ClientError.is(error) ? error.code : error);

describe('a streamed reply of the encrypted channel', () => {
	let enclave: Enclave;
	let client: TestClient;

	beforeEach(async () => {
		enclave = await Enclave.start();
		client = testClient('https://api.example', {
			fields: { encryptUrl: enclave.server.origin },
			limits: { eventLength: 4096 },
		});
	});
	afterEach(() => enclave.stop());

	/** What the reader of one reply gets. */
	async function read(answer: Enclave['answer']): Promise<{ text: string; error: unknown }> {
		enclave.answer = answer;
		const session = await client.channel.open();
		const { events, error } = await collect(session.stream(history));
		return { text: events.map(({ text }) => text).join('|'), error };
	}
	const whole = (message: EnclaveMessage) => texts.map(text => message.seal(text));
	const grown = (message: EnclaveMessage) => texts.map((text, index) => message.seal(text, 3000 + index));

	it('is asked for as a message is', async () => {
		await read(answerEvents(message => [...whole(message), DONE]));
		const { path, headers } = enclave.server.received.at(-1) ?? {};
		assert.equal(path, '/message_stream');
		assert.equal(headers?.authorization, 'Bearer sk-inference');
		assert.equal(headers?.['content-type'], 'application/json');
		assert.deepEqual(enclave.messages[0]?.history, history);
		assert.equal(enclave.messages[0]?.nonce, 1000);
	});

	it('comes frame by frame as server-sent events, the nonce staying or growing by one', async () => {
		for (const frames of [whole, grown]) {
			const { text, error } = await read(answerEvents(message => [...frames(message), DONE]));
			assert.deepEqual([text, error], [texts.join('|'), undefined]);
		}
	});

	for (const type of ['application/x-ndjson', 'application/json; charset=utf-8']) {
		it(`comes line by line as ${type}, wherever the bytes are cut`, async () => {
			for (const end of ['\n', '\r\n']) {
				const { text, error } = await read(async (response, message) => {
					response.writeHead(200, { 'content-type': type });
					const lines = Buffer.from([...whole(message).map(frame => JSON.stringify(frame)), '', DONE, ''].join(end));
					for (let start = 0; start < lines.length; start += 97) {
						response.write(lines.subarray(start, start + 97));
						await new Promise(resolve => setImmediate(resolve));
					}
					response.end();
				});
				assert.deepEqual([text, error], [texts.join('|'), undefined]);
			}
		});
	}

	it('ends with a closing mark that lacks its line end', async () => {
		for (const [type, tail] of [
			['application/x-ndjson', DONE],
			['text/event-stream', `data: ${DONE}`],
		] as const) {
			const { text, error } = await read((response, message) => {
				const data = JSON.stringify(message.seal('x'));
				response.writeHead(200, { 'content-type': type });
				response.end(`${type === 'text/event-stream' ? `data: ${data}\n\n` : `${data}\n`}${tail}`);
			});
			assert.deepEqual([text, error], ['x', undefined]);
		}
	});

	it('leaves frames without a text out', async () => {
		const { text } = await read(answerEvents(message => [message.seal(''), message.seal('x'), message.seal(''), DONE]));
		assert.equal(text, 'x');
	});

	it('delivers each text as soon as its frame has come', async () => {
		let go = () => {};
		enclave.answer = async (response, message) => {
			beginEvents(response);
			response.write(sseEvent(message.seal('one')));
			await new Promise<void>(resolve => {
				go = resolve;
			});
			response.end(sseEvent(message.seal('two')) + sseEvent(DONE));
		};
		const session = await client.channel.open();
		const seen: string[] = [];
		for await (const { text } of session.stream(history)) {
			seen.push(text);
			go();
		}
		assert.deepEqual(seen, ['one', 'two']);
	});

	describe('is truncated, after what came,', () => {
		const cut: Record<string, [Enclave['answer'], string]> = {
			'without a closing mark': [answerEvents(whole), texts.join('|')],
			'when the connection breaks': [
				async (response, message) => {
					beginEvents(response);
					response.write(sseEvent(message.seal('x')));
					await breakOff(response);
				},
				'x',
			],
			'in the middle of a frame': [
				(response, message) => {
					beginEvents(response);
					response.end(sseEvent(message.seal('x')) + sseEvent(message.seal('y')).slice(0, -60));
				},
				'x',
			],
			'in the middle of a line': [
				(response, message) => {
					response.writeHead(200, { 'content-type': 'application/x-ndjson' });
					response.end(`${JSON.stringify(message.seal('x'))}\n${JSON.stringify(message.seal('y')).slice(0, -60)}`);
				},
				'x',
			],
			'with a closing mark and no frame, which proves nothing': [answerEvents(() => [DONE]), ''],
			'with nothing at all': [answerEvents(() => []), ''],
		};
		for (const [what, [answer, expected]] of Object.entries(cut)) {
			it(what, async () => {
				const { text, error } = await read(answer);
				assert.equal(text, expected);
				assert.equal(codeOf(error), 'truncated');
			});
		}
	});

	describe('is tampered with, after what held before,', () => {
		const changed = (frame: { ciphertext: string }) => {
			const bytes = Buffer.from(frame.ciphertext, 'base64');
			bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
			return { ...frame, ciphertext: bytes.toString('base64') };
		};
		const frames: Record<string, [(message: EnclaveMessage) => unknown[], string]> = {
			'by a first nonce that is not the request’s and 2000': [({ seal }) => [seal('x', 3001), DONE], ''],
			'by a nonce that jumps': [({ seal }) => [seal('x'), seal('y', 3002), DONE], 'x'],
			'by a nonce that goes back': [({ seal }) => [seal('x'), seal('y', 2999), DONE], 'x'],
			'by a nonce that grows later than with the second frame': [
				({ seal }) => [seal('x'), seal('y'), seal('z', 3001), DONE],
				'x|y',
			],
			'by a nonce that no longer grows': [({ seal }) => [seal('x'), seal('y', 3001), seal('z', 3001), DONE], 'x|y'],
			'by a frame that came before': [
				({ seal }) => {
					const frame = seal('x');
					return [frame, seal('y'), frame, DONE];
				},
				'x|y',
			],
			'by a changed frame': [({ seal }) => [seal('x'), changed(seal('y')), seal('z'), DONE], 'x'],
			'by a changed frame among many': [
				({ seal }) => [
					...Array.from({ length: 10 }, () => seal('x')),
					changed(seal('y')),
					...Array.from({ length: 10 }, () => seal('z')),
					DONE,
				],
				Array(10).fill('x').join('|'),
			],
			'by a frame that is no UTF-8': [({ seal, sealBytes }) => [seal('x'), sealBytes(Buffer.from([0xff])), DONE], 'x'],
			'by data that is no JSON': [({ seal }) => [seal('x'), 'Hello.', DONE], 'x'],
			'by a plain text': [({ seal }) => [seal('x'), { text: 'Hello.' }, DONE], 'x'],
			'by an event that is too long': [({ seal }) => [seal('x'), 'y'.repeat(5000), DONE], 'x'],
		};
		for (const [what, [sent, expected]] of Object.entries(frames)) {
			it(what, async () => {
				enclave.answer = answerEvents(sent);
				const session = await client.channel.open();
				const { events, error } = await collect(session.stream(history));
				assert.equal(events.map(({ text }) => text).join('|'), expected);
				assert.equal(codeOf(error), 'tampered');
				assert.equal((await collect(session.stream(history))).error, error);
				assert.equal(enclave.messages.length, 1);
			});
		}

		it('and ends on the server at once', async () => {
			const { text, error } = await read((response, message) => {
				beginEvents(response);
				response.write(sseEvent(message.seal('x')) + sseEvent('Hello.'));
			});
			assert.deepEqual([text, codeOf(error)], ['x', 'tampered']);
			assert.equal((await enclave.server.received.at(-1)?.closed)?.isWhole, false);
		});

		it('by a line that is too long', async () => {
			const { text, error } = await read((response, message) => {
				response.writeHead(200, { 'content-type': 'application/x-ndjson' });
				response.write(`${JSON.stringify(message.seal('x'))}\n`);
				response.write('y'.repeat(5000));
			});
			assert.equal(text, 'x');
			assert.equal(codeOf(error), 'tampered');
		});
	});

	describe('is not what the contract describes, and ends nothing,', () => {
		const answers: Record<string, Enclave['answer']> = {
			'where a page comes in its place': response =>
				void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
			'where a text comes first': answerEvents(() => ['Hello.', DONE]),
			'where chunks of a chat come': answerEvents(() => [{ choices: [{ delta: { content: 'x' } }] }, DONE]),
			'where frames come in another framing': answerEvents(({ seal }) => [{ data: seal('x') }, DONE]),
			'where the first event is too long': answerEvents(() => ['y'.repeat(5000), DONE]),
		};
		for (const [what, answer] of Object.entries(answers)) {
			it(what, async () => {
				enclave.answer = answer;
				const session = await client.channel.open();
				const { events, error } = await collect(session.stream(history));
				assert.deepEqual([events, codeOf(error)], [[], 'bad-response']);
				enclave.answer = answerEvents(message => [...whole(message), DONE]);
				assert.equal((await collect(session.stream(history))).error, undefined);
				enclave.answer = (response, message) => sendJson(response, 200, message.seal('Whole.'));
				assert.deepEqual(await session.send(history), { text: 'Whole.' });
			});
		}
	});

	it('ends with the error that stands in place of a frame, and the session goes on', async () => {
		enclave.answer = answerEvents(({ seal }) => [seal('x'), { error: { message: 'Broke off', code: 502 } }, DONE]);
		const session = await client.channel.open();
		const { events, error } = await collect(session.stream(history));
		assert.deepEqual(events, [{ type: 'text', text: 'x' }]);
		assert.ok(ClientError.is(error, 'upstream'));
		assert.equal(error.serviceMessage, 'Broke off');
		enclave.answer = answerEvents(message => [...whole(message), DONE]);
		assert.equal((await collect(session.stream(history))).error, undefined);
	});

	describe('is followed by a message in the same session', () => {
		const ends: Record<string, Enclave['answer']> = {
			'where it is whole': answerEvents(message => [...whole(message), DONE]),
			'where its nonces grow': answerEvents(message => [...grown(message), DONE]),
			'where a closing mark stands after its first frame': answerEvents(({ seal }) => [seal('x'), DONE]),
			'where it breaks off': answerEvents(({ seal }) => [seal('x')]),
			'where an error came in its place': response => sendJson(response, 500, { error: 'Down' }),
			'where it never came': response => void response.socket?.destroy(),
		};
		for (const [what, answer] of Object.entries(ends)) {
			it(what, async () => {
				const session = await client.channel.open();
				enclave.answer = answer;
				await collect(session.stream(history));
				enclave.answer = answerEvents(message => [...whole(message), DONE]);
				assert.equal((await collect(session.stream(history))).events.length, texts.length);
				assert.deepEqual(
					enclave.messages.map(({ nonce, sessionId }) => [nonce, sessionId]),
					[
						[1000, 'session-0'],
						[1001, 'session-0'],
					],
				);
			});
		}

		it('with the same nonce where it was never asked for', async () => {
			let key: string | undefined;
			client = testClient('https://api.example', {
				fields: { encryptUrl: enclave.server.origin },
				keys: () => Promise.resolve(key),
			});
			const session = await client.channel.open();
			assert.equal(codeOf((await collect(session.stream(history))).error), 'no-key');
			key = 'sk-a';
			await session.send(history);
			assert.deepEqual(
				enclave.messages.map(({ nonce, sessionId }) => [nonce, sessionId]),
				[[1000, 'session-0']],
			);
		});
	});

	it('is followed by a question where another key answers in a new session', async () => {
		let questions = 0;
		const confirm = async () => ++questions > 1;
		const session = await client.channel.open({ confirm });
		enclave.answer = answerEvents(({ seal }) => [seal('x'), DONE]);
		await collect(session.stream(history));
		enclave.expire();
		enclave.keyPair = p384KeyPair();
		await assert.rejects(session.send(history), { code: 'session-expired' });
		assert.equal(enclave.messages.length, 2);
		assert.equal((await collect(session.stream(history))).events.length, 1);
		assert.equal(questions, 2);
	});

	it('attests anew and once more where the session has expired', async () => {
		enclave.answer = answerEvents(message => [...whole(message), DONE]);
		const session = await client.channel.open();
		enclave.expire();
		const { events, error } = await collect(session.stream(history));
		assert.deepEqual([events.length, error], [texts.length, undefined]);
		assert.deepEqual(
			enclave.messages.map(({ nonce, sessionId }) => [nonce, sessionId]),
			[
				[1000, 'session-0'],
				[1000, 'session-1'],
			],
		);
	});

	it('keeps every character, a byte order mark too', async () => {
		const { text } = await read(answerEvents(({ seal }) => [seal('\ufeffx'), seal('\ufeff'), DONE]));
		assert.equal(text, '\ufeffx|\ufeff');
	});

	it('follows no redirect', async () => {
		const { error } = await read(response => void response.writeHead(307, { location: '/message_stream' }).end());
		assert.equal(codeOf(error), 'bad-response');
		assert.equal(enclave.messages.length, 1);
	});

	it('tells a refusal as what it is', async () => {
		const { error } = await read(response => sendJson(response, 413, { error: 'Too long' }));
		assert.equal(codeOf(error), 'too-large');
	});

	it('ends on the server when the reader leaves, and leaves the session free', async () => {
		enclave.answer = (response, message) => {
			beginEvents(response);
			response.write(sseEvent(message.seal('x')));
		};
		const session = await client.channel.open();
		for await (const { text } of session.stream(history)) {
			assert.equal(text, 'x');
			await assert.rejects(session.send(history), { code: 'invalid-request' });
			break;
		}
		assert.equal((await enclave.server.received.at(-1)?.closed)?.isWhole, false);
		enclave.answer = answerEvents(message => [...whole(message), DONE]);
		assert.equal((await collect(session.stream(history))).error, undefined);
	});

	it('ends with the reader’s own abort, and when the session is closed', async () => {
		enclave.answer = (response, message) => {
			beginEvents(response);
			response.write(sseEvent(message.seal('x')));
		};
		const session = await client.channel.open();
		const controller = new AbortController();
		const aborted = collect(session.stream(history, { signal: controller.signal }));
		await waitFor('the message to arrive', () => enclave.messages.length === 1);
		controller.abort();
		const { error } = await aborted;
		assert.equal(codeOf(error), 'aborted');
		const closed = collect(session.stream(history));
		await waitFor('the next message to arrive', () => enclave.messages.length === 2);
		await session.close();
		const { error: closing } = await closed;
		assert.equal(codeOf(closing), 'aborted');
	});
});
