import type { Readable } from 'node:stream';
import { AgentFailure } from './agentFailure.ts';
import type { SessionLimits } from './limits.ts';

const NEWLINE = 0x0a;
const SMALLEST_BUFFER = 64 * 1024;

/**
 * Yields the lines of an agent's output without their ends. It reads no further than its consumer, so that a fast agent
 * has to wait. A last line without an end is yielded too. Throws an AgentFailure when a line or all of them together are
 * too large. A stream that breaks counts as ended.
 */
export async function* agentLines(
	output: Readable,
	limits: Pick<SessionLimits, 'lineBytes' | 'totalBytes'>,
): AsyncGenerator<Buffer, void> {
	const held = new HeldLine(limits.lineBytes);
	let total = 0;
	for await (const chunk of untilBroken(output)) {
		total += chunk.byteLength;
		if (total > limits.totalBytes) {
			throw new AgentFailure(
				'flood',
				`The agent was ended because it wrote more than ${inMegabytes(limits.totalBytes)} in one session. Try again with a smaller piece of work.`,
			);
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

async function* untilBroken(stream: Readable): AsyncGenerator<Buffer, void> {
	try {
		yield* stream;
	} catch {
		// How the process ended says more about it than the state of its pipe.
	}
}

/** The beginning of a line whose end has not come yet, in one buffer however small the pieces are that it comes in. */
class HeldLine {
	private readonly maximum: number;
	private buffer = Buffer.alloc(0);
	private length = 0;

	constructor(maximum: number) {
		this.maximum = maximum;
	}

	add(piece: Buffer): void {
		const length = this.length + piece.byteLength;
		if (length > this.maximum) {
			throw new AgentFailure(
				'too-large',
				`The agent was ended because it sent a message of more than ${inMegabytes(this.maximum)}. Try again, or choose another agent.`,
			);
		}
		if (length > this.buffer.byteLength) {
			const larger = Buffer.allocUnsafe(Math.max(SMALLEST_BUFFER, length, 2 * this.buffer.byteLength));
			this.buffer.copy(larger, 0, 0, this.length);
			this.buffer = larger;
		}
		piece.copy(this.buffer, this.length);
		this.length = length;
	}

	/** Returns the whole line. A line that lies in one piece is not copied. */
	finish(piece: Buffer): Buffer {
		if (this.length === 0 && piece.byteLength <= this.maximum) {
			return piece;
		}
		this.add(piece);
		const line = this.buffer.subarray(0, this.length);
		this.buffer = Buffer.alloc(0);
		this.length = 0;
		return line;
	}
}

function inMegabytes(bytes: number): string {
	return `${bytes / 1024 / 1024} MB`;
}
