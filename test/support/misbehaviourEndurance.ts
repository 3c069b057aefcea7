// Opens and aborts many chat streams, then prints what is left over. The arguments are the service's origin, the
// transport and the number of streams. Needs --expose-gc.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { createUndiciTransport } from '../../src/client/core/undiciTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';

const [origin = '', name, count = '0'] = process.argv.slice(2);
const undici = createUndiciTransport();
const transport = name === 'undici' ? undici : createFetchTransport((url, init) => globalThis.fetch(url, init));
const connection = { name: 'test', ...connectionSchema.parse({ apiUrl: origin, service: 'test' }) };
const client = createClient({ connection, keys: () => Promise.resolve('sk-test'), transport });

/**
 * Opens a stream and abandons it in one of three ways: after its first event, while the next event is awaited, or
 * before the head.
 */
async function openAndAbort(index: number): Promise<void> {
	const controller = new AbortController();
	const request = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] };
	const stream = client.chat.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
	if (index % 3 < 2) {
		await stream.next();
	}
	const next = index % 3 === 0 ? undefined : stream.next();
	next?.catch(() => {});
	if (index % 3 === 0) {
		await stream.return?.();
	} else {
		controller.abort();
		await next?.catch(() => {});
	}
}

async function openMany(many: number): Promise<number> {
	for (let index = 0; index < many; index += 50) {
		await Promise.all(Array.from({ length: 50 }, (_, offset) => openAndAbort(index + offset)));
	}
	// Released objects are collected in a later turn of the event loop.
	for (let turn = 0; turn < 5; turn++) {
		await delay(20);
		globalThis.gc?.();
	}
	return process.memoryUsage().heapUsed;
}

const tenth = Math.floor(Number(count) / 10);
const before = await openMany(tenth);
const after = await openMany(Number(count) - tenth);
const left = process.getActiveResourcesInfo().filter(kind => /TCP|Timeout|Immediate/.test(kind));
await undici.close();
process.stdout.write(JSON.stringify({ grown: after - before, left }), () => process.exit());
