import assert from 'node:assert/strict';
import { createCipheriv, randomBytes, sign } from 'node:crypto';
import { p384 } from '@noble/curves/nist.js';
import { p384KeyPair, signedBytes } from '../../../support/contractServer/channelCryptography.ts';
import { answerEvents, answerWhole, Enclave, type EnclaveMessage } from '../../../support/enclave.ts';
import { sendJson } from '../../../support/faultServer.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const SECRET = 'the-tide-turns';
const history = [{ role: 'user', content: SECRET }] as const;
const DONE = '[DONE]';

/** Every reply here has a status of success. What does not hold is shown in no part, and nothing goes in clear. */
describe('a reply that an attacker could have made', () => {
	let enclave: Enclave;
	let client: TestClient;

	beforeEach(async () => {
		enclave = await Enclave.start();
		client = testClient('https://api.example', { fields: { encryptUrl: enclave.server.origin } });
	});
	afterEach(async () => {
		await enclave.stop();
		for (const { path, method, body } of enclave.server.received) {
			assert.match(`${method} ${path}`, /^(GET \/attestation|POST \/message|POST \/message_stream)$/);
			assert.ok(!body.includes(SECRET), 'the conversation went in clear');
		}
		const log = client.logged.join('\n');
		for (const secret of [
			SECRET,
			'sk-inference',
			'BEGIN',
			...enclave.attestations.map(record => record['session_id']),
		]) {
			assert.ok(!log.includes(String(secret)), `the log holds ${secret}`);
		}
	});

	/** Signed by the enclave, so that nothing but the form is wrong. */
	function signed(iv: Buffer, ciphertext: Buffer, nonce = 3000): object {
		const signature = sign('sha256', signedBytes(nonce, iv, ciphertext), enclave.keyPair.privateKey);
		const [ivText, text, signatureText] = [iv, ciphertext, signature].map(part => Buffer.from(part).toString('base64'));
		return { nonce, iv: ivText, ciphertext: text, signature: signatureText };
	}

	const sealedWithTag = (authTagLength: number) => {
		const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12), { authTagLength });
		return Buffer.concat([cipher.update('A text that is long enough.'), cipher.final(), cipher.getAuthTag()]);
	};

	const whole: Record<string, (message: EnclaveMessage) => unknown> = {
		'our own message, sent back': () => {
			const { payload } = JSON.parse(enclave.server.received.at(-1)?.body ?? '');
			return { ...payload, nonce: payload.nonce + 2000 };
		},
		'our own message, as it was': () => JSON.parse(enclave.server.received.at(-1)?.body ?? '').payload,
		'a nonce that is one too low': ({ seal }) => seal('x', 2999),
		'a nonce as a text': ({ seal }) => ({ ...seal('x'), nonce: '3000' }),
		'a nonce beyond safe integers': ({ seal }) => ({ ...seal('x'), nonce: 2 ** 53 }),
		'an IV of 11 bytes': () => signed(randomBytes(11), randomBytes(32)),
		'an IV of 13 bytes': () => signed(randomBytes(13), randomBytes(32)),
		...Object.fromEntries(
			[4, 12, 15].map(length => [`a tag of ${length} bytes`, () => signed(randomBytes(12), sealedWithTag(length))]),
		),
		...Object.fromEntries(
			Array.from({ length: 16 }, (_, length) => [
				`a ciphertext of ${length} bytes`,
				() => signed(randomBytes(12), randomBytes(length)),
			]),
		),
	};
	for (const [what, reply] of Object.entries(whole)) {
		it(`is refused: ${what}, whole and as a frame`, async () => {
			enclave.answer = (response, message) => sendJson(response, 200, reply(message));
			const session = await client.channel.open();
			await assert.rejects(session.send(history), { code: 'tampered' });
			await assert.rejects(session.send(history), { code: 'tampered' });
			assert.equal(enclave.messages.length, 1);
			enclave.answer = answerEvents(message => [reply(message), DONE]);
			const { events, error } = await collect((await client.channel.open()).stream(history));
			assert.deepEqual(events, []);
			assert.equal((error as { code?: string }).code, 'tampered');
		});
	}

	const frames: Record<string, (message: EnclaveMessage) => unknown[]> = {
		'a frame that nobody signed': ({ seal }) => {
			const { signature: _, ...unsigned } = seal('y');
			return [unsigned];
		},
		'a frame with an empty signature': ({ seal }) => [{ ...seal('y'), signature: '' }],
		'a frame in a list': ({ seal }) => [[seal('y')]],
		'a frame left out of those that count': ({ seal }) => [seal('y', 3001), seal('z', 3003)],
		'frames out of order': ({ seal }) => [seal('z', 3002), seal('y', 3001)],
	};
	for (const [what, sent] of Object.entries(frames)) {
		it(`ends a stream: ${what}`, async () => {
			enclave.answer = answerEvents(message => [message.seal('x'), ...sent(message), DONE]);
			const { events, error } = await collect((await client.channel.open()).stream(history));
			assert.equal(events[0]?.text, 'x');
			assert.ok(events.every(({ text }) => text !== 'z'));
			assert.equal((error as { code?: string }).code, 'tampered');
		});
	}

	it('is refused in a session that it was not made for', async () => {
		const [first, second] = [await client.channel.open(), await client.channel.open()];
		let reply: object | undefined;
		enclave.answer = (response, message) => {
			reply ??= message.seal('For the first.');
			sendJson(response, 200, reply);
		};
		assert.deepEqual(await first.send(history), { text: 'For the first.' });
		await assert.rejects(second.send(history), { code: 'tampered' });
	});

	it('is refused for a message that it does not answer', async () => {
		const session = await client.channel.open();
		let next: object | undefined;
		enclave.answer = (response, message) => {
			sendJson(response, 200, next ?? message.seal('x'));
			next = message.seal('Another part of the first reply.');
		};
		await session.send(history);
		await assert.rejects(session.send(history), { code: 'tampered' });
	});

	it('holds with s in the upper half, which OpenSSL signs as often as not', async () => {
		const session = await client.channel.open();
		enclave.answer = (response, message) => {
			const sealed = message.seal('So it is.');
			const { r, s } = p384.Signature.fromBytes(Buffer.from(sealed.signature, 'base64'), 'der');
			const high = p384.Point.Fn.ORDER - s > s ? p384.Point.Fn.ORDER - s : s;
			const signature = Buffer.from(new p384.Signature(r, high).toBytes('der')).toString('base64');
			sendJson(response, 200, { ...sealed, signature });
		};
		assert.deepEqual(await session.send(history), { text: 'So it is.' });
	});

	for (const status of [409, 500]) {
		it(`is no reply with ${status}, whatever text it holds`, async () => {
			enclave.answer = (response, message) =>
				sendJson(response, status, { ...message.seal('Never shown.'), text: 'Never shown.' });
			const session = await client.channel.open({ confirm: () => Promise.resolve(true) });
			await assert.rejects(session.send(history), { status });
			const { events, error } = await collect(session.stream(history));
			assert.deepEqual(events, []);
			assert.equal((error as { status?: number }).status, status);
		});
	}

	it('is asked for twice at most where every session has expired', async () => {
		enclave.answer = response => sendJson(response, 409, {});
		const session = await client.channel.open();
		await assert.rejects(session.send(history), { code: 'session-expired' });
		assert.equal(enclave.messages.length, 2);
		assert.equal(enclave.attestations.length, 2);
	});

	it('leads to no message where the session has expired and the next key is of another kind', async () => {
		const session = await client.channel.open({ confirm: () => Promise.resolve(true) });
		enclave.expire();
		const other = p384KeyPair().privateKey.export({ type: 'pkcs8', format: 'pem' });
		enclave.alter = record => ({ ...record, public_key: other });
		await assert.rejects(session.send(history), { code: 'tampered' });
		enclave.answer = answerWhole;
		await assert.rejects(session.send(history), { code: 'tampered' });
		assert.equal(enclave.messages.filter(({ history }) => history !== undefined).length, 0);
	});
});
