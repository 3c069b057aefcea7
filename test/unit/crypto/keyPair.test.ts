import assert from 'node:assert/strict';
import { createECDH, createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, verify } from 'node:crypto';
import { agree, generateKeyPair, type KeyPair, signMessage } from '../../../src/crypto/keyPair.ts';
import { readPublicKey, writePublicKey } from '../../../src/crypto/publicKey.ts';
import { readDerSignature } from '../../../src/crypto/signature.ts';
import { exchange, ORDER, uncompressed } from './vectors.ts';

/** The platform's own form of one of our key pairs. */
function platformKey({ secretKey, publicKey }: KeyPair) {
	const jwk = createPublicKey(publicKey).export({ format: 'jwk' });
	return createPrivateKey({ format: 'jwk', key: { ...jwk, d: Buffer.from(secretKey).toString('base64url') } });
}

describe('a key pair', () => {
	it('is new each time', () => {
		const [one, other] = [generateKeyPair(), generateKeyPair()];
		assert.notEqual(one.publicKey, other.publicKey);
		assert.notDeepEqual(one.secretKey, other.secretKey);
		assert.equal(one.secretKey.length, 48);
	});

	it('shows its public half in a form that we take ourselves and others take too', () => {
		const { publicKey } = generateKeyPair();
		const { point, spki } = readPublicKey(publicKey);
		assert.equal(writePublicKey(point), publicKey);
		const theirs = createPublicKey(publicKey);
		assert.equal(theirs.asymmetricKeyDetails?.namedCurve, 'secp384r1');
		assert.deepEqual(theirs.export({ type: 'spki', format: 'der' }), Buffer.from(spki));
		assert.equal(theirs.export({ type: 'spki', format: 'pem' }), publicKey);
	});

	it('comes to the shared secret of RFC 5903 on both sides', () => {
		const { initiator, responder, sharedSecret } = exchange;
		const key = (side: typeof initiator) => readPublicKey(writePublicKey(uncompressed(side)));
		assert.deepEqual(Buffer.from(agree(initiator.secretKey, key(responder))), sharedSecret);
		assert.deepEqual(Buffer.from(agree(responder.secretKey, key(initiator))), sharedSecret);
	});

	it('comes to the same secret as another implementation', () => {
		const ours = generateKeyPair();
		const theirs = generateKeyPairSync('ec', { namedCurve: 'P-384' });
		const pem = theirs.publicKey.export({ type: 'spki', format: 'pem' }).toString();
		assert.deepEqual(
			Buffer.from(agree(ours.secretKey, readPublicKey(pem))),
			diffieHellman({ privateKey: theirs.privateKey, publicKey: createPublicKey(ours.publicKey) }),
		);
		assert.deepEqual(
			Buffer.from(agree(ours.secretKey, readPublicKey(pem))),
			diffieHellman({ privateKey: platformKey(ours), publicKey: theirs.publicKey }),
		);
	});

	it('comes to that secret in 48 bytes, however many of them are zero', () => {
		const ours = generateKeyPair();
		const key = readPublicKey(ours.publicKey);
		for (let count = 0; count < 600; count++) {
			const theirs = createECDH('secp384r1');
			const point = theirs.generateKeys();
			const secret = theirs.computeSecret(key.point);
			const secretKey = Buffer.alloc(48);
			theirs.getPrivateKey().copy(secretKey, 48 - theirs.getPrivateKey().length);
			if (secret[0] === 0 || secretKey[0] === 0) {
				assert.deepEqual(Buffer.from(agree(ours.secretKey, readPublicKey(writePublicKey(point)))), secret);
				assert.deepEqual(Buffer.from(agree(secretKey, key)), secret);
			}
		}
	});

	it('signs in strict DER what another implementation verifies, s being in either half', async () => {
		const halves = new Set<boolean>();
		const pair = generateKeyPair();
		for (let count = 0; count < 40; count++) {
			const message = Buffer.from(`message ${count}`);
			const signature = await signMessage(pair.secretKey, message);
			assert.ok(verify('sha256', message, { key: pair.publicKey, dsaEncoding: 'der' }, signature));
			const raw = Buffer.from(readDerSignature(signature) ?? []);
			halves.add(BigInt(`0x${raw.subarray(48).toString('hex')}`) > ORDER / 2n);
		}
		assert.equal(halves.size, 2);
	});
});
