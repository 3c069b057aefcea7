import assert from 'node:assert/strict';
import { createPublicKey, ECDH, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { readPublicKey, writePublicKey } from '../../../src/crypto/publicKey.ts';
import { flippedBit } from './flippedBit.ts';
import { signing, uncompressed } from './vectors.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const der = publicKey.export({ type: 'spki', format: 'der' });
const PREFIX_LENGTH = 23;
/** The prime of the curve's field (FIPS 186-4, D.1.2.4). */
const PRIME = 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n;

function pemOf(bytes: Uint8Array): string {
	const lines =
		Buffer.from(bytes)
			.toString('base64')
			.match(/.{1,64}/g) ?? [];
	return `-----BEGIN PUBLIC KEY-----\n${lines.join('\n')}\n-----END PUBLIC KEY-----\n`;
}

describe('a public key', () => {
	it('is read from its PEM: 120 bytes of DER that end with 97 of the point', () => {
		const read = readPublicKey(pem);
		assert.equal(read.spki.length, 120);
		assert.equal(read.point.length, 97);
		assert.deepEqual(Buffer.from(read.spki), der);
		assert.deepEqual(Buffer.from(read.point), der.subarray(PREFIX_LENGTH));
	});

	it('is read with any line ends, and without the last one', () => {
		for (const same of [pem.trimEnd(), `${pem}\n`, pem.replaceAll('\n', '\r\n')]) {
			assert.deepEqual(readPublicKey(same), readPublicKey(pem));
		}
	});

	it('is written as others write it', () => {
		const point = uncompressed(signing);
		assert.deepEqual(Buffer.from(readPublicKey(writePublicKey(point)).point), Buffer.from(point));
		assert.equal(writePublicKey(der.subarray(PREFIX_LENGTH)), pem);
	});

	for (const [what, wrong] of [
		['nothing', ''],
		['a block without contents', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'],
		['two blocks', pem + pem],
		['words before the block', `key:\n${pem}`],
		['words after the block', `${pem}end`],
		['another label', pem.replaceAll('PUBLIC KEY', 'EC PUBLIC KEY')],
		[
			'a private key',
			generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		],
		['another label at the end', pem.replace('END PUBLIC KEY', 'END PRIVATE KEY')],
		['blanks inside', pem.replace('MHYw', 'MH Yw')],
		['headers', pem.replace('-----\n', '-----\nKey: value\n\n')],
		['the alphabet of addresses', pem.replace(/\n(.)/, '\n_')],
		['the bare DER as base64', der.toString('base64')],
	] as const) {
		it(`is refused as PEM: ${what}`, () => {
			assert.throws(() => readPublicKey(wrong), { name: 'CryptoRefusal', message: /PEM/ });
		});
	}

	const compressed = ECDH.convertKey(der.subarray(PREFIX_LENGTH), 'secp384r1', undefined, undefined, 'compressed');
	const explicit = generateKeyPairSync('ec', { namedCurve: 'P-384', paramEncoding: 'explicit' }).publicKey;
	for (const [what, wrong] of [
		['another curve of the same field size', ecKey('brainpoolP384r1')],
		['another curve', ecKey('P-256')],
		['explicit curve parameters', explicit.export({ type: 'spki', format: 'der' })],
		['a compressed point', Buffer.concat([der.subarray(0, PREFIX_LENGTH), compressed as Buffer])],
		['a byte more', Buffer.concat([der, Buffer.alloc(1)])],
		['a byte less', der.subarray(0, -1)],
		[
			'an RSA key',
			generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }),
		],
	] as const) {
		it(`is refused as SubjectPublicKeyInfo: ${what}`, () => {
			assert.throws(() => readPublicKey(pemOf(wrong)), { name: 'CryptoRefusal', message: /SubjectPublicKeyInfo/ });
		});
	}

	it('is refused when its point is not on the curve', () => {
		const infinity = Buffer.concat([der.subarray(0, PREFIX_LENGTH), Buffer.alloc(97)]);
		const hybrid = Buffer.from(der);
		hybrid[PREFIX_LENGTH] = 6 + ((hybrid.at(-1) ?? 0) & 1);
		const tooLarge = Buffer.concat([der.subarray(0, PREFIX_LENGTH + 1), Buffer.alloc(96, 0xff)]);
		for (const wrong of [infinity, hybrid, tooLarge]) {
			assert.throws(() => readPublicKey(pemOf(wrong)), { message: /not on the curve/ });
		}
	});

	it('is refused with any single bit changed: no other point shares a coordinate but the mirrored one', () => {
		fc.assert(
			fc.property(flippedBit(der), changed => {
				assert.throws(() => readPublicKey(pemOf(changed)), { name: 'CryptoRefusal' });
			}),
		);
	});

	it('lies on the curve where the platform says so as well', () => {
		const y = der.subarray(-48);
		const mirrored = (PRIME - BigInt(`0x${y.toString('hex')}`)).toString(16).padStart(96, '0');
		for (const other of [y, Buffer.from(mirrored, 'hex'), Buffer.alloc(48, 1), der.subarray(-96, -48)]) {
			const spki = Buffer.concat([der.subarray(0, -48), other]);
			const isTaken = (read: () => unknown) => {
				try {
					return read() !== undefined;
				} catch {
					return false;
				}
			};
			const isTheirs = isTaken(() => createPublicKey({ key: spki, format: 'der', type: 'spki' }));
			assert.equal(
				isTaken(() => readPublicKey(pemOf(spki))),
				isTheirs,
			);
		}
	});

	it('says nothing of what it refused', () => {
		assert.throws(
			() => readPublicKey('-----BEGIN PUBLIC KEY-----\nsecret==\n-----END PUBLIC KEY-----'),
			error => {
				assert.ok(error instanceof Error);
				return !error.message.includes('secret');
			},
		);
	});

	it('is taken by the platform as the same key', () => {
		const { x, y } = createPublicKey({ key: Buffer.from(readPublicKey(pem).spki), format: 'der', type: 'spki' }).export(
			{
				format: 'jwk',
			},
		);
		assert.deepEqual({ x, y }, { x: publicKey.export({ format: 'jwk' }).x, y: publicKey.export({ format: 'jwk' }).y });
	});
});

function ecKey(namedCurve: string): Buffer {
	return generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'der' });
}
