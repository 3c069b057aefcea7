// An upstream in a process of its own that sends its chunks one by one, as a model does.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { parameters } from './contender.ts';

/** If `paceMs` is 0, all chunks are sent at once. */
const { chunks, paceMs } = parameters<{ chunks: number; paceMs: number }>();

const chunkOf = (delta: object, finish_reason: string | null) => {
	const head = { id: 'chatcmpl-7Yx2Kp', object: 'chat.completion.chunk', created: 1758000000, model: 'm' };
	return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
};
const PIECE = chunkOf({ content: ' function and' }, null);
const END = `${chunkOf({}, 'stop')}data: [DONE]\n\n`;

const server = createServer(async (request, response) => {
	for await (const _ of request) {
		// The request is read to its end.
	}
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	if (paceMs === 0) {
		response.end(PIECE.repeat(chunks) + END);
		return;
	}
	response.write(PIECE);
	let sent = 1;
	const timer = setInterval(() => {
		if (sent++ < chunks) {
			response.write(PIECE);
		} else {
			clearInterval(timer);
			response.end(END);
		}
	}, paceMs);
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
