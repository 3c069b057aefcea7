import { CryptoRefusal } from './refusal.ts';

/** The DER tags that are used here (X.690). */
export const DER = {
	boolean: 0x01,
	integer: 0x02,
	bitString: 0x03,
	octetString: 0x04,
	objectIdentifier: 0x06,
	utf8String: 0x0c,
	printableString: 0x13,
	utcTime: 0x17,
	generalizedTime: 0x18,
	sequence: 0x30,
	set: 0x31,
} as const;

/** Returns the tag of a constructed, context-specific field with that number. */
export const contextTag = (number: number): number => 0xa0 | number;

export interface DerElement {
	tag: number;
	content: Uint8Array;
	/** The whole encoding: tag, length and content. */
	bytes: Uint8Array;
}

/** No length that is read here takes more bytes than this. */
const MAXIMUM_LENGTH_BYTES = 3;
const LONG_FORM = 0x80;

/**
 * Reads one DER element after another. The reader is strict, so that a value has only one encoding: lengths must be
 * definite and in their shortest form, tags have one byte, and no element may extend past the end.
 * @throws CryptoRefusal
 */
export class DerReader {
	private readonly bytes: Uint8Array;
	private position = 0;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
	}

	get isAtEnd(): boolean {
		return this.position === this.bytes.length;
	}

	isNext(tag: number): boolean {
		return this.bytes[this.position] === tag;
	}

	/** Reads the next element, which must have this tag. */
	read(tag: number): DerElement {
		const element = this.readAny();
		if (element.tag !== tag) {
			throw new CryptoRefusal('der', 'its DER has another element than it should');
		}
		return element;
	}

	readAny(): DerElement {
		const start = this.position;
		const tag = this.byte();
		if ((tag & 0x1f) === 0x1f) {
			throw new CryptoRefusal('der', 'its DER has a tag of more than one byte');
		}
		const length = this.length();
		const begin = this.position;
		const end = begin + length;
		if (end > this.bytes.length) {
			throw new CryptoRefusal('der', 'its DER ends too soon');
		}
		this.position = end;
		return { tag, content: this.bytes.subarray(begin, end), bytes: this.bytes.subarray(start, end) };
	}

	/** Returns a reader for the content of the next element, which must have this tag. */
	enter(tag: number): DerReader {
		return new DerReader(this.read(tag).content);
	}

	/** Reads an integer, which must be positive and in its shortest form, and returns it without a zero at its beginning. */
	readPositive(): Uint8Array {
		const { content } = this.read(DER.integer);
		const [first = 0x80, second = 0] = content;
		if (first >= 0x80 || (first === 0 && second < 0x80)) {
			throw new CryptoRefusal('der', 'its DER has a number that is not positive, or not in its shortest form');
		}
		return content.subarray(first === 0 ? 1 : 0);
	}

	/** Throws if any bytes are left. */
	end(): void {
		if (!this.isAtEnd) {
			throw new CryptoRefusal('der', 'its DER goes on after its end');
		}
	}

	private length(): number {
		const first = this.byte();
		if (first < LONG_FORM) {
			return first;
		}
		const count = first - LONG_FORM;
		if (count === 0 || count > MAXIMUM_LENGTH_BYTES) {
			throw new CryptoRefusal('der', 'its DER has a length that is not definite, or too large');
		}
		let length = 0;
		for (let index = 0; index < count; index++) {
			length = length * 0x100 + this.byte();
		}
		if (length < LONG_FORM || length < 0x100 ** (count - 1)) {
			throw new CryptoRefusal('der', 'its DER has a length that is not in its shortest form');
		}
		return length;
	}

	private byte(): number {
		const byte = this.bytes[this.position];
		if (byte === undefined) {
			throw new CryptoRefusal('der', 'its DER ends too soon');
		}
		this.position++;
		return byte;
	}
}
