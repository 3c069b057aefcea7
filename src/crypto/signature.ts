/** The length of one of the two numbers of a P-384 signature, in bytes. */
const NUMBER_LENGTH = 48;
export const RAW_SIGNATURE_LENGTH = 2 * NUMBER_LENGTH;

/** The order of the curve's base point (FIPS 186-4, D.1.2.4), in as many bytes. */
const ORDER = Buffer.from(
	'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
	'hex',
);

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Lengths from here on take a second byte in DER. The longest signature of this curve is shorter. */
const LONG_FORM = 0x80;

/**
 * Reads a signature in strict DER: definite lengths in their shortest form, two positive integers in their shortest
 * form, and nothing after them. Returns r ‖ s, or undefined for anything else, so that each signature has only one
 * encoding.
 */
export function readDerSignature(der: Uint8Array): Uint8Array | undefined {
	const [tag, length = LONG_FORM] = der;
	if (tag !== SEQUENCE || length >= LONG_FORM || length !== der.length - 2) {
		return undefined;
	}
	const r = readInteger(der, 2);
	const s = r && readInteger(der, r.end);
	if (!s || s.end !== der.length) {
		return undefined;
	}
	const raw = new Uint8Array(RAW_SIGNATURE_LENGTH);
	raw.set(r.bytes, NUMBER_LENGTH - r.bytes.length);
	raw.set(s.bytes, RAW_SIGNATURE_LENGTH - s.bytes.length);
	return isInRange(raw) ? raw : undefined;
}

/** Returns r ‖ s in strict DER. */
export function writeDerSignature(raw: Uint8Array): Uint8Array {
	const numbers = [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)].map(writeInteger);
	const contents = Buffer.concat(numbers);
	return Buffer.concat([Buffer.of(SEQUENCE, contents.length), contents]);
}

/** Returns whether r and s are at least 1 and less than the order. s may lie in the upper half of that range. */
function isInRange(raw: Uint8Array): boolean {
	return [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)].every(
		number => Buffer.compare(number, ORDER) < 0 && number.some(byte => byte !== 0),
	);
}

/** Returns the magnitude of the integer at `start`, and the position after it. */
function readInteger(der: Uint8Array, start: number): { bytes: Uint8Array; end: number } | undefined {
	const length = der[start + 1] ?? 0;
	const begin = start + 2;
	const end = begin + length;
	if (der[start] !== INTEGER || length === 0 || length >= LONG_FORM || end > der.length) {
		return undefined;
	}
	const [first = 0, second = 0] = der.subarray(begin, end);
	const isNegative = first >= 0x80;
	const isPadded = first === 0;
	if (isNegative || (isPadded && (length === 1 || second < 0x80))) {
		return undefined;
	}
	const bytes = der.subarray(isPadded ? begin + 1 : begin, end);
	return bytes.length <= NUMBER_LENGTH ? { bytes, end } : undefined;
}

function writeInteger(number: Uint8Array): Uint8Array {
	// A number of all zeros keeps its last byte.
	const first = number.findIndex((byte, index) => byte !== 0 || index === number.length - 1);
	const magnitude = number.subarray(first);
	const sign = (magnitude[0] ?? 0) >= 0x80 ? [0] : [];
	return Buffer.of(INTEGER, sign.length + magnitude.length, ...sign, ...magnitude);
}
