import assert from 'node:assert/strict';
import { hkdfSha256 } from '../../../src/crypto/sealedFrame.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const range = (from: number, to: number) => Uint8Array.from({ length: to - from }, (_, index) => from + index);

describe('HKDF with SHA-256', () => {
	for (const [number, input, expected] of [
		[
			1,
			{ secret: Buffer.alloc(22, 0x0b), salt: range(0, 0x0d), info: range(0xf0, 0xfa), length: 42 },
			'3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
		],
		[
			2,
			{ secret: range(0, 0x50), salt: range(0x60, 0xb0), info: range(0xb0, 0x100), length: 82 },
			'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
		],
		[
			3,
			{ secret: Buffer.alloc(22, 0x0b), salt: new Uint8Array(), info: new Uint8Array(), length: 42 },
			'8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
		],
	] as const) {
		it(`gives what test case ${number} of RFC 5869 demands`, async () => {
			assert.deepEqual(Buffer.from(await hkdfSha256(input)), hex(expected));
		});
	}
});
