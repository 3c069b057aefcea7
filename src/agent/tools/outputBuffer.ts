import { StringDecoder } from 'node:string_decoder';

/** The maximum characters of a tool's result. A longer one is cut in the middle. */
export const MAXIMUM_RESULT = 30_000;

/** The maximum characters of a command's output, so that the result has room for how the command ended. */
const MAXIMUM_OUTPUT = MAXIMUM_RESULT - 500;

/** A program's output, of which only the beginning and the end are kept in memory. */
export class KeptOutput {
	private readonly half: number;
	private readonly decoder = new StringDecoder('utf8');
	private head = '';
	private tail = '';
	private omitted = 0;

	/** `maximum` is in characters. */
	constructor(maximum = MAXIMUM_OUTPUT) {
		this.half = Math.floor(maximum / 2);
	}

	add(bytes: Buffer): void {
		this.addText(this.decoder.write(bytes));
	}

	/** Returns everything that is kept, after the output has ended. */
	text(): string {
		this.addText(this.decoder.end());
		return this.take();
	}

	/** Returns the kept output since the last call. */
	take(): string {
		const { head, tail, omitted } = this;
		this.head = '';
		this.tail = '';
		this.omitted = 0;
		return omitted === 0
			? head + tail
			: `${head.toWellFormed()}\n[… ${omitted} characters were left out …]\n${tail.toWellFormed()}`;
	}

	private addText(text: string): void {
		const room = Math.max(0, this.half - this.head.length);
		this.head += text.slice(0, room);
		const rest = this.tail + text.slice(room);
		this.tail = rest.slice(-this.half);
		this.omitted += rest.length - this.tail.length;
	}
}
