import assert from 'node:assert/strict';
import { randomBytes, sign } from 'node:crypto';
import {
	p384KeyPair,
	p384PublicKey,
	type Sealed,
	seal,
	signedBytes,
} from '../support/contractServer/channelCryptography.ts';
import { channelReply } from '../support/contractServer/fixtures.ts';
import { asking, attestationsOf, bytesOf, history, messagesTo, model, provider, read, whole } from './channelProofs.ts';
import { type SentMessage, standIn } from './enclaveStandIn.ts';
import { prove } from './harness.ts';

const REQUEST = 'encrypted-channel/message-request-body';
const REPLY = 'encrypted-channel/message-response-body';
const CRYPTOGRAPHY = 'encrypted-channel/cryptographic-contract';
const STATES = 'encrypted-channel/states-and-transitions';
const AUTHENTICATION = 'encrypted-channel/authentication';
const LIMITS = 'encrypted-channel/limits';
const CHOICES = 'unspecified/encrypted-channel';

describe('a message of the encrypted channel', () => {
	prove([`${REQUEST}/1`, `${CRYPTOGRAPHY}/1`], 'brings a P-384 key that no other message has', async context => {
		const { client, server } = context;
		for (let count = 0; count < 2; count++) {
			const session = await client.channel.open();
			await session.send(history);
			await session.send(history);
		}
		const keys = messagesTo(server).map(({ peer_public_key: key }) => key);
		assert.equal(new Set(keys).size, 4);
		assert.ok(keys.every(key => p384PublicKey(key).asymmetricKeyDetails?.namedCurve === 'secp384r1'));
	});

	prove([`${REQUEST}/2`, `${STATES}/1`], 'begins a session with its attestation, id and nonce 1000', async context => {
		const { client, server } = context;
		for (let count = 0; count < 2; count++) {
			const session = await client.channel.open();
			await session.send(history);
			const last = messagesTo(server).at(-1);
			assert.equal(last?.session_id, session.attestation.session_id);
			assert.equal(last.payload.nonce, 1000);
		}
		assert.equal(new Set(messagesTo(server).map(({ session_id: id }) => id)).size, 2);
	});

	prove(`${REQUEST}/3`, 'has the documented fields and no others', async ({ client, server }) => {
		await (await client.channel.open()).send(history);
		const [message] = messagesTo(server);
		assert.deepEqual(Object.keys(message ?? {}).sort(), ['payload', 'peer_public_key', 'session_id']);
		assert.deepEqual(Object.keys(message?.payload ?? {}).sort(), ['ciphertext', 'iv', 'nonce', 'signature']);
	});

	prove(
		[`${REQUEST}/4`, `${STATES}/2`, `${LIMITS}/1`, `${REPLY}/1`],
		'has the next nonce of its session, from 1000 on, and takes a reply 2000 above',
		async ({ client, server }) => {
			const session = await client.channel.open();
			for (let count = 0; count < 2; count++) {
				assert.deepEqual(await session.send(history), { text: whole });
				assert.deepEqual(await read(session.stream(history)), channelReply.pieces);
			}
			assert.deepEqual(
				server.decrypted.map(({ sessionId, nonce }) => [sessionId, nonce]),
				[1000, 1001, 1002, 1003].map(nonce => [session.attestation.session_id, nonce]),
			);
			assert.equal(attestationsOf(server).length, 1);
			const enclave = standIn(server, (message, sealed) => sealed('x', message.payload.nonce + 1999));
			await assert.rejects((await client.channel.open()).send(history), { code: 'tampered' });
			assert.equal(enclave.opened.length, 1);
		},
	);

	prove([`${REQUEST}/5`, `${CRYPTOGRAPHY}/4`, `${LIMITS}/2`], 'has an IV of 12 bytes of its own', async context => {
		const { client, server } = context;
		const session = await client.channel.open();
		for (let count = 0; count < 3; count++) {
			await session.send(history);
		}
		const ivs = messagesTo(server).map(({ payload }) => payload.iv);
		assert.deepEqual(
			ivs.map(iv => bytesOf(iv).length),
			[12, 12, 12],
		);
		assert.equal(new Set(ivs).size, 3);
	});

	prove(
		[`${REQUEST}/6`, `${CRYPTOGRAPHY}/2`, `${CRYPTOGRAPHY}/3`, `${CRYPTOGRAPHY}/4`],
		'carries the history so that the enclave, and nobody else, reads it',
		async ({ client, server }) => {
			await (await client.channel.open()).send(history);
			assert.deepEqual(server.decrypted[0]?.history, history);
			const [message] = messagesTo(server);
			const plain = Buffer.from(JSON.stringify(history));
			assert.equal(bytesOf(message?.payload.ciphertext ?? '').length, plain.length + 16);
			assert.ok(server.received.every(({ text }) => !/tide|brief/.test(text)));
		},
	);

	prove(
		[`${REQUEST}/7`, `${CRYPTOGRAPHY}/5`],
		'is signed in DER over nonce, IV and ciphertext, by the key that it brings',
		async ({ client, server }) => {
			const enclave = standIn(server, (_, sealed) => sealed(whole));
			assert.deepEqual(await (await client.channel.open()).send(history), { text: whole });
			assert.deepEqual(enclave.opened, [JSON.stringify(history)]);
			const [message] = messagesTo(server);
			assert.equal(bytesOf(message?.payload.signature ?? '')[0], 0x30);
		},
	);
});

