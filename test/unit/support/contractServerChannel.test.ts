import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { open, p384KeyPair, type Sealed, seal, sharedKey } from '../../support/contractServer/channelCryptography.ts';
import type { HostName } from '../../support/contractServer/contractServer.ts';
import { channelReply, encryptedModel, health } from '../../support/contractServer/fixtures.ts';
import { Asker, events, type Json, refused } from './askContractServer.ts';

describe('contract server: channel', () => {
	const at = new Asker();

	const scoped = `/enc/${encryptedModel.channelProvider}/${encryptedModel.id}`;
	const addresses: [HostName, string][] = [
		['org', scoped],
		['encrypt', ''],
	];

	/** A client's side of one session. */
	async function session(host: HostName, prefix: string) {
		const { json: attestation } = await at.ask(host, `${prefix}/attestation`, { key: null });
		const enclave = createPublicKey(attestation.public_key);
		const own = p384KeyPair();
		const key = sharedKey(own.privateKey, enclave);
		const body = (text: string, nonce: number) => ({
			peer_public_key: own.publicKey.export({ type: 'spki', format: 'pem' }),
			session_id: attestation.session_id,
			payload: seal(JSON.stringify([{ role: 'user', content: text }]), nonce, key, own.privateKey),
		});
		const send = (text: string, nonce: number, endpoint = 'message', change: (body: Json) => void = () => {}) => {
			const sent = body(text, nonce);
			change(sent);
			return at.ask(host, `${prefix}/${endpoint}`, { body: sent });
		};
		const read = (frame: Sealed) => open(frame, key, enclave);
		return { attestation, enclave, send, read };
	}

	for (const [host, prefix] of addresses) {
		it(`tells of its health and attests itself, without a key, on ${host}`, async () => {
			const { json } = await at.ask(host, `${prefix}/health`, { key: null });
			const { timestamp, worker_pid, ...everywhere } = health;
			assert.deepEqual(json, host === 'org' ? health : everywhere);
			await refused(at.ask(host, `${prefix}/attestation`), 400, 'no key');
			const { attestation, enclave } = await session(host, prefix);
			const report = Buffer.from(attestation.report_json);
			assert.ok(verify('sha256', report, enclave, Buffer.from(attestation.signature, 'base64')));
			assert.deepEqual(JSON.parse(attestation.report_json), attestation.report);
			assert.match(attestation.gpu_eat, /^[\w-]+\.[\w-]+\.[\w-]+$/);
		});

		it(`exchanges messages whose nonces grow, whole and streamed, on ${host}`, async () => {
			const { send, read } = await session(host, prefix);
			const { json } = await send('text', 1000);
			assert.equal(json.nonce, 3000);
			assert.equal(read(json), channelReply.pieces.join(''));
			const sent = events((await send('growing', 1001, 'message_stream')).text);
			assert.deepEqual(
				sent.slice(0, -1).map(({ data }) => data.nonce),
				[3001, 3002, 3003],
			);
			assert.equal(
				sent
					.slice(0, -1)
					.map(({ data }) => read(data))
					.join(''),
				channelReply.pieces.join(''),
			);
			assert.equal(sent.at(-1)?.data, '[DONE]');
			assert.deepEqual(
				at.server.decrypted.map(({ nonce, history }) => [nonce, history[0]?.['content']]),
				[
					[1000, 'text'],
					[1001, 'growing'],
				],
			);
		});
	}

	it('seals as the cryptographic contract says, by another implementation’s reckoning', async () => {
		const { subtle } = globalThis.crypto;
		const { json: attestation } = await at.ask('encrypt', '/attestation', { key: null });
		const curve = { name: 'ECDH', namedCurve: 'P-384' };
		const spki = createPublicKey(attestation.public_key).export({ type: 'spki', format: 'der' });
		const enclave = await subtle.importKey('spki', new Uint8Array(spki), curve, false, []);
		const own = p384KeyPair();
		const pkcs8 = own.privateKey.export({ type: 'pkcs8', format: 'der' });
		const ownKey = await subtle.importKey('pkcs8', new Uint8Array(pkcs8), curve, false, ['deriveBits']);
		const secret = await subtle.deriveBits({ name: 'ECDH', public: enclave }, ownKey, 384);
		const base = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
		const info = new TextEncoder().encode('handshake data');
		const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
		const key = await subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, [
			'encrypt',
			'decrypt',
		]);
		const iv = globalThis.crypto.getRandomValues(new Uint8Array(12));
		const plain = new TextEncoder().encode(JSON.stringify([{ role: 'user', content: 'text' }]));
		const ciphertext = Buffer.from(await subtle.encrypt({ name: 'AES-GCM', iv }, key, plain));
		// 1000 as 8 bytes big-endian.
		const signed = Buffer.concat([Buffer.from('00000000000003e8', 'hex'), iv, ciphertext]);
		const body = {
			peer_public_key: own.publicKey.export({ type: 'spki', format: 'pem' }),
			session_id: attestation.session_id,
			payload: {
				nonce: 1000,
				iv: Buffer.from(iv).toString('base64'),
				ciphertext: ciphertext.toString('base64'),
				signature: sign('sha256', signed, own.privateKey).toString('base64'),
			},
		};
		const { json } = await at.ask('encrypt', '/message', { body });
		const replyIv = Buffer.from(json.iv, 'base64');
		const reply = Buffer.from(json.ciphertext, 'base64');
		const replySigned = Buffer.concat([Buffer.from('0000000000000bb8', 'hex'), replyIv, reply]);
		assert.ok(verify('sha256', replySigned, attestation.public_key, Buffer.from(json.signature, 'base64')));
		const opened = await subtle.decrypt({ name: 'AES-GCM', iv: replyIv }, key, reply);
		assert.equal(new TextDecoder().decode(opened), channelReply.pieces.join(''));
	});

	it('streams lines, and breaks off', async () => {
		const { send, read } = await session('encrypt', '');
		const lines = (await send('lines', 1000, 'message_stream')).text.trim().split('\n');
		assert.equal(read(JSON.parse(lines[0] ?? '')), channelReply.pieces[0]);
		assert.equal(lines.at(-1), '[DONE]');
		assert.equal(events((await send('cut', 1001, 'message_stream')).text).length, 2);
		assert.equal(events((await send('error-midway', 1002, 'message_stream')).text).at(-1)?.data.error.code, 502);
	});

	it('answers 409 after the session has expired, and a new attestation begins at 1000', async () => {
		const old = await session('encrypt', '');
		at.server.expireSessions();
		assert.equal((await old.send('text', 1000)).status, 409);
		assert.equal((await (await session('encrypt', '')).send('text', 1000)).status, 200);
		at.server.changeEnclaveKey();
		const next = await session('encrypt', '');
		assert.notEqual(next.attestation.public_key, old.attestation.public_key);
	});

	const wrong: [string, (body: Json) => void][] = [
		[
			'payload.nonce',
			body => {
				body.payload.nonce = 1001;
			},
		],
		[
			'payload.signature',
			body => {
				body.payload.nonce = 1000;
				body.payload.iv = randomBytes(12).toString('base64');
			},
		],
		[
			'payload.iv',
			body => {
				body.payload.iv = randomBytes(13).toString('base64');
			},
		],
		[
			'payload.iv',
			body => {
				body.payload.iv = '***';
			},
		],
		[
			'payload.ciphertext',
			body => {
				body.payload.ciphertext = 'AAAA';
			},
		],
		[
			'peer_public_key',
			body => {
				body.peer_public_key = 'no key';
			},
		],
		[
			'session_id',
			body => {
				body.session_id = createHash('sha256').digest('hex');
			},
		],
		[
			'payload',
			body => {
				delete body.payload;
			},
		],
		[
			'stream',
			body => {
				body.stream = true;
			},
		],
	];
	for (const [index, [field, change]] of wrong.entries()) {
		it(`refuses a message with a wrong ${field} (${index + 1})`, async () => {
			const { send } = await session('encrypt', '');
			await refused(send('text', 1000, 'message', change), 400, field);
		});
	}

	it('refuses a session of another address, a message without a key and a model that is not there', async () => {
		const { attestation } = await session('org', scoped);
		const other = await session('encrypt', '');
		await refused(
			other.send('text', 1000, 'message', body => {
				body.session_id = attestation.session_id;
			}),
			400,
			'session_id',
		);
		await refused(at.ask('encrypt', '/message', { key: null, body: {} }), 401, 'credentials');
		await refused(at.ask('org', '/enc/vaultrun/none/health', { key: null }), 404, 'none');
	});

	it('counts the nonce of a message that a rule answered', async () => {
		const { send } = await session('encrypt', '');
		let isBroken = true;
		at.server.answer(() => isBroken, { status: 500, headers: {}, json: {} });
		assert.equal((await send('text', 1000)).status, 500);
		isBroken = false;
		assert.equal((await send('text', 1001)).status, 200);
	});
});
