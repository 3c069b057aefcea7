import { CryptoRefusal } from './refusal.ts';

/** The tags that are read here (X.690). */
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

/** The tag of a constructed field that is told by its number. */
export const contextTag = (number: number): number => 0xa0 | number;

export interface DerElement {
	tag: number;
	content: Uint8Array;
	/** Tag, length and content. */
	bytes: Uint8Array;
}

/** A length of more bytes than these has no place in what is read here. */
const MAXIMUM_LENGTH_BYTES = 3;
const LONG_FORM = 0x80;

/**
 * Reads one element after another. Strict: definite lengths in their shortest form, tags of one byte, nothing beyond the
 * end. So that what is read has one spelling only. Throws `CryptoRefusal`.
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

	/** Whether the next element has the tag. */
	isNext(tag: number): boolean {
		return this.bytes[this.position] === tag;
	}

	/** The next element, which has to have the tag. */
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

	/** Of the content of the next element. */
	enter(tag: number): DerReader {
		return new DerReader(this.read(tag).content);
	}

	/** Throws where anything is left. */
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
