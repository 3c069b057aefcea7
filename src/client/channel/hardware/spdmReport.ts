// A GPU's report of its measurements: the request of SPDM 1.1 followed by its response.
import { CryptoRefusal } from '../../../crypto/refusal.ts';

/** The type of the opaque field that holds the digest of the signing firmware. */
export const FIRMWARE_FIELD = 20;

export interface SpdmReport {
	/** The signed bytes: all bytes before the signature. */
	signed: Uint8Array;
	/** The signature as r ‖ s. */
	signature: Uint8Array;
	/** The requester's nonce of 32 bytes. */
	nonce: Uint8Array;
	/** The opaque fields by their type. */
	opaque: ReadonlyMap<number, Uint8Array>;
}

const refusal = (message: string): CryptoRefusal => new CryptoRefusal('report-form', message);

const MAXIMUM_BYTES = 64 * 1024;
/** The head of GET_MEASUREMENTS: version 1.1, signed, all measurements. */
const REQUEST = [0x11, 0xe0, 0x01, 0xff];
/** The head of MEASUREMENTS: version 1.1, no flags, slot 0. */
const RESPONSE = [0x11, 0x60, 0x00, 0x00];
const SLOT = 0;
const NONCE_BYTES = 32;
const SIGNATURE_BYTES = 96;
/**
 * The id of the specification's own form of a measurement, and the size of its head, which holds the value's kind and
 * length.
 */
const DMTF = 1;
const DMTF_HEAD_BYTES = 3;

/** Throws `CryptoRefusal` unless every byte is accounted for. */
export function readSpdmReport(bytes: Uint8Array): SpdmReport {
	if (bytes.length > MAXIMUM_BYTES) {
		throw refusal('it is too long');
	}
	const reader = new Reader(bytes);
	reader.expect(REQUEST, 'it does not begin with a request for signed measurements');
	const nonce = reader.take(NONCE_BYTES);
	reader.expect([SLOT], 'it is of another slot');
	reader.expect(RESPONSE, 'it has no response with measurements');
	const blocks = reader.number(1);
	checkMeasurements(new Reader(reader.take(reader.number(3))), blocks);
	reader.take(NONCE_BYTES);
	const opaque = readOpaque(new Reader(reader.take(reader.number(2))));
	const signed = bytes.subarray(0, reader.position);
	const signature = reader.take(SIGNATURE_BYTES);
	reader.end();
	return { signed, signature, nonce, opaque };
}

/** The measured values are judged by the maker alone. */
function checkMeasurements(record: Reader, count: number): void {
	for (let index = 1; index <= count; index++) {
		record.expect([index, DMTF], 'a measurement is missing, out of order or of another kind');
		const size = record.number(2);
		record.take(1);
		const length = record.number(2);
		if (length + DMTF_HEAD_BYTES !== size) {
			throw refusal('the lengths of a measurement differ');
		}
		record.take(length);
	}
	record.end();
}

function readOpaque(data: Reader): Map<number, Uint8Array> {
	const fields = new Map<number, Uint8Array>();
	while (!data.isAtEnd) {
		const type = data.number(2);
		if (fields.has(type)) {
			throw refusal('an opaque field is there twice');
		}
		fields.set(type, data.take(data.number(2)));
	}
	return fields;
}

class Reader {
	position = 0;
	private readonly bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	get isAtEnd(): boolean {
		return this.position === this.bytes.length;
	}

	take(length: number): Uint8Array {
		const end = this.position + length;
		if (end > this.bytes.length) {
			throw refusal('it ends too soon');
		}
		const taken = this.bytes.subarray(this.position, end);
		this.position = end;
		return taken;
	}

	/** Reads a little-endian number. */
	number(length: number): number {
		return this.take(length).reduceRight((value, byte) => value * 0x100 + byte, 0);
	}

	expect(expected: readonly number[], problem: string): void {
		if (!this.take(expected.length).every((byte, index) => byte === expected[index])) {
			throw refusal(problem);
		}
	}

	end(): void {
		if (!this.isAtEnd) {
			throw refusal('it goes on after its end');
		}
	}
}
