import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { postMessage, readMessageReply } from '../../../../src/client/channel/message.ts';
import type { Caller } from '../../../../src/client/core/caller.ts';
import type { MessageRequest } from '../../../../src/contract/channel.ts';
import { FaultServer, sendJson } from '../../../support/faultServer.ts';
import { testCaller } from '../testClient.ts';

const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64');

const request: MessageRequest = {
	peer_public_key: generateKeyPairSync('ec', { namedCurve: 'P-384' })
		.publicKey.export({ type: 'spki', format: 'pem' })
		.toString(),
	session_id: 'sess-1',
	payload: { nonce: 1000, iv: bytes(12), ciphertext: bytes(40), signature: bytes(103) },
};
const reply = { nonce: 3000, iv: bytes(12), ciphertext: bytes(20), signature: bytes(103) };

describe('a message of the channel', () => {
	let server: FaultServer;
	let caller: Caller;

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, reply));
		caller = testCaller('https://api.example', { fields: { orgUrl: server.origin, encryptUrl: server.origin } });
	});
	afterEach(() => server.stop());

	it('goes out as it is, as JSON, with the inference key', async () => {
		assert.deepEqual(await postMessage(caller, {}, request, undefined), reply);
		await postMessage(caller, { model: 'large', provider: 'fast-host' }, request, undefined);
		const [shared, scoped] = server.received;
		assert.equal(shared?.method, 'POST');
		assert.equal(shared?.path, '/message');
		assert.equal(shared?.headers['content-type'], 'application/json');
		assert.equal(shared?.headers.authorization, 'Bearer sk-inference');
		assert.deepEqual(JSON.parse(shared?.body ?? ''), request);
		assert.equal(scoped?.path, '/enc/fast-host/large/message');
	});

	for (const [status, code] of [
		[400, 'invalid-request'],
		[401, 'unauthorised'],
		[403, 'forbidden'],
		[409, 'session-expired'],
		[413, 'too-large'],
		[429, 'rate-limited'],
		[500, 'server'],
		[503, 'server'],
	] as const) {
		it(`takes ${status} for ${code}, and is not sent again: its nonce is spent`, async () => {
			server.answer = response => sendJson(response, status, { error: 'So it is.' });
			await assert.rejects(postMessage(caller, {}, request, undefined), { code, status, serviceMessage: 'So it is.' });
			assert.equal(server.received.length, 1);
		});
	}

	it('is not sent again when the connection breaks', async () => {
		server.answer = response => {
			response.socket?.destroy();
		};
		await assert.rejects(postMessage(caller, {}, request, undefined), { code: 'offline' });
		assert.equal(server.received.length, 1);
	});

	it('is refused before it is sent when it is not as documented', async () => {
		for (const wrong of [
			{ ...request, model: 'large' },
			{ ...request, session_id: '' },
			{ ...request, payload: { ...request.payload, nonce: 999 } },
			{ ...request, payload: { ...request.payload, iv: bytes(16) } },
		]) {
			await assert.rejects(postMessage(caller, {}, wrong as MessageRequest, undefined), { code: 'invalid-request' });
		}
		assert.equal(server.received.length, 0);
	});

	it('is answered with its nonce and 2000, and with nothing else', () => {
		assert.deepEqual(readMessageReply({ ...reply, nonce: 3007, extra: 1 }, 1007), { ...reply, nonce: 3007, extra: 1 });
		for (const wrong of [
			{ ...reply, nonce: 3001 },
			{ ...reply, nonce: 1000 },
			{ ...reply, nonce: '3000' },
			{ ...reply, iv: bytes(11) },
			{ ...reply, ciphertext: bytes(15) },
			{ ...reply, signature: 'no base64' },
			{ ciphertext: reply.ciphertext },
		]) {
			assert.throws(() => readMessageReply(wrong, 1000), { code: 'tampered' }, JSON.stringify(wrong));
		}
		for (const foreign of [{ message: 'plain text' }, { nonce: 3000, text: 'x' }, [reply], [], 'text', null]) {
			assert.throws(() => readMessageReply(foreign, 1000), { code: 'bad-response' }, JSON.stringify(foreign));
		}
	});
});
