import { StringDecoder } from 'node:string_decoder';

/** The output of a program, of which the beginning and the end are kept. It takes no more memory than that. */
export class KeptOutput {
	private readonly half: number;
	private readonly decoder = new StringDecoder('utf8');
	private head = '';
	private tail = '';
	private omitted = 0;

	/** `maximum` is in characters. */
	constructor(maximum: number) {
		this.half = Math.floor(maximum / 2);
	}

	add(bytes: Buffer): void {
		this.addText(this.decoder.write(bytes));
	}

	text(): string {
		this.addText(this.decoder.end());
		return this.omitted === 0
			? this.head + this.tail
			: `${this.head.toWellFormed()}\n[… ${this.omitted} characters were left out …]\n${this.tail.toWellFormed()}`;
	}

	private addText(text: string): void {
		const room = Math.max(0, this.half - this.head.length);
		this.head += text.slice(0, room);
		const rest = this.tail + text.slice(room);
		this.tail = rest.slice(-this.half);
		this.omitted += rest.length - this.tail.length;
	}
}
