import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import { ChannelMemory } from '../../../../src/client/channel/memory.ts';
import type { ChannelSession } from '../../../../src/client/types.ts';
import type { ChannelMessage } from '../../../../src/contract/channel.ts';
import { answerWhole, Enclave } from '../../../support/enclave.ts';
import { sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const history: ChannelMessage[] = [{ role: 'user', content: 'When does the tide turn?' }];

const answerEither: Enclave['answer'] = (response, message) =>
	message.path.endsWith('_stream')
		? sendEvents(response, sseEvent(message.seal('So it is.')), sseEvent('[DONE]'))
		: answerWhole(response, message);

describe('how long a session of the encrypted channel lasts', () => {
	let enclave: Enclave;
	let client: TestClient;
	const connect = (memory = new ChannelMemory()) =>
		testClient('https://api.example', {
			fields: { orgUrl: enclave.server.origin, encryptUrl: enclave.server.origin },
			channel: { memory },
		});

	beforeEach(async () => {
		enclave = await Enclave.start();
		enclave.answer = answerEither;
		client = connect();
	});
	afterEach(() => enclave.stop());

	/** Sends a message, every other one to be answered as a stream, and asserts that its reply is there. */
	async function exchange(session: ChannelSession, index: number): Promise<void> {
		if (index % 2 === 0) {
			assert.deepEqual(await session.send(history), { text: 'So it is.' });
		} else {
			const { events, error } = await collect(session.stream(history));
			assert.deepEqual([events, error], [[{ type: 'text', text: 'So it is.' }], undefined]);
		}
	}
	const used = () => enclave.messages.map(({ sessionId, nonce }) => `${sessionId} ${nonce}`);
	const nonces = (id: string, from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_, index) => `${id} ${from + index}`);

	for (const [form, address] of [
		['shared', {}],
		['scoped', { model: 'large', provider: 'fast-host' }],
	] as const) {
		it(`is over ten messages, whole and streamed, at the ${form} address`, async () => {
			const session = await client.channel.open(address);
			for (let index = 0; index < 10; index++) {
				await exchange(session, index);
			}
			assert.equal(enclave.attestations.length, 1);
			assert.deepEqual(used(), nonces('session-0', 1000, 1009));
			assert.equal(new Set(enclave.messages.map(({ peerPublicKey }) => peerPublicKey)).size, 10);
			assert.equal((await client.channel.attest(address)).needsSessionPerMessage, false);
		});

		it(`ends where the service expires it, and a new one begins at 1000, at the ${form} address`, async () => {
			const session = await client.channel.open(address);
			for (let index = 0; index < 10; index++) {
				if (index === 4) {
					enclave.expire();
				}
				await exchange(session, index);
			}
			assert.equal(enclave.attestations.length, 2);
			assert.deepEqual(used(), [...nonces('session-0', 1000, 1004), ...nonces('session-1', 1000, 1005)]);
			assert.equal(new Set(enclave.messages.map(({ peerPublicKey }) => peerPublicKey)).size, 11);
			assert.equal((await client.channel.attest(address)).needsSessionPerMessage, false);
		});
	}

	describe('where the service binds it to the key of its first message', () => {
		for (const status of [400, 401, 403] as const) {
			it(`with ${status}: one try fails, and then each message has its own`, async () => {
				enclave.bindsKeys = status;
				const session = await client.channel.open({ confirm: () => assert.fail('asked') });
				for (let index = 0; index < 5; index++) {
					await exchange(session, index);
				}
				const rest = [1, 2, 3, 4].map(index => `session-${index} 1000`);
				assert.deepEqual(used(), ['session-0 1000', 'session-0 1001', ...rest]);
				assert.equal(enclave.attestations.length, 5);
				assert.equal(new Set(enclave.messages.map(({ peerPublicKey }) => peerPublicKey)).size, 6);
			});
		}

		it('with 409, as if it had expired: two tries fail, and then each message has its own', async () => {
			enclave.bindsKeys = 409;
			const session = await client.channel.open();
			for (let index = 0; index < 5; index++) {
				await exchange(session, index);
			}
			const failed = ['session-0 1000', 'session-0 1001', 'session-1 1000', 'session-1 1001'];
			assert.deepEqual(used(), [...failed, 'session-2 1000', 'session-3 1000', 'session-4 1000']);
		});

		it('is told by the report, and known to other conversations at that address and to no others', async () => {
			enclave.bindsKeys = 403;
			const memory = new ChannelMemory();
			client = connect(memory);
			const session = await client.channel.open();
			assert.equal((await client.channel.attest()).needsSessionPerMessage, false);
			await exchange(session, 0);
			await exchange(session, 1);
			assert.equal((await client.channel.attest()).needsSessionPerMessage, true);
			const scoped = { model: 'large', provider: 'fast-host' };
			assert.equal((await client.channel.attest(scoped)).needsSessionPerMessage, false);
			enclave.messages.length = 0;
			const next = await connect(memory).channel.open();
			await exchange(next, 0);
			await exchange(next, 1);
			assert.deepEqual(
				enclave.messages.map(({ nonce }) => nonce),
				[1000, 1000],
			);
		});
	});

	it('is one message where that one has used its nonce and the service knows of none', async () => {
		enclave.answer = response => void response.socket?.destroy();
		const session = await client.channel.open();
		await assert.rejects(session.send(history), { code: 'offline' });
		enclave.answer = (response, message) =>
			message.nonce === 1000 || message.sessionId !== 'session-0'
				? answerEither(response, message)
				: sendJson(response, 400, { error: 'The nonce is not the next' });
		for (let index = 0; index < 3; index++) {
			await exchange(session, index);
		}
		assert.deepEqual(used(), ['session-0 1000', 'session-0 1001', ...nonces('session-1', 1000, 1002)]);
		assert.equal((await client.channel.attest()).needsSessionPerMessage, false);
	});

	for (const status of [400, 401, 403] as const) {
		it(`tells ${status} where a new session is refused as well, and takes the service for none that binds keys`, async () => {
			const session = await client.channel.open();
			await exchange(session, 0);
			enclave.answer = response => sendJson(response, status, { error: 'Not you' });
			const error = await session.send(history).catch((error: unknown) => error);
			assert.ok(ClientError.is(error) && error.wasSent);
			assert.deepEqual([error.status, error.serviceMessage], [status, 'Not you']);
			assert.deepEqual(used(), ['session-0 1000', 'session-0 1001', 'session-1 1000']);
			enclave.answer = answerEither;
			await exchange(session, 1);
			assert.deepEqual(used().at(-1), 'session-1 1001');
			assert.equal((await client.channel.attest()).needsSessionPerMessage, false);
		});
	}

	it('is not one message only because it has expired after one', async () => {
		const session = await client.channel.open();
		for (let index = 0; index < 4; index++) {
			await exchange(session, index);
			if (index === 0) {
				enclave.expire();
			}
		}
		assert.deepEqual(used(), ['session-0 1000', 'session-0 1001', ...nonces('session-1', 1000, 1002)]);
		assert.equal((await client.channel.attest()).needsSessionPerMessage, false);
	});
});
