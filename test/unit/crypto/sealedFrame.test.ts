import assert from 'node:assert/strict';
import {
	createCipheriv,
	createDecipheriv,
	createPublicKey,
	diffieHellman,
	generateKeyPairSync,
	hkdfSync,
	randomBytes,
	sign,
	verify,
} from 'node:crypto';
import fc from 'fast-check';
import { AesKey } from '../../../src/crypto/aesGcm.ts';
import { generateKeyPair, type KeyPair, signMessage } from '../../../src/crypto/keyPair.ts';
import { readPublicKey } from '../../../src/crypto/publicKey.ts';
import { deriveMessageKey, openFrame, type SealedFrame, sealFrame } from '../../../src/crypto/sealedFrame.ts';
import { createVerifier } from '../../../src/crypto/verifier.ts';
import { flippedBit } from './flippedBit.ts';

const text = 'the tide turns at noon ⚓';

/** The other side, in the platform’s own functions alone. */
const theirs = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const theirKey = readPublicKey(theirs.publicKey.export({ type: 'spki', format: 'pem' }).toString());
const verifyTheirs = createVerifier(theirKey);

function theirSecret(ours: KeyPair): Buffer {
	const secret = diffieHellman({ privateKey: theirs.privateKey, publicKey: createPublicKey(ours.publicKey) });
	return Buffer.from(hkdfSync('sha256', secret, '', 'handshake data', 32));
}

function layout(nonce: number, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
	const head = Buffer.alloc(8);
	head.writeUInt32BE(Math.floor(nonce / 2 ** 32), 0);
	head.writeUInt32BE(nonce % 2 ** 32, 4);
	return Buffer.concat([head, iv, ciphertext]);
}

function theirFrame(plain: string, nonce: number, secret: Buffer): SealedFrame {
	const iv = randomBytes(12);
	const cipher = createCipheriv('aes-256-gcm', secret, iv);
	const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
	const signature = sign('sha256', layout(nonce, iv, ciphertext), { key: theirs.privateKey, dsaEncoding: 'der' });
	return { nonce, iv, ciphertext, signature };
}

describe('a sealed frame', () => {
	let ours: KeyPair;
	let key: AesKey;
	const sealed = (nonce: number) =>
		sealFrame(Buffer.from(text), nonce, key, bytes => signMessage(ours.secretKey, bytes));

	beforeEach(() => {
		ours = generateKeyPair();
		key = deriveMessageKey(ours.secretKey, theirKey);
	});

	it('of ours is opened by another implementation', async () => {
		for (const nonce of [1000, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]) {
			const { iv, ciphertext, signature } = await sealed(nonce);
			assert.ok(
				verify('sha256', layout(nonce, iv, ciphertext), { key: ours.publicKey, dsaEncoding: 'der' }, signature),
			);
			const decipher = createDecipheriv('aes-256-gcm', theirSecret(ours), iv);
			decipher.setAuthTag(ciphertext.subarray(-16));
			assert.equal(decipher.update(ciphertext.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8'), text);
		}
	});

	it('of another implementation is opened by us', async () => {
		for (const [plain, nonce] of [
			[text, 3000],
			['', 3001],
			[text.repeat(1000), 2 ** 40 + 1],
		] as const) {
			const opened = await openFrame(theirFrame(plain, nonce, theirSecret(ours)), key, verifyTheirs);
			assert.equal(Buffer.from(opened).toString(), plain);
		}
	});

	it('has an IV of its own', async () => {
		const frames = await Promise.all(Array.from({ length: 20 }, () => sealed(1000)));
		assert.equal(new Set(frames.map(({ iv }) => Buffer.from(iv).toString('hex'))).size, 20);
		assert.ok(frames.every(({ iv }) => iv.length === 12));
	});

	for (const field of ['iv', 'ciphertext', 'signature'] as const) {
		it(`is refused with any single bit of its ${field} changed`, async () => {
			const frame = theirFrame(text, 3000, theirSecret(ours));
			await fc.assert(
				fc.asyncProperty(flippedBit(frame[field]), async changed => {
					await assert.rejects(openFrame({ ...frame, [field]: changed }, key, verifyTheirs), { name: 'CryptoRefusal' });
				}),
			);
		});
	}

	it('is refused with any single bit of its nonce changed', async () => {
		const frame = theirFrame(text, 3000, theirSecret(ours));
		await fc.assert(
			fc.asyncProperty(fc.nat({ max: 52 }), async bit => {
				const nonce = Number(BigInt(frame.nonce) ^ (1n << BigInt(bit)));
				await assert.rejects(openFrame({ ...frame, nonce }, key, verifyTheirs), { name: 'CryptoRefusal' });
			}),
		);
	});

	it('is refused when it is of another key, of the other side’s or of the message’s', async () => {
		const frame = theirFrame(text, 3000, theirSecret(ours));
		const other = generateKeyPair();
		const verifyOther = createVerifier(readPublicKey(other.publicKey));
		await assert.rejects(openFrame(frame, key, verifyOther), { message: /not one of the other side/ });
		const otherKey = deriveMessageKey(other.secretKey, theirKey);
		await assert.rejects(openFrame(frame, otherKey, verifyTheirs), { message: /not encrypted with the key/ });
	});

	it('is not decrypted before its signature was seen to hold', async () => {
		const frame = theirFrame(text, 3000, theirSecret(ours));
		const unusable = new (class extends AesKey {
			override decrypt(): never {
				throw new RangeError('it is decrypted');
			}
		})(Buffer.alloc(32));
		await assert.rejects(openFrame({ ...frame, nonce: 3001 }, unusable, verifyTheirs), { message: /other side/ });
		await assert.rejects(openFrame(frame, unusable, verifyTheirs), { name: 'RangeError' });
	});

	it('is refused when it has not the form of one', async () => {
		const frame = theirFrame(text, 3000, theirSecret(ours));
		for (const wrong of [
			{ nonce: 3000.5 },
			{ nonce: -1 },
			{ nonce: 2 ** 53 },
			{ nonce: Number.NaN },
			{ iv: frame.iv.subarray(1) },
			{ iv: Buffer.concat([frame.iv, Buffer.alloc(4)]) },
			{ ciphertext: frame.ciphertext.subarray(0, 15) },
		]) {
			await assert.rejects(openFrame({ ...frame, ...wrong }, key, verifyTheirs), {
				name: 'CryptoRefusal',
				message: /the form of a sealed frame/,
			});
		}
		for (const signature of [new Uint8Array(), Buffer.concat([frame.signature, Buffer.alloc(1)])]) {
			await assert.rejects(openFrame({ ...frame, signature }, key, verifyTheirs), { message: /strict DER/ });
		}
	});
});
