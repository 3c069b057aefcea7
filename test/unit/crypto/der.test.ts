import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DER, DerReader } from '../../../src/crypto/der.ts';
import { der, integer, octetString, sequence } from '../../support/derWriter.ts';

const of = (...bytes: number[]) => new DerReader(Buffer.of(...bytes));

describe('DER', () => {
	it('is read to what was written, of any length', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 700 }), content => {
				const reader = new DerReader(sequence(octetString(content)));
				const inner = reader.enter(DER.sequence);
				assert.deepEqual(Buffer.from(inner.read(DER.octetString).content), Buffer.from(content));
				inner.end();
				reader.end();
			}),
		);
	});

	it('gives an element with its head and without', () => {
		const { bytes, content, tag } = new DerReader(integer(5)).readAny();
		assert.deepEqual([tag, [...bytes], [...content]], [2, [2, 1, 5], [5]]);
	});

	for (const [what, bytes] of Object.entries({
		nothing: [],
		'a tag alone': [0x04],
		'a content that is cut': [0x04, 2, 1],
		'an indefinite length': [0x30, 0x80, 0, 0],
		'a length in the long form that fits the short one': [0x04, 0x81, 1, 5],
		'a length with a zero before it': [0x04, 0x82, 0, 0x80, ...Array(0x80).fill(0)],
		'a length of four bytes': [0x04, 0x84, 0, 0, 0, 1, 5],
		'a length that is cut': [0x04, 0x82, 1],
		'a tag of two bytes': [0x1f, 0x81, 0],
	})) {
		it(`is refused: ${what}`, () => {
			assert.throws(() => of(...bytes).readAny(), { name: 'CryptoRefusal' });
		});
	}

	it('is refused with another element than the one that is due, and with more after the last', () => {
		assert.throws(() => new DerReader(integer(5)).read(DER.sequence), { name: 'CryptoRefusal' });
		const reader = new DerReader(Buffer.concat([integer(5), der(0x05)]));
		reader.read(DER.integer);
		assert.throws(() => reader.end(), { name: 'CryptoRefusal' });
	});
});
