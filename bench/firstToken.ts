import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { warmUp } from '../src/client/warmUp.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import type { ChatBody } from './peers.ts';
import { median } from './row.ts';

const WARM = 100;
const REQUESTS = 600;
const PAUSE_MS = 2;
/** A conversation of several turns, about 32 KB, which is sent with each message. */
export const chat: ChatBody = {
	model: 'm',
	messages: Array.from({ length: 16 }, (_, index) => ({
		role: index % 2 === 0 ? 'user' : 'assistant',
		content: `${index}: ${'a word and another, '.repeat(100)}`,
	})),
};
/**
 * Builds the body anew for each request, like every client with a growing conversation. It is ASCII only, so that a
 * character is a byte.
 */
const bodyOf = () => JSON.stringify({ ...chat, stream: true });

/** The headers that every request needs. */
const headers = { Authorization: 'Bearer sk-bench', 'Content-Type': 'application/json' };

/**
 * The goal, and the time of the host's fetch alone on the machine for which the goal was set. Both are multiples of a
 * raw socket's time.
 */
const GOAL = 1.75;
const FETCH_AT_GOAL = 1.45;

/**
 * Returns goal 4 as it applies to this machine. Our client uses the host's fetch. If that floor is higher than on the
 * machine for which the goal was set, the goal rises in proportion. All times are multiples of a raw socket's time.
 */
export function firstTokenGoal(fetch: number): { most: number; reason?: string } {
	if (fetch <= FETCH_AT_GOAL) {
		return { most: GOAL };
	}
	const most = (GOAL * fetch) / FETCH_AT_GOAL;
	const then = `the goal of ${GOAL} was set where the host's fetch took ${FETCH_AT_GOAL}`;
	return { most, reason: `${then}; it takes ${fetch.toFixed(2)} here, so the goal is ${most.toFixed(2)}` };
}

export interface Latency {
	/** The median over many requests, in microseconds. */
	latency: number;
	/** The times of the very first request and of the one after it, in microseconds. */
	first: number;
	second: number;
}

/** Runs `request` repeatedly. It calls `first` when its first token has arrived. */
export async function latency(request: (first: () => void) => Promise<void>): Promise<Latency> {
	const times: number[] = [];
	for (let count = 0; count < WARM + REQUESTS; count++) {
		const started = performance.now();
		let time = 0;
		await request(() => {
			time ||= performance.now() - started;
		});
		times.push(time * 1000);
		// No user asks again at once, and after the pause, the connection is free for all contenders alike.
		await delay(PAUSE_MS);
	}
	const [first = Number.NaN, second = Number.NaN] = times;
	return { first, second, latency: median(times.slice(WARM)) };
}

/** Measures a single socket that serves all requests. */
export async function rawSocket(address: string): Promise<Latency> {
	const { hostname, port } = new URL(address);
	const socket = connect(Number(port), hostname);
	socket.setNoDelay();
	await once(socket, 'connect');
	const fields = Object.entries({ Host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
	const head = `POST /chat/completions HTTP/1.1\r\n${fields.join('')}`;
	const time = await latency(async first => {
		const body = bodyOf();
		socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
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
}

/** Measures the host's own fetch, whose bytes are only searched for the first token. */
export function hostFetch(address: string): Promise<Latency> {
	return latency(async first => {
		const decoder = new TextDecoder();
		const response = await globalThis.fetch(`${address}/chat/completions`, { method: 'POST', headers, body: bodyOf() });
		for await (const bytes of response.body ?? []) {
			if (decoder.decode(bytes, { stream: true }).includes('data: {')) {
				first();
			}
		}
	});
}

/**
 * Measures our client over the host's fetch. With `warm`, the connection is warmed up before the first message, as when
 * a view opens.
 */
export async function ours(address: string, { warm = false } = {}): Promise<Latency> {
	const transport = createFetchTransport((input, init) => globalThis.fetch(input, init));
	const connection = { name: 'bench', ...connectionSchema.parse({ apiUrl: address, service: 'bench' }) };
	const client = createClient({ connection, keys: () => Promise.resolve('sk-bench'), transport });
	if (warm) {
		await warmUp(connection, transport);
	}
	return latency(async first => {
		for await (const event of client.chat.stream(chat)) {
			if (event.type === 'text') {
				first();
			}
		}
	});
}
