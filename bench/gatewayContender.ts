// A proxy in front of one upstream: ours, or the least that one can be. Tells at another address what CPU it took.
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
import { startInference } from '../src/service/inference/inference.ts';
import { createApp, startServer } from '../src/service/server.ts';
import { parameters } from './contender.ts';

export interface Contender {
	address: string;
	/** Of the process so far, in microseconds. */
	cpuAddress: string;
}

const { contender, upstream } = parameters<{ contender: 'floor' | 'ours'; upstream: string }>();

async function listening(server: Server): Promise<string> {
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Takes the request whole, as it has to be understood, and passes the reply through byte by byte. */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) {
		text += piece;
	}
	const body = JSON.stringify(JSON.parse(text));
	const reply = await send(`${upstream}/v1/chat/completions`, { method: 'POST', body });
	response.writeHead(reply.statusCode, { 'content-type': 'text/event-stream' });
	await pipeline(reply.body, response);
}

async function startOurs(): Promise<string> {
	const idleWatch = new IdleWatch({ idleMs: 3_600_000, isBusy: () => true, onIdle: () => {} });
	const app = createApp(nullLogger);
	startInference({
		app,
		stateFolder: os.tmpdir(),
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
