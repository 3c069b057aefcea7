import process from 'node:process';
import { createParser } from 'eventsource-parser';
import { SseDecoder } from '../src/client/core/sse.ts';
import { contend, parameters } from './contender.ts';

interface Parameters {
	contender: 'ours' | 'parser';
	shape: keyof typeof shapes;
	/** Megabytes. */
	size: number;
}

const LIMIT = 64 * 1024 * 1024;

/** Each gives a stream's bytes in the pieces in which they come. */
const shapes = {
	'one event in pieces of 1 KB': (bytes: number) => pieces(Buffer.from(`data: ${'x'.repeat(bytes)}\n\n`), 1024),
	'LF lines with one CR, in one piece': (bytes: number) => {
		const text = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n'.repeat(Math.ceil(bytes / 50));
		// At the end: whoever looks for it at every line looks through all that follows.
		return [Buffer.from(`${text}: one\r\n`)];
	},
	'one event of many data lines': (bytes: number) =>
		pieces(Buffer.from(`${'data: 0123456789\n'.repeat(Math.ceil(bytes / 17))}\n`), 64 * 1024),
};

function pieces(bytes: Buffer, length: number): Buffer[] {
	return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
		bytes.subarray(index * length, (index + 1) * length),
	);
}

const { contender, shape, size } = parameters<Parameters>();
const input = shapes[shape](size * 1024 * 1024);

await contend(async () => {
	let count = 0;
	if (contender === 'ours') {
		const decoder = new SseDecoder(LIMIT);
		for (const piece of input) {
			for (const { data } of decoder.decode(piece)) {
				count += data.length;
			}
		}
	} else {
		const text = new TextDecoder();
		const parser = createParser({
			onEvent: ({ data }) => {
				count += data.length;
			},
		});
		for (const piece of input) {
			parser.feed(text.decode(piece, { stream: true }));
		}
	}
	return { count };
});
process.disconnect();
