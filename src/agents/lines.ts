import type { Readable } from 'node:stream';
import { type Fields, isFields } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';

const NEWLINE = 0x0a;
const SMALLEST_BUFFER = 64 * 1024;

/** The limits on a program's output, in bytes, and the errors that end the reading if they are exceeded. */
export interface LineLimits {
	lineBytes: number;
	totalBytes: number;
	tooLong(): Error;
	tooMuch(): Error;
}

/**
 * Yields the lines of a program's output without their ends. It reads no faster than its consumer, so that a fast
 * program has to wait. An unterminated last line is yielded too. Throws `tooLong()` or `tooMuch()` if a line or the
 * whole output is too large. A broken stream counts as ended.
 */
export async function* linesOf(output: Readable, limits?: LineLimits): AsyncGenerator<Buffer, void> {
	const held = new HeldLine(limits);
	let total = 0;
	for await (const chunk of untilBroken(output)) {
		total += chunk.byteLength;
		if (limits !== undefined && total > limits.totalBytes) {
			throw limits.tooMuch();
		}
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
			yield held.finish(chunk.subarray(start, end));
			start = end + 1;
		}
		held.add(chunk.subarray(start));
	}
	const last = held.finish(Buffer.alloc(0));
	if (last.byteLength > 0) {
		yield last;
	}
}

/** Yields the objects among the lines of a program that writes JSON, one value a line. Throws as `linesOf` does. */
export async function* objectsIn(output: Readable, limits?: LineLimits): AsyncGenerator<Fields, void> {
	for await (const line of linesOf(output, limits)) {
		const value = parseJson(line.toString('utf8'));
		if (isFields(value)) {
			yield value;
		}
	}
}

async function* untilBroken(stream: Readable): AsyncGenerator<Buffer, void> {
	try {
		yield* stream;
	} catch {
		// How the process ended says more about it than the state of its pipe.
	}
}

/** The beginning of a line whose end has not arrived yet, in one buffer however small its pieces are. */
class HeldLine {
	private readonly limits: LineLimits | undefined;
	private buffer = Buffer.alloc(0);
	private length = 0;

	constructor(limits: LineLimits | undefined) {
		this.limits = limits;
	}

	add(piece: Buffer): void {
		const length = this.length + piece.byteLength;
		if (this.limits !== undefined && length > this.limits.lineBytes) {
			throw this.limits.tooLong();
		}
		if (length > this.buffer.byteLength) {
			const larger = Buffer.allocUnsafe(Math.max(SMALLEST_BUFFER, length, 2 * this.buffer.byteLength));
			this.buffer.copy(larger, 0, 0, this.length);
			this.buffer = larger;
		}
		piece.copy(this.buffer, this.length);
		this.length = length;
	}

	/** Returns the whole line. A line in one piece is not copied. */
	finish(piece: Buffer): Buffer {
		if (this.length === 0 && piece.byteLength <= (this.limits?.lineBytes ?? Number.POSITIVE_INFINITY)) {
			return piece;
		}
		this.add(piece);
		const line = this.buffer.subarray(0, this.length);
		this.buffer = Buffer.alloc(0);
		this.length = 0;
		return line;
	}
}
