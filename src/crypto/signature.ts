import { p384 } from '@noble/curves/nist.js';

/** The length in bytes of each of the two numbers of a P-384 signature. */
const NUMBER_LENGTH = 48;
export const RAW_SIGNATURE_LENGTH = 2 * NUMBER_LENGTH;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Lengths from this value on need a second byte. The longest signature of this curve is shorter. */
const LONG_FORM = 0x80;

/**
 * Returns r ‖ s of a signature in strict DER: definite lengths in their shortest form, two positive integers in their
 * shortest form, and nothing after them. Returns undefined for anything else, so that a signature has only one
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

/** Whether both r and s are at least 1 and below the order of the curve. s may be in the upper half. */
function isInRange(raw: Uint8Array): boolean {
	return [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)].every(number =>
		p384.Point.Fn.isValidNot0(toBigInt(number)),
	);
}

/** Returns the magnitude of the integer at `start`, and the position where it ends. */
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

function toBigInt(bytes: Uint8Array): bigint {
	return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}