describe('a reply of the encrypted channel', () => {
	prove(
		[`${REPLY}/1`, `${REPLY}/2`, `${REPLY}/3`, `${REPLY}/4`, 'encrypted-channel/endpoints/3'],
		'is read from POST /message in both addressing forms',
		async ({ client, lastRequest }) => {
			assert.deepEqual(await (await client.channel.open()).send(history), { text: whole });
			assert.deepEqual([lastRequest().method, lastRequest().host, lastRequest().path], ['POST', 'encrypt', '/message']);
			assert.deepEqual(await (await client.channel.open({ model, provider })).send(history), { text: whole });
			assert.deepEqual([lastRequest().host, lastRequest().path], ['org', `/enc/${provider}/${model}/message`]);
		},
	);

	prove('encrypted-channel/endpoints/prose/1', 'comes from either address, for all four endpoints', async context => {
		const { client, server } = context;
		for (const [address, host, prefix] of [
			[{ model, provider }, 'org', `/enc/${provider}/${model}`],
			[{}, 'encrypt', ''],
		] as const) {
			server.received.length = 0;
			await client.channel.health(address);
			const session = await client.channel.open(address);
			assert.deepEqual(await session.send(history), { text: whole });
			assert.deepEqual(await read(session.stream(history)), channelReply.pieces);
			const asked = server.received.map(request => `${request.host} ${request.method} ${request.path}`);
			assert.deepEqual(
				asked,
				['GET /health', 'GET /attestation', 'POST /message', 'POST /message_stream']
					.map(endpoint => endpoint.replace('/', `${prefix}/`))
					.map(endpoint => `${host} ${endpoint}`),
			);
		}
	});

	const changes: [string, string, (sealed: Sealed) => Sealed][] = [
		[`${REPLY}/1`, 'another nonce', sealed => ({ ...sealed, nonce: sealed.nonce + 1 })],
		[`${REPLY}/2`, 'another IV', sealed => ({ ...sealed, iv: flipped(sealed.iv) })],
		[`${REPLY}/2`, 'an IV of 16 bytes', sealed => ({ ...sealed, iv: randomBytes(16).toString('base64') })],
		[`${REPLY}/3`, 'another ciphertext', sealed => ({ ...sealed, ciphertext: flipped(sealed.ciphertext) })],
		[`${REPLY}/4`, 'another signature', sealed => ({ ...sealed, signature: flipped(sealed.signature) })],
		[`${CRYPTOGRAPHY}/6`, 'a signature of another key', sealed => ({ ...sealed, signature: signedByAnother(sealed) })],
		[
			`${REPLY}/4`,
			'a signature of another length',
			sealed => ({ ...sealed, signature: ofAnotherLength(sealed.signature) }),
		],
		[`${AUTHENTICATION}/3`, 'no signature', ({ nonce, iv, ciphertext }) => ({ nonce, iv, ciphertext, signature: '' })],
	];
	for (const [id, what, change] of changes) {
		prove(id, `is tampered with when it has ${what}, and ends the session`, async ({ client, server }) => {
			standIn(server, (_, sealed) => change(sealed('The tide is out.')));
			const session = await client.channel.open();
			await assert.rejects(session.send(history), { code: 'tampered' });
			await assert.rejects(session.send(history), { code: 'tampered' });
			assert.equal(messagesTo(server).length, 1);
		});
	}

	prove(`${CRYPTOGRAPHY}/4`, 'is not read when its signature holds and its tag is another', async context => {
		const { client, server } = context;
		standIn(server, (_, sealed, { privateKey }) => {
			const { nonce, iv, ciphertext } = sealed('The tide is out.');
			const changed = bytesOf(flipped(ciphertext));
			const bytes = signedBytes(nonce, bytesOf(iv), changed);
			const signature = sign('sha256', bytes, privateKey).toString('base64');
			return { nonce, iv, ciphertext: changed.toString('base64'), signature };
		});
		await assert.rejects((await client.channel.open()).send(history), { code: 'tampered' });
	});

	prove(`${CRYPTOGRAPHY}/6`, 'is not read when its signature holds and its key is another', async context => {
		const { client, server } = context;
		standIn(server, (message, _, { privateKey }) =>
			seal('x', message.payload.nonce + 2000, randomBytes(32), privateKey),
		);
		await assert.rejects((await client.channel.open()).send(history), { code: 'tampered' });
	});

	prove(
		`${AUTHENTICATION}/2`,
		'takes the inference key, and the message is JSON',
		async ({ client, connect, server }) => {
			const session = await client.channel.open();
			await session.send(history);
			await read(session.stream(history));
			const sent = server.received.filter(({ method }) => method === 'POST');
			assert.deepEqual(
				sent.map(({ headers }) => [headers.authorization, headers['content-type']]),
				Array(2).fill([`Bearer ${server.keys.inference}`, 'application/json']),
			);
			const without = await connect({}, { inference: undefined }).channel.open();
			await assert.rejects(without.send(history), { code: 'no-key' });
			const wrong = await connect({}, { inference: 'sk-wrong' }).channel.open();
			await assert.rejects(wrong.send(history), { code: 'unauthorised', status: 401 });
		},
	);
});

