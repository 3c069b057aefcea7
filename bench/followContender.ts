import process from 'node:process';
import { systemClock } from '../src/base/async.ts';
import { nullLogger } from '../src/base/logger.ts';
import { plainText } from '../src/base/plainText.ts';
import { createCaller } from '../src/client/core/caller.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { LIMITS } from '../src/client/core/limits.ts';
import type { Transport } from '../src/client/core/transport.ts';
import { createTasks } from '../src/client/tasks.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { contend, linesOf, parameters } from './contender.ts';

interface LogEvent {
	index?: number;
	log?: { message: string };
}

const { contender, address } = parameters<{ contender: 'floor' | 'unescaped' | 'ours'; address: string }>();
const BATCH = 1000;
let bytes = 0;

/**
 * Returns a transport over the host's fetch that counts the bytes read. It does not count for `ours`, whose cost is
 * measured.
 */
function countingTransport(): Transport {
	const inner = createFetchTransport((input, init) => globalThis.fetch(input, init));
	return {
		async request(request) {
			const response = await inner.request(request);
			const count = async function* () {
				for await (const chunk of response.body) {
					bytes += chunk.length;
					yield chunk;
				}
			};
			return { ...response, body: contender === 'ours' ? response.body : count() };
		},
	};
}

/** Follows the task to its end and gathers its messages in batches. There are no waits between connections. */
async function follow(read: (message: string) => string) {
	const caller = createCaller({
		connection: { name: 'bench', ...connectionSchema.parse({ apiUrl: address, cloudUrl: address, service: 'bench' }) },
		keys: () => Promise.resolve('token'),
		transport: countingTransport(),
		logger: nullLogger,
		clock: systemClock,
		random: () => 0,
		limits: LIMITS,
	});
	let count = 0;
	let next = 0;
	let gaps = 0;
	let connections = 0;
	let batch: string[] = [];
	const stream = createTasks(caller).follow('t1');
	for await (const first of stream) {
		for (const event of [first, ...stream.takeArrived()]) {
			if (event.type === 'connected') {
				connections++;
			} else if (event.type === 'gap') {
				gaps++;
			} else if (event.type === 'log') {
				if (event.index !== next++) {
					throw new Error('an entry came out of order');
				}
				count++;
				batch.push(read(event.entry.message ?? ''));
				if (batch.length === BATCH) {
					batch = [];
				}
			}
		}
	}
	return { count, gaps, connections, bytes };
}

const contenders = {
	/** Does decode and JSON.parse, and nothing else. */
	async floor() {
		let count = 0;
		for await (const lines of linesOf(await fetch(`${address}/api/tasks/t1/stream`))) {
			for (const line of lines) {
				if (line.startsWith('data: ') && (JSON.parse(line.slice(6)) as LogEvent).log) {
					count++;
				}
			}
		}
		return { count };
	},
	unescaped: () => follow(message => message),
	ours: () => follow(plainText),
};

await contend(contenders[contender]);
process.disconnect();
