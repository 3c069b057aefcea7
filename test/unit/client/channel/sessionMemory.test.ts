import assert from 'node:assert/strict';
import { Handshake } from '../../../../src/client/channel/handshake.ts';
import { ChannelMemory } from '../../../../src/client/channel/memory.ts';
import type { Attested } from '../../../../src/client/types.ts';
import { readPublicKey } from '../../../../src/crypto/publicKey.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';

const attested: Attested = {
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

describe('what a client remembers of attestations', () => {
	it('is the last one of an address, and which key each nonce came with', () => {
		const memory = new ChannelMemory();
		memory.accept('https://a.example', attested, '01', 'key 1');
		assert.equal(memory.accepted.get('https://a.example'), attested);
		assert.ok(!memory.hasSeenWithAnother('01', 'key 1'));
		assert.ok(memory.hasSeenWithAnother('01', 'key 2'));
		assert.ok(!memory.hasSeenWithAnother('02', 'key 2'));
	});

	it('has an end', () => {
		const memory = new ChannelMemory();
		for (let nonce = 0; nonce <= 10_000; nonce++) {
			memory.accept('https://a.example', attested, String(nonce), 'key 1');
		}
		assert.ok(!memory.hasSeenWithAnother('0', 'key 2'));
		assert.ok(memory.hasSeenWithAnother('1', 'key 2'));
	});
});

describe('the IVs that a session remembers', () => {
	it('have an end, at which the session has one too', async () => {
		const handshake = await Handshake.begin(attested, readPublicKey(attested.attestation.public_key));
		const admit = (iv: string) => handshake.admit({ nonce: 3000, iv, ciphertext: '', signature: '' });
		for (let count = 0; count < 1_000_000; count++) {
			admit(String(count));
		}
		assert.throws(() => admit('0'), { code: 'tampered', message: /seen before/ });
		assert.throws(() => admit('1000000'), { code: 'tampered', message: /more than/ });
	});
});
