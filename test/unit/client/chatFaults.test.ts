import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import {
	beginEvents,
	type FaultServer,
	flood,
	heldBack,
	sendEvents,
	useFaultServer,
} from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { chunk, DONE, request } from './chatWire.ts';
import { collect, countingTransport, type TestClient, testClient } from './testClient.ts';

describe('client.chat.stream over time', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient(server.origin);
	});

	it('times out when no head comes, and ends on the server’s side', async () => {
		serve(() => {});
		const ended = collect(client.chat.stream(request));
		await waitFor('the request', () => server.received.length === 1);
		await client.clock.expire(LIMITS.streamFirstByteMs);
		assert.ok(ClientError.is((await ended).error, 'timeout'));
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('times out when the stream falls silent, after what came', async () => {
		serve(response => {
			beginEvents(response);
			response.write(chunk({ content: 'Then ' }));
		});
		const stream = client.chat.stream(request)[Symbol.asyncIterator]();
		assert.deepEqual((await stream.next()).value, { type: 'text', text: 'Then ' });
		const next = stream.next();
		await client.clock.expire(LIMITS.idleMs);
		await assert.rejects(next, { code: 'timeout' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('counts a comment as life', async () => {
		let say = (_: string) => {};
		serve(response => {
			beginEvents(response);
			say = text => void response.write(text);
			say(chunk({ content: 'a' }));
		});
		const { transport, counted } = countingTransport();
		client = testClient(server.origin, { transport });
		const stream = client.chat.stream(request)[Symbol.asyncIterator]();
		await stream.next();
		const next = stream.next();
		next.catch(() => {});
		await waitFor('the watch', () => client.clock.running(LIMITS.idleMs) === 1);
		client.clock.pass(100_000);
		say(': alive\n\n');
		await waitFor('the comment', () => counted.chunks === 2);
		client.clock.pass(LIMITS.idleMs - 100_000);
		await client.clock.wake(LIMITS.idleMs);
		await assert.rejects(next, { code: 'timeout' });
		// The watch woke after the whole limit and found that it had to go on until one after the comment.
		assert.deepEqual(client.clock.waits, [100_000]);
	});

	it('goes by how long it waits, whatever the clock is set to meanwhile', async () => {
		serve(response => {
			beginEvents(response);
			response.write(chunk({ content: 'a' }));
		});
		for (const days of [3, -3]) {
			const stream = client.chat.stream(request)[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			next.catch(() => {});
			await waitFor('the watch', () => client.clock.running(LIMITS.idleMs) === 1);
			client.clock.set(days * 86_400_000);
			client.clock.pass(LIMITS.idleMs - 50_000);
			await client.clock.wake(LIMITS.idleMs);
			// The rest passes at once.
			await assert.rejects(next, { code: 'timeout' });
			assert.equal(client.clock.waits.at(-1), 50_000);
		}
	});

	it('does not count the reader’s own time as silence', async () => {
		let say = (_: string) => {};
		serve(response => {
			beginEvents(response);
			say = text => void response.write(text);
			say(chunk({ content: 'a' }));
		});
		const stream = client.chat.stream(request)[Symbol.asyncIterator]();
		await stream.next();
		await client.clock.expire(LIMITS.idleMs);
		say(chunk({ content: 'b' }));
		assert.deepEqual((await stream.next()).value, { type: 'text', text: 'b' });
		await stream.return?.();
	});

	it('throws aborted at once when its signal aborts, and ends on the server’s side', async () => {
		serve(response => {
			beginEvents(response);
			response.write(chunk({ content: 'a' }));
		});
		const controller = new AbortController();
		const stream = client.chat.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
		await stream.next();
		const next = stream.next();
		controller.abort();
		await assert.rejects(next, { code: 'aborted', retryable: false });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
		assert.deepEqual(await stream.next(), { done: true, value: undefined });
	});

	it('sends nothing when its signal has aborted before', async () => {
		const { error } = await collect(client.chat.stream(request, { signal: AbortSignal.abort() }));
		assert.ok(ClientError.is(error, 'aborted'));
		assert.equal(server.received.length, 0);
	});

	it('ends on the server’s side when the loop is left', async () => {
		serve(response => {
			beginEvents(response);
			response.write(chunk({ content: 'a' }));
		});
		for await (const _ of client.chat.stream(request)) {
			break;
		}
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('ends on the server’s side when it is left while an event is awaited', async () => {
		serve(response => beginEvents(response));
		const stream = client.chat.stream(request)[Symbol.asyncIterator]();
		const next = stream.next();
		await waitFor('the request', () => server.received.length === 1);
		await stream.return?.();
		assert.deepEqual(await next, { done: true, value: undefined });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('lets the server end a reply that is whole, so that its connection can be used again', async () => {
		serve(response => sendEvents(response, chunk({ content: 'a' }), DONE));
		await collect(client.chat.stream(request));
		assert.deepEqual(await server.received[0]?.closed, { isWhole: true });
	});

	it('closes a reply that is whole but that the server does not end', async () => {
		serve(response => {
			beginEvents(response);
			response.write(DONE);
		});
		assert.equal((await collect(client.chat.stream(request))).error, undefined);
		await client.clock.expire(1000);
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('sends no request twice for one stream', async () => {
		serve(response => sendEvents(response, chunk({ content: 'a' }), DONE));
		const stream = client.chat.stream(request);
		await collect(stream);
		assert.deepEqual(await collect(stream), { events: [], error: undefined });
		assert.equal(server.received.length, 1);
	});

	it('lets a slow reader hold the server back', async () => {
		const piece = Buffer.from(chunk({ content: 'x'.repeat(1000) }).repeat(60));
		const limit = 64 * 1024 * 1024;
		const state = { sent: 0, isBlocked: false };
		serve(response => {
			beginEvents(response);
			return flood(response, piece, limit, state);
		});
		const stream = client.chat.stream(request)[Symbol.asyncIterator]();
		await stream.next();
		await heldBack(state);
		assert.ok(state.sent < limit / 2, `${state.sent} bytes were taken from the server though one event was read`);
		await stream.return?.();
	});
});