describe('a session of the encrypted channel', () => {
	prove(
		[`${STATES}/3`, `${STATES}/4`, `${STATES}/5`, 'encrypted-channel/errors/1', `${CHOICES}/6`],
		'attests again after 409, and tries once more from nonce 1000 with another key pair',
		async ({ client, server }) => {
			const session = await client.channel.open();
			const ids = [session.attestation.session_id];
			for (let count = 0; count < 2; count++) {
				assert.deepEqual(await session.send(history), { text: whole });
				server.expireSessions();
				assert.deepEqual(await read(session.stream(history)), channelReply.pieces);
				ids.push(session.attestation.session_id);
			}
			assert.equal(attestationsOf(server).length, 3);
			assert.equal(new Set(ids).size, 3);
			const sent = messagesTo(server);
			assert.deepEqual(
				sent.map(({ session_id: id, payload }) => [ids.indexOf(id), payload.nonce]),
				[
					[0, 1000],
					[0, 1001],
					[1, 1000],
					[1, 1001],
					[1, 1002],
					[2, 1000],
				],
			);
			assert.equal(new Set(sent.map(({ peer_public_key: key }) => key)).size, 6);
			assert.equal(new Set(sent.map(({ payload }) => payload.ciphertext)).size, 6);
			assert.deepEqual(
				server.decrypted.map(({ history }) => history),
				Array(4).fill(history),
			);
		},
	);

	prove(`${CHOICES}/6`, 'takes a second 409 for an error', async ({ client, server }) => {
		const session = await client.channel.open();
		server.answer(({ path }) => path === '/message', { status: 409, headers: {}, json: { error: 'Expired' } });
		await assert.rejects(session.send(history), { code: 'session-expired', status: 409 });
		assert.equal(messagesTo(server).length, 2);
		assert.equal(attestationsOf(server).length, 2);
	});

	prove(`${CHOICES}/6`, 'asks before anything is sent under another key', async ({ client, server }) => {
		for (const answer of [false, true]) {
			const asked: string[] = [];
			const session = await client.channel.open({
				confirm: async (before, now) => {
					asked.push(before.keyFingerprint, now.keyFingerprint ?? '');
					return answer;
				},
			});
			const sent = messagesTo(server).length;
			server.changeEnclaveKey();
			if (answer) {
				assert.deepEqual(await session.send(history), { text: whole });
			} else {
				await assert.rejects(session.send(history), { code: 'session-expired' });
			}
			assert.equal(messagesTo(server).length, sent + (answer ? 2 : 1));
			assert.equal(new Set(asked).size, 2);
		}
	});

	prove([`${CHOICES}/5`, `${LIMITS}/3`], 'tells each refusal as what it is, and sends nothing again', async context => {
		const { client, server } = context;
		let status = 0;
		server.answer(
			({ method }) => method === 'POST',
			() => ({ status, headers: {}, json: { error: { message: 'Not now' } } }),
		);
		const codes = {
			400: 'invalid-request',
			401: 'unauthorised',
			403: 'forbidden',
			404: 'not-found',
			429: 'rate-limited',
			500: 'server',
			502: 'upstream',
		};
		for (const [text, code] of Object.entries(codes)) {
			status = Number(text);
			const told = { code, status, serviceMessage: 'Not now' };
			await assert.rejects((await client.channel.open()).send(history), told);
			await assert.rejects(read((await client.channel.open()).stream(history)), told);
		}
		assert.equal(messagesTo(server).length, 2 * Object.keys(codes).length);
	});

	prove(`${CHOICES}/5`, 'has one message each where the service binds it to the first key', async context => {
		const { client, server } = context;
		const firstKeys = new Map<string, string>();
		server.answer(
			({ method, json }) => {
				if (method !== 'POST') {
					return false;
				}
				const { session_id: id, peer_public_key: key } = json as SentMessage;
				const first = firstKeys.get(id) ?? key;
				firstKeys.set(id, first);
				return key !== first;
			},
			{ status: 403, headers: {}, json: { error: 'Another key' } },
		);
		const session = await client.channel.open();
		for (let count = 0; count < 2; count++) {
			assert.deepEqual(await session.send(history), { text: whole });
			assert.deepEqual(await read(session.stream(history)), channelReply.pieces);
		}
		assert.deepEqual(
			messagesTo(server).map(({ payload }) => payload.nonce),
			[1000, 1001, 1000, 1000, 1000],
		);
		assert.equal(attestationsOf(server).length, 4);
	});

	prove(`${CHOICES}/7`, 'tells 413 as a conversation that is too large', async ({ client, server }) => {
		server.answer(({ method }) => method === 'POST', { status: 413, headers: {}, text: 'Payload Too Large' });
		await assert.rejects((await client.channel.open()).send(history), { code: 'too-large', status: 413 });
	});

	prove(`${AUTHENTICATION}/3`, 'passes the checks of session, nonce and signature, each for itself', async context => {
		const { client, server } = context;
		const sessions = [await client.channel.open(), await client.channel.open({ model, provider })];
		const ids: string[] = [];
		for (let count = 0; count < 2; count++) {
			for (const session of sessions) {
				assert.deepEqual(await session.send(history), { text: whole });
				ids.push(session.attestation.session_id);
			}
		}
		assert.equal(new Set(ids).size, 2);
		assert.deepEqual(
			server.decrypted.map(({ sessionId, nonce }) => [sessionId, nonce]),
			ids.map((id, index) => [id, index < 2 ? 1000 : 1001]),
		);
	});
});

