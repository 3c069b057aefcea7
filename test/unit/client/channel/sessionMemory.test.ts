import assert from 'node:assert/strict';
import { Handshake } from '../../../../src/client/channel/handshake.ts';
import { ChannelMemory, MAXIMUM_ADDRESSES, MAXIMUM_NONCES } from '../../../../src/client/channel/memory.ts';
import type { AcceptedAttestation, Attested } from '../../../../src/client/types.ts';
import { readPublicKey } from '../../../../src/crypto/publicKey.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';

const attested: Attested = {
	address: 'https://a.example/attestation',
	keyFingerprint: 'key 1',
	devices: [],
	attestation: {
		public_key: p384KeyPair().publicKey.export({ type: 'spki', format: 'pem' }).toString(),
		session_id: 'session-1',
		nonce_b64: '',
		signature: '',
		report_json: '{}',
		report: undefined,
		gpu_eat: undefined,
	},
	verdicts: [],
};

const accepted: AcceptedAttestation = { verdicts: [], keyFingerprint: 'key 1', devices: [] };

describe('the memory of a client for attestations', () => {
	it('holds the last one of an address, and which key each nonce came with', () => {
		const memory = new ChannelMemory();
		memory.accept('https://a.example', { ...accepted, devices: ['old'] }, '00');
		memory.accept('https://a.example', accepted, '01');
		assert.deepEqual(memory.accepted('https://a.example'), accepted);
		assert.equal(memory.accepted('https://b.example'), undefined);
		assert.ok(!memory.hasSeenWithAnother('01', 'key 1'));
		assert.ok(memory.hasSeenWithAnother('01', 'key 2'));
		assert.ok(!memory.hasSeenWithAnother('02', 'key 2'));
	});

	it('forgets the oldest addresses and nonces over its limits', () => {
		const memory = new ChannelMemory();
		for (let nonce = 0; nonce <= MAXIMUM_NONCES; nonce++) {
			memory.accept(`https://${nonce % (MAXIMUM_ADDRESSES + 1)}.example`, accepted, String(nonce));
		}
		assert.ok(!memory.hasSeenWithAnother('0', 'key 2'));
		assert.ok(memory.hasSeenWithAnother('1', 'key 2'));
		const known = Array.from({ length: MAXIMUM_ADDRESSES + 1 }, (_, index) =>
			memory.accepted(`https://${index}.example`),
		);
		assert.equal(known.filter(Boolean).length, MAXIMUM_ADDRESSES);
	});

	it('tells a nonce that came again, and forgets the one that has not come for longest', () => {
		const memory = new ChannelMemory();
		for (let nonce = 1; nonce <= MAXIMUM_NONCES; nonce++) {
			assert.ok(!memory.isRepeated(String(nonce)), String(nonce));
		}
		assert.ok(memory.isRepeated('1'), 'all of them fit');
		assert.ok(!memory.isRepeated('another'), 'which takes the place of the second');
		assert.ok(memory.isRepeated('1'), 'it came again meanwhile');
		assert.ok(memory.isRepeated('3'));
		assert.ok(!memory.isRepeated('2'));
	});

	it('outlives the client, as JSON and without reasons, records or keys', () => {
		let kept = '{}';
		const store = {
			read: () => JSON.parse(kept),
			write: (state: unknown) => {
				kept = JSON.stringify(state);
			},
		};
		const verdict = { check: 'transport', verdict: 'pass', code: 'way-https', input: 'https://a.example' } as const;
		new ChannelMemory(store).accept('https://a.example', { ...accepted, verdicts: [verdict] }, '01');
		const memory = new ChannelMemory(store);
		assert.deepEqual(memory.accepted('https://a.example')?.verdicts, [{ check: 'transport', verdict: 'pass' }]);
		assert.ok(memory.hasSeenWithAnother('01', 'key 2'));
		assert.doesNotMatch(kept, /way-https/);
		for (const broken of ['null', '7', '{"addresses":[[1,2]],"nonces":[]}', '[]']) {
			kept = broken;
			assert.equal(memory.accepted('https://a.example'), undefined);
		}
	});
});

describe('a memory that another version has written to', () => {
	it('keeps what this one knows of', () => {
		let state: unknown;
		const store = {
			read: () => state,
			write: (written: unknown) => {
				state = written;
			},
		};
		const long = `https://a.example/${'x'.repeat(5000)}`;
		const memory = new ChannelMemory(store);
		memory.accept('https://a.example', accepted, '01');
		memory.accept(long, accepted, '02');
		assert.deepEqual(memory.accepted('https://a.example'), accepted);
		assert.deepEqual(memory.accepted(long), accepted);
		const verdicts = [
			{ check: 'transport', verdict: 'pass' },
			{ check: 'a-later-check', verdict: 'pass' },
		];
		const later = ['https://b.example', { verdicts, keyFingerprint: 'key 2', devices: [], more: true }];
		const { addresses, nonces } = state as { addresses: unknown[]; nonces: unknown[] };
		state = { addresses: [...addresses, later, { another: 'form' }], nonces: [...nonces, 7], more: true };
		assert.deepEqual(memory.accepted('https://a.example'), accepted);
		assert.deepEqual(memory.accepted('https://b.example')?.verdicts, verdicts.slice(0, 1));
		assert.ok(memory.hasSeenWithAnother('01', 'key 2'));
		memory.accept('https://c.example', accepted, '03');
		assert.deepEqual(memory.accepted('https://a.example'), accepted);
	});
});

describe('the IVs of a message and its reply', () => {
	it('have an end, at which the session has one too', async () => {
		const enclave = readPublicKey(attested.attestation.public_key);
		const { handshake } = await Handshake.seal('x', 1000, { attested, enclave });
		const admit = (iv: string) => handshake.admit({ nonce: 3000, iv, ciphertext: '', signature: '' });
		for (let count = 1; count < 1_000_000; count++) {
			admit(String(count));
		}
		assert.throws(() => admit('1'), { code: 'tampered', message: /seen before/ });
		assert.throws(() => admit('1000000'), { code: 'tampered', message: /more than/ });
	});
});
