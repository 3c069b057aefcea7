import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { ClientError } from '../../../src/base/errors.ts';
import type { Transport } from '../../../src/client/core/transport.ts';
import { sseEvent } from '../../support/faultServer.ts';
import { chunk, DONE, request } from './chatWire.ts';
import { complete, connected, log, status } from './logServer.ts';
import { collect, testClient } from './testClient.ts';

const KEY = 'sk-inference';
const SERVICE = 'http://127.0.0.1:1';

/**
 * A service that answers every request with the same bytes, cut as they are given: what a real one does to the cuts
 * is not its own choice, and thousands of replies take milliseconds here.
 */
function replying(bytes: Uint8Array, cuts: readonly number[], type: string): Transport {
	const places = [...cuts.map(cut => cut % (bytes.length + 1)), 0, bytes.length].sort((one, other) => one - other);
	return {
		async request({ url }) {
			assert.equal(new URL(url).origin, SERVICE);
			// Beside a stream of events there is nothing else: the task itself is not to be had.
			const isStream = /\/(stream|chat\/completions)/.test(url);
			return {
				status: isStream || type === 'application/json' ? 200 : 404,
				headers: new Map([['content-type', type]]),
				body: (async function* () {
					for (const [index, start] of places.slice(0, -1).entries()) {
						yield bytes.subarray(start, places[index + 1]);
					}
				})(),
			};
		},
	};
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const cuts = fc.array(fc.nat(), { maxLength: 20 });
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const absent = fc.constantFrom(undefined, null, 'None', 7, '', {}, []);
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('None', KEY));

/** Anything that a service may say: documented fields with values of the right kind, of the wrong one, and absent. */
const anyDelta = fc.record(
	{
		content: fc.oneof(text, absent),
		reasoning: fc.oneof(text, absent),
		tool_calls: fc.oneof(
			absent,
			fc.array(
				fc.record(
					{
						index: fc.oneof(fc.integer(), absent),
						id: fc.oneof(text, absent),
						function: fc.oneof(absent, fc.record({ name: fc.oneof(text, absent), arguments: fc.oneof(text, absent) })),
					},
					{ requiredKeys: [] },
				),
				{ maxLength: 3 },
			),
		),
		annotations: fc.oneof(absent, fc.array(fc.jsonValue())),
	},
	{ requiredKeys: [] },
);
const anyEvent = fc.oneof(
	anyDelta.map(delta => chunk(delta)),
	fc.record({ usage: fc.jsonValue(), error: absent }).map(fields => chunk({}, fields)),
	fc.jsonValue().map(value => sseEvent(value)),
	fc
		.tuple(fc.constantFrom('log', 'status', 'complete', 'error', 'connected', 'x'), fc.jsonValue())
		.map(([event, value]) => sseEvent(value, event)),
	fc.nat(5).map(index => log(index)),
	fc.constantFrom(DONE, connected, status('processing'), status('None'), complete(2), complete('None'), ': hi\n\n'),
	text.map(words => sseEvent({ error: { message: words } })),
);
const anyStream = fc
	.tuple(fc.array(anyEvent, { maxLength: 12 }), lineEnd)
	.map(([events, end]) => bytesOf(events.join('').replaceAll('\n', end)));
const anyBytes = fc.oneof(anyStream, fc.uint8Array({ maxLength: 300 }), fc.json().map(bytesOf));

/** A chat’s events and end over these bytes. */
async function chatOver(bytes: Uint8Array, at: readonly number[], type = 'text/event-stream') {
	const client = testClient(SERVICE, { transport: replying(bytes, at, type) });
	return { ...(await collect(client.chat.stream(request))), logged: client.logged };
}

/** The first events of a log over these bytes: a service that never ends one is asked for ever. */
async function logOver(bytes: Uint8Array, at: readonly number[]) {
	const client = testClient(SERVICE, { transport: replying(bytes, at, 'text/event-stream') });
	const events: unknown[] = [];
	let error: unknown;
	try {
		for await (const event of client.tasks.follow('t1')) {
			if (events.push(event) === 40) {
				break;
			}
		}
	} catch (failure) {
		error = failure;
	}
	return { events, error, logged: client.logged };
}

function checkEnd({ error, logged }: { error: unknown; logged: readonly string[] }): void {
	if (error !== undefined) {
		assert.ok(ClientError.is(error), inspect(error));
		assert.ok(!error.message.includes(KEY));
	}
	assert.ok(logged.every(line => !line.includes(KEY)));
}

describe('any bytes of a service', () => {
	it('give the same chat however they are cut, and end in nothing but a ClientError', () =>
		fc.assert(
			fc.asyncProperty(anyBytes, cuts, async (bytes, at) => {
				const whole = await chatOver(bytes, []);
				const cut = await chatOver(bytes, at);
				checkEnd(whole);
				checkEnd(cut);
				assert.deepEqual(cut.events, whole.events);
				assert.equal(ClientError.is(cut.error) && cut.error.code, ClientError.is(whole.error) && whole.error.code);
			}),
			{ numRuns: 600 },
		));

	it('give the same log however they are cut, and end in nothing but a ClientError', () =>
		fc.assert(
			fc.asyncProperty(anyBytes, cuts, async (bytes, at) => {
				const whole = await logOver(bytes, []);
				const cut = await logOver(bytes, at);
				checkEnd(whole);
				checkEnd(cut);
				assert.deepEqual(cut.events, whole.events);
			}),
			{ numRuns: 100 },
		));

	it('give a whole reply or a ClientError as JSON', () =>
		fc.assert(
			fc.asyncProperty(anyBytes, cuts, async (bytes, at) => {
				checkEnd(await chatOver(bytes, at, 'application/json'));
				const client = testClient(SERVICE, { transport: replying(bytes, at, 'application/json') });
				for (const call of [client.chat.complete(request), client.tasks.list(), client.tasks.get('t1')]) {
					const error = await call.then(
						() => undefined,
						(failure: unknown) => failure,
					);
					checkEnd({ error, logged: client.logged });
				}
			}),
			{ numRuns: 300 },
		));
});
