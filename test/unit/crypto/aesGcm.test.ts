import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { AesKey } from '../../../src/crypto/aesGcm.ts';
import { flippedBit } from './flippedBit.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

/**
 * The vectors of the mode's specification (McGrew and Viega), as NIST adopted them: those with 256 bits and without
 * additional data.
 */
const vectors = [
	{
		number: 13,
		key: '00'.repeat(32),
		iv: '00'.repeat(12),
		plain: '',
		ciphertext: '530f8afbc74536b9a963b4f1c4cb738b',
	},
	{
		number: 14,
		key: '00'.repeat(32),
		iv: '00'.repeat(12),
		plain: '00'.repeat(16),
		ciphertext: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
	},
	{
		number: 15,
		key: 'feffe9928665731c6d6a8f9467308308'.repeat(2),
		iv: 'cafebabefacedbaddecaf888',
		plain:
			'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
		ciphertext:
			'522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c',
	},
];

describe('AES-256-GCM', () => {
	for (const { number, key, iv, plain, ciphertext } of vectors) {
		it(`encrypts and decrypts test case ${number}`, () => {
			const aesKey = new AesKey(hex(key));
			assert.deepEqual(Buffer.from(aesKey.encrypt(hex(iv), hex(plain))), hex(ciphertext));
			assert.deepEqual(Buffer.from(aesKey.decrypt(hex(iv), hex(ciphertext)) ?? []), hex(plain));
		});
	}

	it('gives nothing where a single bit of IV, text or tag was changed', () => {
		const key = new AesKey(Buffer.alloc(32, 1));
		const iv = Buffer.alloc(12, 2);
		const ciphertext = key.encrypt(iv, Buffer.from('the tide turns'));
		fc.assert(
			fc.property(flippedBit(ciphertext), changed => {
				assert.equal(key.decrypt(iv, changed), undefined);
			}),
		);
		fc.assert(
			fc.property(flippedBit(iv), changed => {
				assert.equal(key.decrypt(changed, ciphertext), undefined);
			}),
		);
	});

	it('decrypts a text of any length, and gives nothing where the last bit of a long one was changed', () => {
		const key = new AesKey(Buffer.alloc(32, 1));
		const iv = Buffer.alloc(12, 2);
		for (const length of [0, 1, 65_519, 65_520, 65_521, 1_000_000]) {
			const plain = Buffer.alloc(length, 'x');
			const ciphertext = key.encrypt(iv, plain);
			assert.deepEqual(Buffer.from(key.decrypt(iv, ciphertext) ?? []), plain);
			const last = ciphertext.length - 1;
			ciphertext[last] = (ciphertext[last] ?? 0) ^ 1;
			assert.equal(key.decrypt(iv, ciphertext), undefined, String(length));
		}
	});

	it('gives nothing where even the tag is too short', () => {
		const key = new AesKey(Buffer.alloc(32, 1));
		assert.equal(key.decrypt(Buffer.alloc(12), Buffer.alloc(15)), undefined);
	});

	it('keeps its keys from being read out', () => {
		const key = new AesKey(Buffer.alloc(32, 1));
		assert.deepEqual(Reflect.ownKeys(key), []);
		assert.doesNotMatch(inspect(key, { showHidden: true, depth: 9 }), /01/);
	});
});
