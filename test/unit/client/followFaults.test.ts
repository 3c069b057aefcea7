import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Answer, beginEvents, breakOff, FaultServer, sendJson, sseEvent } from '../../support/faultServer.ts';
import { testClient } from './testClient.ts';

/** What one connection does to the entries that it should send. */
interface Fault {
	/** Entries sent before the connection ends. */
	length: number;
	end: 'close' | 'break' | 'error' | 'cut';
	/** Positions of entries that are left out, sent twice, or swapped with the next. */
	left: number[];
	twice: number[];
	swapped: number[];
	/** Entries before the asked index that are sent all the same. */
	early: number;
}

const positions = fc.array(fc.nat(30), { maxLength: 2 });
const fault: fc.Arbitrary<Fault> = fc.record({
	length: fc.nat(30),
	end: fc.constantFrom('close', 'break', 'error', 'cut'),
	left: positions,
	twice: positions,
	swapped: positions,
	early: fc.nat(3),
});

const entry = (index: number) => sseEvent({ index, log: { type: 'info', message: `line ${index}` } }, 'log');

/** The indexes that a connection from `from` sends under a fault, of a log with `total` entries. */
function sequence(from: number, total: number, { left, twice, swapped, early }: Fault): number[] {
	const indexes: number[] = [];
	for (let index = Math.max(0, from - early); index < total; index++) {
		const position = index - from;
		if (!left.includes(position)) {
			indexes.push(index);
		}
		if (twice.includes(position)) {
			indexes.push(index);
		}
	}
	for (const position of swapped) {
		const [one, other] = [indexes[position], indexes[position + 1]];
		if (one !== undefined && other !== undefined) {
			indexes[position] = other;
			indexes[position + 1] = one;
		}
	}
	return indexes;
}

describe('following a task over a service that drops, repeats and reorders', () => {
	it('gives every entry once and in order, or tells a gap', async () => {
		const server = await FaultServer.start(() => {});
		try {
			await fc.assert(
				fc.asyncProperty(fc.nat(60), fc.array(fault, { maxLength: 8 }), async (total, faults) => {
					server.received.length = 0;
					server.answer = faultyLog(total, faults);
					const seen: number[] = [];
					const missing: number[] = [];
					let next = 0;
					let completes = 0;
					for await (const event of testClient(server.origin).tasks.follow('t1')) {
						assert.equal(completes, 0, 'nothing comes after the end');
						if (event.type === 'log') {
							assert.equal(event.index, next);
							assert.equal(event.entry.message, `line ${event.index}`);
							seen.push(event.index);
							next++;
						} else if (event.type === 'gap') {
							assert.equal(event.from, next);
							for (; next <= event.to; next++) {
								missing.push(next);
							}
						} else if (event.type === 'reconnecting') {
							assert.equal(event.nextIndex, next);
						} else if (event.type === 'complete') {
							completes++;
						}
					}
					assert.equal(completes, 1);
					assert.equal(next, total);
					// A gap is told only where a fault was: the last connection has none.
					if (faults.every(({ left, swapped }) => left.length === 0 && swapped.length === 0)) {
						assert.deepEqual(missing, []);
					}
					assert.equal(seen.length + missing.length, total);
				}),
				{ numRuns: 150 },
			);
		} finally {
			await server.stop();
		}
	});
});

/** Every fault on a connection of its own, then connections without one. */
function faultyLog(total: number, faults: readonly Fault[]): Answer {
	let connections = 0;
	return async (response, { path, query }) => {
		if (!path.endsWith('/stream')) {
			sendJson(response, 200, { task: { id: 't1', status: 'processing' } });
			return;
		}
		const from = Number(query.get('fromIndex'));
		const fault = faults[connections++];
		beginEvents(response);
		response.write(sseEvent({ fromIndex: from }, 'connected'));
		if (!fault) {
			const rest = Array.from({ length: Math.max(0, total - from) }, (_, index) => entry(from + index));
			response.end(rest.join('') + sseEvent({ status: 'completed', totalLogs: total }, 'complete'));
			return;
		}
		const indexes = sequence(from, total, fault);
		const text = indexes.slice(0, fault.length).map(entry).join('');
		switch (fault.end) {
			case 'close':
				response.end(text);
				break;
			case 'error':
				response.end(text + sseEvent({ error: 'storage is away' }, 'error'));
				break;
			case 'cut':
				response.end(text.slice(0, Math.max(0, text.length - 7)));
				break;
			case 'break':
				response.write(text);
				await breakOff(response);
		}
	};
}
