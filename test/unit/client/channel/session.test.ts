import assert from 'node:assert/strict';
import { createPublicKey, randomBytes } from 'node:crypto';
import { ClientError } from '../../../../src/base/errors.ts';
import type { ChannelMessage } from '../../../../src/contract/channel.ts';
import { p384KeyPair, seal } from '../../../support/contractServer/channelCryptography.ts';
import { answerWhole, Enclave } from '../../../support/enclave.ts';
import { sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { type TestClient, type TestClientOptions, testClient } from '../testClient.ts';

const history: ChannelMessage[] = [
	{ role: 'system', content: 'Be brief.' },
	{ role: 'user', content: 'When does the tide turn? ⚓' },
];

describe('a session of the encrypted channel', () => {
	let enclave: Enclave;
	let client: TestClient;
	const connect = (options: TestClientOptions = {}) =>
		testClient('https://api.example', {
			fields: { orgUrl: enclave.server.origin, encryptUrl: enclave.server.origin },
			...options,
		});

	beforeEach(async () => {
		enclave = await Enclave.start();
		client = connect();
	});
	afterEach(() => enclave.stop());

	const sessionsUsed = () => enclave.messages.map(({ sessionId, nonce }) => `${sessionId} ${nonce}`);

	it('carries the conversation there and the reply back, both encrypted', async () => {
		const session = await client.channel.open();
		assert.deepEqual(await session.send(history), { text: 'So it is.' });
		assert.deepEqual(enclave.messages[0]?.history, history);
		assert.ok(enclave.server.received.every(({ body }) => !/tide|brief/.test(body)));
		assert.equal(enclave.server.received.at(-1)?.headers.authorization, 'Bearer sk-inference');
	});

	it('uses the endpoints of the model on the organisation’s host where there is one', async () => {
		const session = await client.channel.open({ model: 'large', provider: 'fast-host' });
		await session.send(history);
		assert.deepEqual(
			enclave.server.received.map(({ path }) => path),
			['/enc/fast-host/large/attestation', '/enc/fast-host/large/message'],
		);
	});

	it('keeps its attestation over messages, each with the next nonce and a key pair and an IV of its own', async () => {
		for (const address of [{}, { model: 'large', provider: 'fast-host' }]) {
			const session = await client.channel.open(address);
			const id = session.attestation.session_id;
			enclave.messages.length = 0;
			for (let count = 0; count < 3; count++) {
				await session.send(history);
			}
			assert.deepEqual(sessionsUsed(), [`${id} 1000`, `${id} 1001`, `${id} 1002`]);
			assert.equal(session.attestation.session_id, id);
			assert.equal(new Set(enclave.messages.map(({ peerPublicKey }) => peerPublicKey)).size, 3);
			assert.equal(new Set(enclave.messages.map(({ iv }) => iv)).size, 3);
		}
	});

	it('spends the nonce of a message that fails, too', async () => {
		const session = await client.channel.open();
		enclave.answer = response => sendJson(response, 500, { error: 'Down' });
		await assert.rejects(session.send(history), { code: 'server', status: 500, serviceMessage: 'Down' });
		enclave.answer = response => {
			response.socket?.destroy();
		};
		await assert.rejects(session.send(history), { code: 'offline' });
		enclave.answer = answerWhole;
		await session.send(history);
		assert.deepEqual(sessionsUsed(), ['session-0 1000', 'session-0 1001', 'session-0 1002']);
	});

	it('keeps the nonce of a message that never left', async () => {
		let key: string | undefined;
		client = connect({ keys: () => Promise.resolve(key), limits: { jsonBytes: 4096 } });
		const session = await client.channel.open();
		await assert.rejects(session.send(history), { code: 'no-key' });
		key = 'sk-a';
		await assert.rejects(session.send([{ role: 'user', content: 'x'.repeat(4096) }]), { code: 'too-large' });
		await session.send(history);
		assert.deepEqual(sessionsUsed(), ['session-0 1000']);
	});

	it('makes a key pair for itself that no other session has', async () => {
		await (await client.channel.open()).send(history);
		await (await client.channel.open()).send(history);
		const [one, other] = enclave.messages;
		assert.notEqual(one?.peerPublicKey, other?.peerPublicKey);
		assert.deepEqual([one?.nonce, other?.nonce], [1000, 1000]);
		const { asymmetricKeyDetails } = createPublicKey(one?.peerPublicKey ?? '');
		assert.equal(asymmetricKeyDetails?.namedCurve, 'secp384r1');
	});

	it('takes one message at a time', async () => {
		const session = await client.channel.open();
		let release = () => {};
		enclave.answer = (response, message) => {
			release = () => answerWhole(response, message);
		};
		const first = session.send(history);
		await assert.rejects(session.send(history), { code: 'invalid-request' });
		await waitFor('the message to arrive', () => enclave.messages.length === 1);
		release();
		assert.deepEqual(await first, { text: 'So it is.' });
		enclave.answer = answerWhole;
		await session.send(history);
		assert.deepEqual(sessionsUsed(), ['session-0 1000', 'session-0 1001']);
	});

	it('takes the next message after one that was aborted', async () => {
		const session = await client.channel.open();
		const controller = new AbortController();
		enclave.answer = () => controller.abort();
		await assert.rejects(session.send(history, { signal: controller.signal }), { code: 'aborted' });
		enclave.answer = answerWhole;
		await session.send(history);
		assert.deepEqual(sessionsUsed(), ['session-0 1000', 'session-0 1001']);
	});

	it('ends when it is closed, with the message that is under way', async () => {
		const session = await client.channel.open();
		enclave.answer = () => {};
		const message = session.send(history);
		const outcome = assert.rejects(message, { code: 'aborted' });
		await waitFor('the message to arrive', () => enclave.messages.length === 1);
		await session.close();
		await outcome;
		await session.close();
		await assert.rejects(session.send(history), { code: 'invalid-request' });
		assert.equal(enclave.messages.length, 1);
		assert.equal(session.attestation.session_id, 'session-0');
	});

	for (const [what, wrong] of [
		['an empty conversation', []],
		['a message with a field that is not documented', [{ role: 'user', content: 'x', name: 'y' }]],
		['a role that nobody has', [{ role: 'boss', content: 'x' }]],
		['a content that is no text', [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]],
	] as const) {
		it(`refuses ${what} before anything is sent`, async () => {
			const session = await client.channel.open();
			await assert.rejects(session.send(wrong as never), { code: 'invalid-request' });
			assert.equal(enclave.messages.length, 0);
			await session.send(history);
			assert.deepEqual(sessionsUsed(), ['session-0 1000']);
		});
	}

	describe('treats as tampered, and is over', () => {
		const flip = (text: string, index: number) => {
			const bytes = Buffer.from(text, 'base64');
			bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
			return bytes.toString('base64');
		};
		const replies: Record<string, Enclave['answer']> = {
			'a reply with another nonce than the request’s and 2000': (response, message) =>
				sendJson(response, 200, message.seal('x', message.nonce + 2001)),
			'a nonce that was changed on the way': (response, message) =>
				sendJson(response, 200, { ...message.seal('x', 2999), nonce: 3000 }),
			'a changed ciphertext': (response, message) => {
				const sealed = message.seal('x');
				sendJson(response, 200, { ...sealed, ciphertext: flip(sealed.ciphertext, 0) });
			},
			'a changed IV': (response, message) => {
				const sealed = message.seal('x');
				sendJson(response, 200, { ...sealed, iv: flip(sealed.iv, 3) });
			},
			'a changed signature': (response, message) => {
				const sealed = message.seal('x');
				sendJson(response, 200, { ...sealed, signature: flip(sealed.signature, 40) });
			},
			'a signature of another length': (response, message) => {
				const sealed = message.seal('x');
				const longer = Buffer.concat([Buffer.from(sealed.signature, 'base64'), Buffer.alloc(1)]);
				sendJson(response, 200, { ...sealed, signature: longer.toString('base64') });
			},
			'a reply that another key signed': (response, message) => {
				enclave.keyPair = { ...enclave.keyPair, privateKey: p384KeyPair().privateKey };
				sendJson(response, 200, message.seal('x'));
			},
			'a reply that the enclave signed, under another key than the message’s': (response, message) =>
				sendJson(response, 200, seal('x', message.nonce + 2000, randomBytes(32), enclave.keyPair.privateKey)),
			'a reply that is no UTF-8': (response, message) =>
				sendJson(response, 200, message.sealBytes(Buffer.from([0x74, 0xe2, 0x9a]))),
			'a reply under the IV of its message': (response, message) =>
				sendJson(response, 200, message.sealBytes(Buffer.from('x'), Buffer.from(message.iv, 'base64'))),
			'a reply without a field': (response, message) => {
				const { signature: _, ...rest } = message.seal('x');
				sendJson(response, 200, rest);
			},
			'a nonce that is no safe integer': (response, message) => {
				const text = JSON.stringify(message.seal('x')).replace('"nonce":3000', '"nonce":3000.5');
				response.writeHead(200, { 'content-type': 'application/json' }).end(text);
			},
		};

		for (const [what, answer] of Object.entries(replies)) {
			it(what, async () => {
				const session = await client.channel.open();
				enclave.answer = answer;
				await assert.rejects(session.send(history), { code: 'tampered' });
				enclave.answer = answerWhole;
				await assert.rejects(session.send(history), { code: 'tampered' });
				assert.equal(enclave.messages.length, 1);
			});
		}

		it('a reply that was seen before', async () => {
			const session = await client.channel.open();
			let first: object | undefined;
			enclave.answer = (response, message) => {
				first ??= message.seal('x');
				sendJson(response, 200, first);
			};
			await session.send(history);
			await assert.rejects(session.send(history), { code: 'tampered' });
		});
	});

	describe('takes for no reply of the contract, and goes on', () => {
		const replies: Record<string, Enclave['answer']> = {
			'a plain text': response => sendJson(response, 200, { text: 'So it is.' }),
			'a sealed reply in a list': (response, message) => sendJson(response, 200, [message.seal('x')]),
			'a page': response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
			'events in place of JSON': (response, message) => sendEvents(response, sseEvent(message.seal('x'))),
		};
		for (const [what, answer] of Object.entries(replies)) {
			it(what, async () => {
				const session = await client.channel.open();
				enclave.answer = answer;
				await assert.rejects(session.send(history), { code: 'bad-response' });
				enclave.answer = answerWhole;
				assert.ok((await session.send(history)).text.length > 0);
				assert.deepEqual(
					enclave.messages.map(({ nonce, sessionId }) => [nonce, sessionId]),
					[
						[1000, 'session-0'],
						[1001, 'session-0'],
					],
				);
			});
		}

		it('an error in its place, whose words it keeps', async () => {
			const session = await client.channel.open();
			enclave.answer = response => sendJson(response, 200, { error: { message: 'Busy', code: 502 } });
			await assert.rejects(session.send(history), { code: 'upstream', serviceMessage: 'Busy' });
		});
	});

	describe('when it has expired', () => {
		it('attests once more and sends the conversation anew: another key pair, nonce 1000', async () => {
			const session = await client.channel.open();
			enclave.expire();
			assert.deepEqual(await session.send(history), { text: 'So it is.' });
			assert.deepEqual(sessionsUsed(), ['session-0 1000', 'session-1 1000']);
			assert.notEqual(enclave.messages[0]?.peerPublicKey, enclave.messages[1]?.peerPublicKey);
			assert.deepEqual(enclave.messages[1]?.history, history);
			assert.equal(session.attestation.session_id, 'session-1');
		});

		it('gives up at the second 409', async () => {
			const session = await client.channel.open();
			enclave.expire();
			enclave.answer = response => sendJson(response, 409, { error: 'Expired' });
			await assert.rejects(session.send(history), { code: 'session-expired', status: 409 });
			assert.equal(enclave.messages.length, 2);
			enclave.answer = answerWhole;
			await session.send(history);
		});

		it('asks before it goes on with another key, and sends nothing without a yes', async () => {
			const asked: string[][] = [];
			for (const [confirm, isSent] of [
				[undefined, false],
				[() => Promise.resolve(false), false],
				[() => Promise.reject(new Error('nobody there')), false],
				[() => Promise.resolve(true), true],
			] as const) {
				const session = await client.channel.open({
					confirm: (before, now) => {
						asked.push([before.keyFingerprint, now.keyFingerprint ?? '']);
						return (confirm ?? (() => Promise.resolve(false)))();
					},
				});
				const { public_key: before } = session.attestation;
				enclave.expire();
				enclave.keyPair = p384KeyPair();
				const sent = enclave.messages.length;
				if (isSent) {
					assert.deepEqual(await session.send(history), { text: 'So it is.' });
					assert.notEqual(session.attestation.public_key, before);
				} else {
					await assert.rejects(session.send(history), { code: 'session-expired' });
					assert.equal(session.attestation.public_key, before);
				}
				assert.equal(enclave.messages.length, sent + (isSent ? 2 : 1));
			}
			assert.ok(asked.every(([before, now]) => before !== now));
			assert.equal(asked.length, 4);
		});

		it('never denies that the message has gone out once, whatever keeps it from going out again', async () => {
			const { answer } = enclave.server;
			for (const change of [
				() => {
					enclave.keyPair = p384KeyPair();
				},
				() => {
					enclave.alter = record => ({ ...record, signature: enclave.signReport('another') });
				},
				() => {
					enclave.server.answer = (response, received) =>
						received.path === '/attestation' ? void response.socket?.destroy() : answer(response, received);
				},
			]) {
				const told: boolean[] = [];
				const session = await client.channel.open({
					confirm: async (_before, _now, { wasSent }) => {
						told.push(wasSent);
						return false;
					},
				});
				enclave.expire();
				change();
				const error = await session.send(history).catch((error: unknown) => error);
				assert.ok(ClientError.is(error) && error.wasSent && error.cause !== undefined);
				assert.ok(told.every(Boolean));
				[enclave.server.answer, enclave.alter] = [answer, record => record];
			}
		});

		it('tells of a message that never left', async () => {
			const session = await client.channel.open({
				confirm: async (_before, _now, { wasSent }) => {
					assert.equal(wasSent, false);
					return false;
				},
			});
			enclave.bindsKeys = 400;
			await session.send(history);
			await session.send(history);
			enclave.keyPair = p384KeyPair();
			await assert.rejects(session.send(history), { code: 'session-expired', wasSent: false });
			assert.equal(enclave.messages.length, 3);
		});

		it('ends when it is closed while a question about the other key is not answered', async () => {
			let isAsked = false;
			const session = await client.channel.open({
				confirm: () => {
					isAsked = true;
					return new Promise(() => {});
				},
			});
			enclave.expire();
			enclave.keyPair = p384KeyPair();
			const outcome = assert.rejects(session.send(history), { code: 'aborted' });
			await waitFor('the question', () => isAsked);
			await session.close();
			await outcome;
			assert.equal(enclave.messages.length, 1);
		});

		it('takes nobody to ask for a no', async () => {
			const session = await client.channel.open();
			enclave.expire();
			enclave.keyPair = p384KeyPair();
			await assert.rejects(session.send(history), { code: 'session-expired' });
			assert.equal(enclave.messages.length, 1);
		});

		it('asks when less is proven, and is over as tampered without a yes', async () => {
			const session = await client.channel.open();
			enclave.expire();
			enclave.alter = record => ({ ...record, report: { arch: 'another' } });
			await assert.rejects(session.send(history), { code: 'tampered' });
			enclave.alter = record => record;
			await assert.rejects(session.send(history), { code: 'tampered' });
			assert.equal(enclave.messages.length, 1);
		});

		it('asks no question when the new attestation fails for good', async () => {
			const session = await client.channel.open({ confirm: () => assert.fail('asked') });
			enclave.expire();
			enclave.alter = record => ({ ...record, signature: enclave.signReport('another') });
			await assert.rejects(session.send(history), { code: 'tampered' });
			assert.equal(enclave.messages.length, 1);
		});

		it('stays as it was when the attestation cannot be fetched, and tries again with the next message', async () => {
			const session = await client.channel.open();
			enclave.expire();
			const { answer } = enclave.server;
			enclave.server.answer = (response, received) =>
				received.path === '/attestation' ? sendJson(response, 500, { error: 'Starting' }) : answer(response, received);
			await assert.rejects(session.send(history), { code: 'server' });
			enclave.server.answer = answer;
			assert.deepEqual(await session.send(history), { text: 'So it is.' });
		});
	});

	for (const [status, code] of [
		[400, 'invalid-request'],
		[401, 'unauthorised'],
		[403, 'forbidden'],
		[413, 'too-large'],
		[429, 'rate-limited'],
		[503, 'server'],
	] as const) {
		it(`tells ${status} as what it is, sends nothing again and goes on`, async () => {
			const session = await client.channel.open();
			enclave.answer = response => sendJson(response, status, { error: 'So it is.' });
			await assert.rejects(session.send(history), { code, status, serviceMessage: 'So it is.' });
			enclave.answer = answerWhole;
			await session.send(history);
			assert.deepEqual(sessionsUsed(), ['session-0 1000', 'session-0 1001']);
		});
	}

	it('follows no redirect', async () => {
		const session = await client.channel.open();
		enclave.answer = response => void response.writeHead(307, { location: '/message' }).end();
		await assert.rejects(session.send(history), { code: 'bad-response', status: 307 });
		assert.equal(enclave.messages.length, 1);
	});

	it('is not opened by a yes that comes after the end', async () => {
		const controller = new AbortController();
		const { signal } = controller;
		for (const answer of [new Promise<boolean>(() => {}), Promise.resolve(true)]) {
			const confirm = () => {
				controller.abort();
				return answer;
			};
			await assert.rejects(client.channel.open({ knownKey: 'another', confirm, signal }), { code: 'aborted' });
		}
	});

	it('logs nothing of the conversation, the keys or the session', async () => {
		const session = await client.channel.open();
		await session.send(history);
		enclave.answer = response => sendJson(response, 200, {});
		await assert.rejects(session.send(history));
		assert.ok(client.logged.length > 0);
		assert.ok(client.logged.every(line => !/tide|session-0|BEGIN|sk-/.test(line)));
	});
});
