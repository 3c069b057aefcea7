// Serves streams to the contenders from a separate process, so that its work is not counted as theirs.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { parameters } from './contender.ts';

interface Parameters {
	kind: 'chat' | 'log';
	/** The bytes of the whole chat body, or the number of entries of a log. */
	size: number;
	/** The bytes of the shortest and of the longest write. */
	writes: [number, number];
	/** The number of times that the connection to a log breaks, each time within an entry. */
	drops?: number;
}

const { kind, size, writes, drops = 0 } = parameters<Parameters>();
const WORDS = [
	'the ',
	'quick ',
	'größe ',
	'jumps ',
	'世界 ',
	'over ',
	'lazy ',
	'🌍 ',
	'function ',
	'\n',
	'{ "a": 1 } ',
	'done. ',
];

/** A fixed seed, so that every run uses the same numbers. */
let seed = 42;
function random(): number {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return seed / 2 ** 32;
}

function chatChunks(bytes: number): Buffer {
	const parts: string[] = [];
	for (let length = 0, index = 0; length < bytes; index++) {
		const content = (WORDS[index % WORDS.length] ?? '') + (random() < 0.2 ? 'and more ' : '');
		const chunk = {
			id: 'chatcmpl-7Yx2Kp',
			object: 'chat.completion.chunk',
			created: 1758000000,
			model: 'vendor/large-model',
			choices: [{ index: 0, delta: { content }, finish_reason: null }],
		};
		const end = random() < 0.3 ? '\r\n' : '\n';
		parts.push(`data: ${JSON.stringify(chunk)}${end}${end}`);
		length += Buffer.byteLength(parts[index] ?? '');
	}
	return Buffer.from(parts.join(''));
}

function logEvents(from: number, count: number): Buffer {
	const parts: string[] = [];
	for (let index = from; index < from + count; index++) {
		const entry = {
			index,
			log: {
				type: 'info',
				contentType: index % 5 === 0 ? 'ansi' : 'message',
				message: index % 5 === 0 ? `\u001b[32mok\u001b[0m test ${index} passed` : `Reading src/file${index}.ts`,
				timestamp: '2026-11-21T10:42:07.123Z',
				agent: 'agent-a',
				step: 'agent_executing',
			},
			timestamp: '2026-11-21T10:42:07.456Z',
		};
		parts.push(`event: log\ndata: ${JSON.stringify(entry)}\n\n`);
	}
	return Buffer.from(parts.join(''));
}

async function writeCut(response: ServerResponse, body: Buffer): Promise<void> {
	const [shortest, longest] = writes;
	for (let start = 0, count = 0; start < body.length; count++) {
		// The lengths are distributed evenly on a logarithmic scale, so that there are as many short writes as long ones.
		const length = Math.round(shortest * (longest / shortest) ** random());
		if (!response.write(body.subarray(start, start + length))) {
			await once(response, 'drain');
		} else if (count % 64 === 0) {
			await turn();
		}
		start += length;
	}
}

const chat = kind === 'chat' ? chatChunks(size) : Buffer.alloc(0);
const FINISH =
	'data: {"id":"chatcmpl-7Yx2Kp","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const LOT = 20_000;

/** The indexes of the entries in which connections break, each once, spread over the log. */
const breaks = Array.from({ length: drops }, (_, index) => Math.floor(((index + 0.5) * size) / drops));

async function sendLog(response: ServerResponse, fromIndex: number): Promise<void> {
	const end = breaks.shift() ?? size;
	for (let from = fromIndex; from < end; from += LOT) {
		await writeCut(response, logEvents(from, Math.min(LOT, end - from)));
	}
	if (end === size) {
		response.end(`event: complete\ndata: ${JSON.stringify({ status: 'completed', totalLogs: size })}\n\n`);
		return;
	}
	const entry = logEvents(end, 1);
	response.write(entry.subarray(0, entry.length / 2), () => response.socket?.destroySoon());
}

const server = createServer(async (request, response) => {
	// Like a real server, this one answers only after the request has been read and parsed.
	let body = '';
	for await (const piece of request.setEncoding('utf8')) {
		body += piece;
	}
	JSON.parse(body || '{}');
	seed = 42;
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	if (kind === 'chat') {
		await writeCut(response, chat);
		response.end(FINISH);
	} else {
		const from = Number(new URL(request.url ?? '/', 'http://server.invalid').searchParams.get('fromIndex') ?? 0);
		await sendLog(response, from);
	}
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
