import type { Readable } from 'node:stream';
import { oneLine, plainText } from '../../base/plainText.ts';
import { redactText } from '../../base/redact.ts';

const MAXIMUM_LINES = 20;
const MAXIMUM_LINE = 300;

/** Reads an agent's standard error to its end, so that the agent never waits for it, and keeps the last `maximum` bytes. */
export class StandardError {
	private kept: Buffer[] = [];
	private length = 0;

	constructor(stream: Readable, maximum: number) {
		stream.on('error', () => {});
		stream.on('data', (bytes: Buffer) => {
			this.kept.push(bytes.subarray(-maximum));
			this.length += bytes.byteLength;
			// They are put together only when they are twice as long, so that many small pieces cost no more than a few large.
			if (this.length > 2 * maximum) {
				this.kept = [Buffer.from(Buffer.concat(this.kept).subarray(-maximum))];
				this.length = maximum;
			}
		});
	}

	/** The last lines that are not blank, as plain text without what looks like a key, and each cut to a bounded length. */
	lastLines(): string[] {
		return plainText(Buffer.concat(this.kept).toString('utf8'))
			.split('\n')
			.filter(line => line.trim() !== '')
			.slice(-MAXIMUM_LINES)
			.map(line => oneLine(redactText(line), MAXIMUM_LINE));
	}
}
