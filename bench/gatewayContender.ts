// A proxy in front of one upstream: our gateway, a minimal proxy, or a minimal one that names the provider in each
// chunk. It reports its CPU time at another address.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { request as send } from 'undici';
import { systemClock } from '../src/base/async.ts';
import { nullLogger } from '../src/base/logger.ts';
import { upstreamHandoverSchema } from '../src/contract/upstreams.ts';
import { IdleWatch } from '../src/service/idleWatch.ts';
import { inferenceStateOf, startInference } from '../src/service/inference/inference.ts';
import { createApp, startServer } from '../src/service/server.ts';
import { parameters } from './contender.ts';

export type ContenderName = 'floor' | 'reader' | 'ours';

export interface Contender {
	address: string;
	/** The address that answers with the CPU time of the process so far, in microseconds. */
	cpuAddress: string;
}

const { contender, upstream } = parameters<{ contender: ContenderName; upstream: string }>();

async function listening(server: Server): Promise<string> {
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Reads and parses the whole request, as a gateway must, and either passes the reply through byte by byte or reads it.
 */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) {
		text += piece;
	}
	const body = JSON.stringify(JSON.parse(text));
	const reply = await send(`${upstream}/v1/chat/completions`, { method: 'POST', body });
	response.writeHead(reply.statusCode, { 'content-type': 'text/event-stream' });
	await (contender === 'reader' ? pipeline(reply.body, named, response) : pipeline(reply.body, response));
}

/** Yields the same chunks with one more field, the minimum for a gateway that names the provider. */
async function* named(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const bytes of body) {
		const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
		rest = events.pop() ?? '';
		let text = '';
		for (const event of events) {
			const data = event.slice('data: '.length);
			text +=
				data === '[DONE]' ? `${event}\n\n` : `data: ${JSON.stringify({ ...JSON.parse(data), provider: 'bench' })}\n\n`;
		}
		yield text;
	}
}

async function startOurs(): Promise<string> {
	const idleWatch = new IdleWatch({ idleMs: 3_600_000, isBusy: () => true, onIdle: () => {} });
	const app = createApp(nullLogger);
	startInference({
		...inferenceStateOf(os.tmpdir(), () => nullLogger),
		app,
		demo: true,
		address: () => '',
		clock: systemClock,
		logger: () => nullLogger,
		handover: upstreamHandoverSchema.parse({
			upstreams: [{ slug: 'bench', url: `${upstream}/v1`, models: ['m'] }],
			findOllama: false,
		}),
	});
	return (await startServer({ token: 'sk-bench', port: 0, app, idleWatch: () => idleWatch })).address;
}

const address =
	contender === 'ours' ? await startOurs() : await listening(createServer((...both) => void passOn(...both)));
const cpuAddress = await listening(
	createServer((_, response) => {
		const { user, system } = process.cpuUsage();
		response.end(String(user + system));
	}),
);
process.send?.({ address, cpuAddress } satisfies Contender);
