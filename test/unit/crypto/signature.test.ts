import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { readDerSignature, writeDerSignature } from '../../../src/crypto/signature.ts';
import { ORDER } from './vectors.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });

const bytesOf = (number: bigint) => Buffer.from(number.toString(16).padStart(96, '0'), 'hex');

/** An integer in the shortest form of DER. */
function integer(number: bigint): Buffer {
	const bytes = Buffer.from(number.toString(16).padStart(2 * Math.ceil(number.toString(16).length / 2), '0'), 'hex');
	const magnitude = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
	return Buffer.concat([Buffer.of(2, magnitude.length), magnitude]);
}

const sequence = (...parts: Uint8Array[]) => {
	const contents = Buffer.concat(parts);
	return Buffer.concat([Buffer.of(0x30, contents.length), contents]);
};

const inRange = fc.bigInt({ min: 1n, max: ORDER - 1n });

describe('a signature in DER', () => {
	it('is read to the numbers that were written, of any length, s in either half, and written the same', () => {
		fc.assert(
			fc.property(inRange, inRange, fc.nat({ max: 376 }), (r, s, shift) => {
				const small = r >> BigInt(shift) || 1n;
				const read = readDerSignature(sequence(integer(small), integer(s)));
				const raw = Buffer.concat([bytesOf(small), bytesOf(s)]);
				assert.deepEqual(Buffer.from(read ?? []), raw);
				assert.deepEqual(Buffer.from(writeDerSignature(raw)), sequence(integer(small), integer(s)));
			}),
		);
	});

	it('is read from what another implementation signs', () => {
		for (let count = 0; count < 200; count++) {
			const der = sign('sha256', Buffer.from(String(count)), { key: privateKey, dsaEncoding: 'der' });
			assert.equal(readDerSignature(der)?.length, 96);
		}
	});

	it('is written with numbers out of range too, for the library to refuse', () => {
		assert.deepEqual(Buffer.from(writeDerSignature(Buffer.alloc(96))), sequence(integer(0n), integer(0n)));
	});

	it('is read up to the order of the curve, and not from there on', () => {
		for (const [number, isRead] of [
			[ORDER - 1n, true],
			[ORDER, false],
			[ORDER + 1n, false],
			[1n, true],
		] as const) {
			assert.equal(readDerSignature(sequence(integer(number), integer(1n))) !== undefined, isRead);
			assert.equal(readDerSignature(sequence(integer(1n), integer(number))) !== undefined, isRead);
		}
	});

	const [r, s] = [integer(0x7fn << 300n), integer(5n)];
	const valid = sequence(r, s);
	for (const [what, wrong] of [
		['nothing', Buffer.alloc(0)],
		['an empty sequence', sequence()],
		['one number', sequence(r)],
		['three numbers', sequence(r, s, s)],
		['bytes after it', Buffer.concat([valid, Buffer.alloc(1)])],
		['a cut end', valid.subarray(0, -1)],
		['a length in the long form', Buffer.concat([Buffer.of(0x30, 0x81, r.length + s.length), r, s])],
		['an indefinite length', Buffer.concat([Buffer.of(0x30, 0x80), r, s, Buffer.alloc(2)])],
		['another tag of the whole', Buffer.concat([Buffer.of(0x31, r.length + s.length), r, s])],
		['another tag of a number', sequence(r, Buffer.of(3, 1, 5))],
		['a number with a length in the long form', sequence(r, Buffer.of(2, 0x81, 1, 5))],
		['a number that reaches beyond the end', sequence(r, Buffer.of(2, 2, 5))],
		['a number without bytes', sequence(r, Buffer.of(2, 0))],
		['a number with a zero too many', sequence(r, Buffer.of(2, 2, 0, 5))],
		['a negative number', sequence(r, Buffer.of(2, 1, 0x85))],
		['a zero', sequence(r, Buffer.of(2, 1, 0))],
		['the order of the curve as r', sequence(integer(ORDER), s)],
		['the order of the curve as s', sequence(r, integer(ORDER))],
		['a number of 49 bytes', sequence(integer(1n << 390n), s)],
	] as const) {
		it(`is refused: ${what}`, () => {
			assert.equal(readDerSignature(wrong), undefined);
		});
	}
});
