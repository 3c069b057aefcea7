import process from 'node:process';
import { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import { SseDecoder } from '../src/client/core/sse.ts';
import { contend, parameters } from './contender.ts';
import { openFetchEventSource, openOpenAiStream } from './peers.ts';

interface Parameters {
	contender: keyof typeof contenders;
	shape: keyof typeof shapes;
	/** The size of the input in megabytes. */
	size: number;
}

const LIMIT = 64 * 1024 * 1024;

/** Each function returns a stream's bytes in the pieces in which they arrive. */
const shapes = {
	'one event in pieces of 1 KB': (bytes: number) => pieces(Buffer.from(`data: "${'x'.repeat(bytes)}"\n\n`), 1024),
	'LF lines with one CR, in one piece': (bytes: number) => {
		const text = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n'.repeat(Math.ceil(bytes / 50));
		// The CR is at the end. A reader that searches for it at every line searches all of the text that follows.
		return [Buffer.from(`${text}: one\r\n`)];
	},
	'one event of many data lines': (bytes: number) =>
		pieces(Buffer.from(`data: [0\n${'data: ,123456789\n'.repeat(Math.ceil(bytes / 17))}data: ]\n\n`), 64 * 1024),
};

function pieces(bytes: Buffer, length: number): Buffer[] {
	return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
		bytes.subarray(index * length, (index + 1) * length),
	);
}

const { contender, shape, size } = parameters<Parameters>();
const input = shapes[shape](size * 1024 * 1024);

/** Each contender counts the events. */
const contenders = {
	async ours() {
		let count = 0;
		const decoder = new SseDecoder(LIMIT);
		for (const piece of input) {
			count += decoder.decode(piece).length;
		}
		return { count };
	},
	async parser() {
		let count = 0;
		const text = new TextDecoder();
		const parser = createParser({
			onEvent: () => {
				count++;
			},
		});
		for (const piece of input) {
			parser.feed(text.decode(piece, { stream: true }));
		}
		return { count };
	},
	async openai() {
		const read = await openOpenAiStream();
		let count = 0;
		for await (const _ of read(response())) {
			count++;
		}
		return { count };
	},
	async 'fetch-event-source'() {
		const read = await openFetchEventSource();
		let count = 0;
		await read(
			'http://bench.invalid',
			{},
			async () => response(),
			() => {
				count++;
			},
		);
		return { count };
	},
};

function response(): Response {
	return new Response(Readable.toWeb(Readable.from(input)) as ReadableStream, {
		headers: { 'content-type': 'text/event-stream' },
	});
}

await contend(contenders[contender]);
process.disconnect();
