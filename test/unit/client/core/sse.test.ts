import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientError } from '../../../../src/base/errors.ts';
import { SseDecoder, type SseEvent, StrayLines } from '../../../../src/client/core/sse.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Leaves out what the parser tells besides, which does not matter here. */
const told = (events: readonly SseEvent[]) => events.map(({ event, data }) => ({ event, data }));

/** Decodes `bytes` cut at the given places. */
function decodeCut(bytes: Uint8Array, cuts: readonly number[], maximumLength = 1 << 20): SseEvent[] {
	const decoder = new SseDecoder(maximumLength);
	const events: SseEvent[] = [];
	const places = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
	for (const [index, start] of places.slice(0, -1).entries()) {
		events.push(...decoder.decode(bytes.subarray(start, places[index + 1])));
	}
	return told(events);
}

describe('SseDecoder', () => {
	it('gives the same events however the bytes are cut, with any line end', () => {
		const event = fc.record({
			event: fc.option(fc.constantFrom('log', 'status', 'größe'), { nil: undefined }),
			lines: fc.array(
				fc.string({ unit: 'grapheme' }).filter(line => !/[\r\n\0]/.test(line)),
				{ minLength: 1, maxLength: 3 },
			),
			end: fc.constantFrom('\n', '\r', '\r\n'),
			comment: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (events, cuts) => {
				const text = events
					.map(({ event, lines, end, comment }) =>
						[
							...(comment ? [`: still here${end}`] : []),
							...(event === undefined ? [] : [`event: ${event}${end}`]),
							...lines.map(line => `data: ${line}${end}`),
							end,
						].join(''),
					)
					.join('');
				const bytes = bytesOf(text);
				const decoded = decodeCut(
					bytes,
					cuts.map(cut => cut % (bytes.length + 1)),
				);
				assert.deepEqual(
					decoded,
					events.map(({ event, lines }) => ({ event, data: lines.join('\n') })),
				);
			}),
		);
	});

	it('puts a character together whose bytes came one at a time', () => {
		const bytes = bytesOf('data: 世界 🌍\n\n');
		const cuts = Array.from({ length: bytes.length }, (_, index) => index);
		assert.deepEqual(decodeCut(bytes, cuts), [{ event: undefined, data: '世界 🌍' }]);
	});

	it('takes bytes of more than one piece at once', () => {
		const texts = Array.from({ length: 5000 }, (_, index) => `${index} ${'é'.repeat(20)}`);
		const bytes = bytesOf(texts.map(text => `data: ${text}\r\n\r\n`).join(''));
		assert.ok(bytes.length > 200_000);
		assert.deepEqual(
			decodeCut(bytes, []).map(({ data }) => data),
			texts,
		);
	});

	for (const [kind, giant] of [
		['one line', `data: ${'x'.repeat(5000)}`],
		['many lines', 'data: xxxxxxxx\n'.repeat(500)],
	] as const) {
		it(`ends at an event over the limit in ${kind}, after the events before it`, () => {
			const decoder = new SseDecoder(1000);
			assert.deepEqual(told(decoder.decode(bytesOf(`data: before\n\n${giant}`))), [
				{ event: undefined, data: 'before' },
			]);
			assert.throws(() => decoder.check(), { code: 'bad-response' });
			assert.throws(() => decoder.decode(bytesOf('data: after\n\n')), { code: 'bad-response' });
		});

		it(`tells of an event over the limit in ${kind} though nothing follows it`, () => {
			const decoder = new SseDecoder(1000);
			assert.throws(
				() => decoder.decode(bytesOf(giant)),
				error => ClientError.is(error, 'bad-response'),
			);
		});
	}

	it('takes any number of events that are each below the limit', () => {
		const events = decodeCut(bytesOf(`data: ${'x'.repeat(900)}\n\n`.repeat(50)), [100, 20_000], 1000);
		assert.equal(events.length, 50);
	});

	it('ends at lines without end that belong to no event, and takes as many as there are events', () => {
		for (const strays of [undefined, new StrayLines()]) {
			assert.throws(() => new SseDecoder(1000, strays).decode(bytesOf('x\n'.repeat(20_000))), {
				code: 'bad-response',
			});
		}
		const decoder = new SseDecoder(1000, new StrayLines());
		assert.equal(decoder.decode(bytesOf('x-node: 7\ndata: a\n\n'.repeat(20_000))).length, 20_000);
	});

	it('holds back an event without its blank line, and gives it at the end', () => {
		const decoder = new SseDecoder(1000);
		assert.deepEqual(decoder.decode(bytesOf('data: [DONE]')), []);
		assert.deepEqual(told(decoder.finish()), [{ event: undefined, data: '[DONE]' }]);
	});

	it('drops a character that the end cut in two', () => {
		const decoder = new SseDecoder(1000);
		decoder.decode(bytesOf('data: a€').subarray(0, -1));
		assert.deepEqual(told(decoder.finish()), [{ event: undefined, data: 'a\ufffd' }]);
	});
});
