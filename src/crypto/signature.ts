import { p384 } from '@noble/curves/nist.js';

/** Bytes of one of the two numbers of a P-384 signature. */
const NUMBER_LENGTH = 48;
export const RAW_SIGNATURE_LENGTH = 2 * NUMBER_LENGTH;

/** Of the curve, in as many bytes. */
const ORDER = Buffer.from(p384.Point.Fn.ORDER.toString(16), 'hex');

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Lengths from here on would take a second byte. The longest signature of this curve stays below. */
const LONG_FORM = 0x80;

/**
 * r ‖ s of a signature in strict DER: definite lengths in their shortest form, two positive integers in their shortest
 * form, nothing after them. Undefined for anything else, so that a signature has one spelling only.
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

/** r ‖ s in strict DER. */
export function writeDerSignature(raw: Uint8Array): Uint8Array {
	const numbers = [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)].map(writeInteger);
	const contents = Buffer.concat(numbers);
	return Buffer.concat([Buffer.of(SEQUENCE, contents.length), contents]);
}

/** Whether r and s lie between 1 and the order of the curve. s may lie in the upper half. */
function isInRange(raw: Uint8Array): boolean {
	return [raw.subarray(0, NUMBER_LENGTH), raw.subarray(NUMBER_LENGTH)].every(
		number => Buffer.compare(number, ORDER) < 0 && number.some(byte => byte !== 0),
	);
}

/** The magnitude of the integer at `start`, and where it ends. */
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
	// Zero has one byte as well.
	const first = number.findIndex((byte, index) => byte !== 0 || index === number.length - 1);
	const magnitude = number.subarray(first);
	const sign = (magnitude[0] ?? 0) >= 0x80 ? [0] : [];
	return Buffer.of(INTEGER, sign.length + magnitude.length, ...sign, ...magnitude);
}
