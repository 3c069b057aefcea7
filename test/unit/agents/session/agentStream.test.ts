import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AgentStream } from '../../../../src/agents/session/agentStream.ts';
import { SESSION_LIMITS } from '../../../../src/agents/session/limits.ts';
import { waitFor } from '../../../support/waitFor.ts';

const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

describe('AgentStream', () => {
	function streamOf(onUpdate: () => void = () => {}) {
		const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
		const child = { pid: undefined, stdin, stdout, stderr, ended: new Promise<never>(() => {}), end: async () => {} };
		const ended = new Error('It ended.');
		const stream = new AgentStream({
			child,
			limits: SESSION_LIMITS,
			onUpdate,
			readRequest: method => (method === 'session/request_permission' ? 'read' : undefined),
			ending: async () => ended,
		});
		return { stream, stdin, stdout, ended };
	}

	it('reads no further while too many requests have no answer, and goes on with each answer', async () => {
		const { stream, stdin, stdout } = streamOf();
		stdin.resume();
		let taken = 0;
		void (async () => {
			for await (const _ of stream.readable) {
				taken++;
			}
		})();
		for (let id = 0; id < 100; id++) {
			stdout.write(lineOf({ id, method: 'session/request_permission', params: {} }));
		}
		const writer = stream.writable.getWriter();
		for (const expected of [SESSION_LIMITS.openRequests, SESSION_LIMITS.openRequests + 1]) {
			await waitFor('the requests', () => taken === expected);
			for (let turn = 0; turn < 100; turn++) {
				await nextTurn();
			}
			assert.equal(taken, expected);
			await writer.write({ jsonrpc: '2.0', id: taken, result: {} });
		}
	});

	it('does not read before it is read itself', async () => {
		let updates = 0;
		const { stdout, stream } = streamOf(() => updates++);
		for (let index = 0; index < 10; index++) {
			stdout.write(lineOf({ method: 'session/update', params: { sessionId: 'x', update: {} } }));
		}
		for (let turn = 0; turn < 100; turn++) {
			await nextTurn();
		}
		assert.equal(updates, 0);
		void stream.readable.getReader().read();
		await waitFor('the updates', () => updates === 10);
	});

	it('lets everything else have its turn while updates come that take time', async () => {
		const COUNT = 400;
		let updates = 0;
		const { stdout, stream } = streamOf(() => {
			updates++;
			for (const end = performance.now() + 1; performance.now() < end; ) {
				// It works.
			}
		});
		stdout.end(lineOf({ method: 'session/update', params: { sessionId: 'x', update: {} } }).repeat(COUNT));
		let turns = 0;
		const timer = setInterval(() => turns++, 1);
		void stream.readable
			.getReader()
			.read()
			.catch(() => {});
		await waitFor('the updates', () => updates === COUNT);
		clearInterval(timer);
		assert.ok(turns > 10, `there were ${turns} turns`);
	});

	it('passes on what was read of a permission, and of other requests the method alone', async () => {
		const { stream, stdout } = streamOf();
		const reader = stream.readable.getReader();
		for (const [method, params] of [
			['session/request_permission', 'read'],
			['fs/write_text_file', undefined],
		]) {
			stdout.write(lineOf({ id: 1, method, params: { content: 'long' } }));
			assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', id: 1, method, params });
		}
	});

	it('gives an answer to what was asked, once, and knows what is asked', async () => {
		const { stream, stdin, stdout, ended } = streamOf();
		stdin.resume();
		const reader = stream.readable.getReader();
		await stream.writable.getWriter().write({ jsonrpc: '2.0', id: 7, method: 'session/prompt', params: {} });
		assert.ok(stream.isAsked('session/prompt'));
		const answer = { id: 7, result: { stopReason: 'end_turn' } };
		stdout.end([{ id: 8, result: {} }, answer, answer].map(lineOf).join(''));
		assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', ...answer });
		assert.ok(!stream.isAsked('session/prompt'));
		await assert.rejects(reader.read(), ended);
		assert.equal(stream.strayLines, 2);
	});

	it('takes a last line without an end, and ends with the reason why the agent did', async () => {
		let updates = 0;
		const { stream, stdout, ended } = streamOf(() => updates++);
		stdout.end(lineOf({ method: 'session/update', params: {} }).trim());
		await assert.rejects(stream.readable.getReader().read(), ended);
		assert.equal(updates, 1);
	});
});
