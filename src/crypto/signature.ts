import { DER, DerReader } from './der.ts';
import { CryptoRefusal } from './refusal.ts';

/** The length of one of the two numbers of a P-384 signature, in bytes. */
const NUMBER_LENGTH = 48;
export const RAW_SIGNATURE_LENGTH = 2 * NUMBER_LENGTH;

/** The order of the curve's base point (FIPS 186-4, D.1.2.4), in as many bytes. */
const ORDER = Buffer.from(
	'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
	'hex',
);

/**
 * Reads a signature in strict DER, of two positive integers and nothing after them. Returns r ‖ s, or undefined for
 * anything else, so that each signature has only one encoding. s may lie in the upper half of its range.
 */
export function readDerSignature(der: Uint8Array): Uint8Array | undefined {
	try {
		const outer = new DerReader(der);
		const numbers = outer.enter(DER.sequence);
		outer.end();
		const [r, s] = [numbers.readPositive(), numbers.readPositive()];
		numbers.end();
		if (r.length > NUMBER_LENGTH || s.length > NUMBER_LENGTH) {
			return undefined;
		}
		const raw = new Uint8Array(RAW_SIGNATURE_LENGTH);
		raw.set(r, NUMBER_LENGTH - r.length);
		raw.set(s, RAW_SIGNATURE_LENGTH - s.length);
		return halvesOf(raw).every(number => Buffer.compare(number, ORDER) < 0) ? raw : undefined;
	} catch (error) {
		if (error instanceof CryptoRefusal) {
			return undefined;
		}
		throw error;
	}
}

/** Returns r ‖ s in strict DER. */
export function writeDerSignature(raw: Uint8Array): Uint8Array {
	const contents = Buffer.concat(halvesOf(raw).map(writeInteger));
	return Buffer.concat([Buffer.of(DER.sequence, contents.length), contents]);
}

const halvesOf = (raw: Uint8Array): Uint8Array[] => [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)];

function writeInteger(number: Uint8Array): Uint8Array {
	// A number of all zeros keeps its last byte.
	const first = number.findIndex((byte, index) => byte !== 0 || index === number.length - 1);
	const magnitude = number.subarray(first);
	const sign = (magnitude[0] ?? 0) >= 0x80 ? [0] : [];
	return Buffer.of(DER.integer, sign.length + magnitude.length, ...sign, ...magnitude);
}
