import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import {
	attestationSchema,
	healthSchema,
	messageReplySchema,
	messageRequestSchema,
} from '../../../src/contract/channel.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const base64 = (length: number) => Buffer.alloc(length, 7).toString('base64');

describe('the health record', () => {
	it('is read leniently: nothing is demanded, and other fields are kept', () => {
		const record = {
			status: 'healthy',
			crypto_status: 'ready',
			server: 'enclave-1',
			version: '1.4.2',
			timestamp: 1763700000.25,
			worker_pid: 7,
			extra: { deep: 1 },
		};
		assert.deepEqual(plain(healthSchema.parse(record)), record);
		const odd = { status: null, crypto_status: 'None', server: 7, version: {}, timestamp: '7', worker_pid: 1.5 };
		assert.deepEqual(plain(healthSchema.parse(odd)), {});
		assert.ok(!healthSchema.safeParse([]).success);
		assert.ok(!healthSchema.safeParse('healthy').success);
	});
});

describe('the attestation record', () => {
	const record = {
		public_key: '-----BEGIN PUBLIC KEY-----',
		session_id: 'sess 1/ä',
		nonce_b64: base64(32),
		signature: base64(96),
		report_json: '{}',
		report: { arch: 'HOPPER' },
		gpu_eat: 'a.b.c',
	};
	const fits = (fields: Record<string, unknown>) => attestationSchema.safeParse({ ...record, ...fields }).success;

	it('is kept as it came, other fields too', () => {
		assert.deepEqual(plain(attestationSchema.parse({ ...record, extra: 1 })), { ...record, extra: 1 });
	});

	for (const field of ['public_key', 'session_id', 'nonce_b64', 'signature', 'report_json']) {
		it(`cannot do without ${field}`, () => {
			for (const value of [undefined, null, '', 7, {}]) {
				assert.ok(!fits({ [field]: value }), JSON.stringify(value));
			}
		});
	}

	it('may lack its evidence', () => {
		for (const value of [undefined, null, 'None', 7]) {
			const read = attestationSchema.parse({ ...record, report: value, gpu_eat: value });
			assert.deepEqual([read.report, read.gpu_eat], [value, value]);
		}
		assert.deepEqual(attestationSchema.parse({ ...record, gpu_eat: [['JWT', 'a'], {}] }).gpu_eat, [['JWT', 'a'], {}]);
	});

	it('has its nonce and its signature in base64 that has one spelling only', () => {
		for (const text of ['AQ', 'AR==', 'AQ==\n', '-_-_', 'no base64']) {
			assert.ok(!fits({ nonce_b64: text }), text);
			assert.ok(!fits({ signature: text }), text);
		}
	});

	it('has a session of 1 to 512 printable characters', () => {
		assert.ok(fits({ session_id: 'x' }));
		assert.ok(fits({ session_id: 'x'.repeat(512) }));
		assert.ok(fits({ session_id: '😀'.repeat(512) }));
		for (const text of ['x'.repeat(513), 'a\nb', 'a\u0000', '\u202eabc', 'a\u2028', '\ud800', '\u007f', 'a\u200bb']) {
			assert.ok(!fits({ session_id: text }), JSON.stringify(text));
		}
	});
});

describe('an encrypted message', () => {
	const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
	const payload = { nonce: 1000, iv: base64(12), ciphertext: base64(16), signature: base64(100) };
	const request = {
		peer_public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
		session_id: 'sess-1',
		payload,
	};
	const fits = (fields: object, own: object = {}) =>
		messageRequestSchema.safeParse({ ...request, ...own, payload: { ...payload, ...fields } }).success;

	it('has the documented fields and no others', () => {
		assert.ok(fits({}));
		assert.ok(!fits({ extra: 1 }));
		assert.ok(!fits({}, { extra: 1 }));
		for (const field of ['peer_public_key', 'session_id', 'payload']) {
			assert.ok(!messageRequestSchema.safeParse({ ...request, [field]: undefined }).success);
		}
		for (const field of ['nonce', 'iv', 'ciphertext', 'signature']) {
			assert.ok(!fits({ [field]: undefined }));
		}
	});

	it('counts from 1000', () => {
		assert.ok(fits({ nonce: 1001 }));
		for (const nonce of [999, 0, -1, 1000.5, 2 ** 53, '1000']) {
			assert.ok(!fits({ nonce }), String(nonce));
		}
	});

	it('has 12 bytes of IV and a ciphertext with its tag', () => {
		assert.ok(!fits({ iv: base64(11) }));
		assert.ok(!fits({ iv: base64(13) }));
		assert.ok(!fits({ iv: 'x' }));
		assert.ok(!fits({ ciphertext: base64(15) }));
	});

	it('has a public key, and never a private one', () => {
		const pair = generateKeyPairSync('ec', { namedCurve: 'P-384' });
		const secret = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
		assert.ok(!fits({}, { peer_public_key: secret }));
		assert.ok(!fits({}, { peer_public_key: request.peer_public_key + secret }));
		assert.ok(!fits({}, { peer_public_key: 'key' }));
	});

	it('is answered with the four fields, each of its kind', () => {
		const reply = { nonce: 3000, iv: base64(12), ciphertext: base64(40), signature: base64(100) };
		assert.ok(messageReplySchema.safeParse(reply).success);
		for (const fields of [
			{ nonce: '3000' },
			{ nonce: 2 ** 53 },
			{ nonce: null },
			{ iv: base64(16) },
			{ ciphertext: base64(15) },
			{ ciphertext: 'x' },
			{ signature: '' },
			{ signature: undefined },
		]) {
			assert.ok(!messageReplySchema.safeParse({ ...reply, ...fields }).success, JSON.stringify(fields));
		}
	});
});