describe('a streamed reply of the encrypted channel', () => {
	prove(
		['encrypted-channel/endpoints/4', 'encrypted-channel/events/prose/1', `${CHOICES}/1`],
		'comes frame by frame from POST /message_stream, as events or lines, with nonces that stay or grow',
		async ({ client, lastRequest }) => {
			for (const scenario of ['text', 'growing', 'lines']) {
				const session = await client.channel.open({ model, provider });
				assert.deepEqual(await read(session.stream(asking(scenario))), channelReply.pieces);
				const { method, path } = lastRequest();
				assert.deepEqual([method, path], ['POST', `/enc/${provider}/${model}/message_stream`]);
			}
		},
	);

	for (const [scenario, code] of [
		['cut', 'truncated'],
		['error-midway', 'upstream'],
	] as const) {
		prove(`${CHOICES}/1`, `delivers what came before it ends as ${code}`, async ({ client }) => {
			const session = await client.channel.open();
			const texts: string[] = [];
			const reading = async () => {
				for await (const { text } of session.stream(asking(scenario))) {
					texts.push(text);
				}
			};
			await assert.rejects(reading(), { code });
			assert.deepEqual(texts, channelReply.pieces.slice(0, 2));
			assert.deepEqual(await session.send(history), { text: whole });
		});
	}

	const framings: [string, (sealed: (text: string, nonce?: number) => Sealed) => unknown[], string[]][] = [
		['a frame that was changed', sealed => [sealed('a'), { ...sealed('b'), iv: sealed('c').iv }], ['a']],
		['a frame that was seen before', sealed => [...Array(2).fill(sealed('a'))], ['a']],
		['a first nonce of another request', sealed => [sealed('a', 3001)], []],
		['a nonce that leaves one out', sealed => [sealed('a'), sealed('b', 3001), sealed('c', 3003)], ['a', 'b']],
		['a text in the clear', sealed => [sealed('a'), { text: 'b' }], ['a']],
	];
	for (const [what, frames, shown] of framings) {
		prove(`${CHOICES}/1`, `is tampered with by ${what}, of which nothing is shown`, async ({ client, server }) => {
			standIn(server, (_, sealed) => frames(sealed));
			const session = await client.channel.open();
			const texts: string[] = [];
			const reading = async () => {
				for await (const { text } of session.stream(history)) {
					texts.push(text);
				}
			};
			await assert.rejects(reading(), { code: 'tampered' });
			assert.deepEqual(texts, shown);
		});
	}
});

function flipped(text: string): string {
	const bytes = bytesOf(text);
	const last = bytes.length - 1;
	bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
	return bytes.toString('base64');
}

/** Says another length of the whole than that of its two numbers. */
function ofAnotherLength(signature: string): string {
	const bytes = bytesOf(signature);
	bytes.writeUInt8(bytes.readUInt8(1) ^ 1, 1);
	return bytes.toString('base64');
}

function signedByAnother({ nonce, iv, ciphertext }: Sealed): string {
	const bytes = signedBytes(nonce, bytesOf(iv), bytesOf(ciphertext));
	return sign('sha256', bytes, p384KeyPair().privateKey).toString('base64');
}
