import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { contend, parameters } from './contender.ts';
import { median } from './row.ts';

const { contender, address } = parameters<{ contender: 'floor' | 'fetch' | 'ours'; address: string }>();
const url = `${address}/chat/completions`;
const WARM = 100;
const REQUESTS = 600;
const PAUSE_MS = 2;
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true });

/** Runs `request` again and again; it tells when its first token is there. The median in microseconds. */
async function latency(request: (first: () => void) => Promise<void>): Promise<number> {
	const times: number[] = [];
	for (let count = 0; count < WARM + REQUESTS; count++) {
		const started = performance.now();
		let time = 0;
		await request(() => {
			time ||= performance.now() - started;
		});
		if (count >= WARM) {
			times.push(time * 1000);
		}
		// Nobody asks again at once; and the connection is free by then for all alike.
		await delay(PAUSE_MS);
	}
	return median(times);
}

const contenders = {
	/** One socket, used again for each request. */
	async floor() {
		const { hostname, port } = new URL(address);
		const socket = connect(Number(port), hostname);
		socket.setNoDelay();
		await once(socket, 'connect');
		const head = `POST /chat/completions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${body.length}\r\n\r\n`;
		const time = await latency(async first => {
			socket.write(head + body);
			for (let text = ''; !text.endsWith('\r\n0\r\n\r\n'); ) {
				const [bytes] = await once(socket, 'data');
				text += bytes.toString();
				if (text.includes('data: {')) {
					first();
				}
			}
		});
		socket.destroy();
		return time;
	},
	fetch: () =>
		latency(async first => {
			const decoder = new TextDecoder();
			for await (const bytes of (await fetch(url, { method: 'POST', body })).body ?? []) {
				if (decoder.decode(bytes, { stream: true }).includes('data: {')) {
					first();
				}
			}
		}),
	ours: () => {
		const client = createClient({
			connection: { name: 'bench', ...connectionSchema.parse({ apiUrl: address, service: 'bench' }) },
			keys: () => Promise.resolve('sk-bench'),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		return latency(async first => {
			for await (const event of client.chat.stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] })) {
				if (event.type === 'text') {
					first();
				}
			}
		});
	},
};

await contend(async () => ({ count: 1, latency: await contenders[contender]() }));
process.disconnect();
