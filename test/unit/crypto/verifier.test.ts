import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { p384 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { readPublicKey, writePublicKey } from '../../../src/crypto/publicKey.ts';
import { createVerifier, type Digest } from '../../../src/crypto/verifier.ts';
import { flippedBit } from './flippedBit.ts';
import { ORDER, signing, uncompressed } from './vectors.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const key = readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString());
const message = Buffer.from('the tide turns at noon');

const signed = (digest: Digest) =>
	sign(digest.replace('-', ''), message, { key: privateKey, dsaEncoding: 'ieee-p1363' });

describe('a signature, verified', () => {
	const verify = createVerifier(key);

	for (const { digest, message, r, s } of signing.signatures) {
		it(`holds in RFC 6979: “${message}” with ${digest}`, async () => {
			const verify = createVerifier(readPublicKey(writePublicKey(uncompressed(signing))));
			const other = digest === 'SHA-256' ? 'SHA-384' : 'SHA-256';
			assert.ok(await verify(Buffer.from(message), Buffer.concat([r, s]), digest));
			assert.ok(!(await verify(Buffer.from(message), Buffer.concat([r, s]), other)));
		});
	}

	it('holds over what another implementation signed, with either hash', async () => {
		for (const digest of ['SHA-256', 'SHA-384'] as const) {
			assert.ok(await verify(message, signed(digest), digest));
		}
	});

	it('holds where it does by another implementation, whether it was changed or not', async () => {
		const signature = signed('SHA-256');
		const hash = createHash('sha256').update(message).digest();
		const holds = (candidate: Uint8Array) => p384.verify(candidate, hash, key.point, { prehash: false, lowS: false });
		assert.ok(holds(signature));
		const mirrored = Buffer.from(
			(ORDER - BigInt(`0x${signature.toString('hex', 48)}`)).toString(16).padStart(96, '0'),
			'hex',
		);
		for (const s of [signature.subarray(48), mirrored, signature.subarray(0, 48)]) {
			const candidate = Buffer.concat([signature.subarray(0, 48), s]);
			assert.equal(await verify(message, candidate, 'SHA-256'), holds(candidate));
		}
	});

	it('does not hold with any single bit of message or signature changed', async () => {
		const signature = signed('SHA-256');
		await fc.assert(
			fc.asyncProperty(flippedBit(message), async changed => {
				assert.ok(!(await verify(changed, signature, 'SHA-256')));
			}),
		);
		await fc.assert(
			fc.asyncProperty(flippedBit(signature), async changed => {
				assert.ok(!(await verify(message, changed, 'SHA-256')));
			}),
		);
	});

	it('does not hold by another key', async () => {
		const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
		const verifyOther = createVerifier(readPublicKey(other.export({ type: 'spki', format: 'pem' }).toString()));
		assert.ok(!(await verifyOther(message, signed('SHA-256'), 'SHA-256')));
	});

	it('does not hold when it is no signature at all', async () => {
		const [one, order] = ['1', ORDER.toString(16)].map(digits => Buffer.from(digits.padStart(96, '0'), 'hex'));
		assert.ok(one && order);
		for (const wrong of [
			Buffer.alloc(0),
			Buffer.alloc(96),
			Buffer.alloc(96, 0xff),
			Buffer.alloc(95, 1),
			Buffer.concat([one, order]),
			Buffer.concat([order, one]),
			Buffer.concat([Buffer.alloc(48), one]),
			Buffer.concat([one, Buffer.alloc(48)]),
		]) {
			assert.ok(!(await verify(message, wrong, 'SHA-256')));
		}
		assert.ok(!(await verify(message, Buffer.concat([signed('SHA-256'), Buffer.alloc(1)]), 'SHA-256')));
	});
});
