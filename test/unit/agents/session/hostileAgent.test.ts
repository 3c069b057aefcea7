import assert from 'node:assert/strict';
import { startChild } from '../../../../src/base/childProcess.ts';
import { heldBytes, mostHeldBytes } from '../../../support/heldMemory.ts';
import { SESSION_ID, type Step } from '../../../support/scriptedAgent.ts';
import { useAgent } from './useAgent.ts';

const END: Step = { stop: 'end_turn' };
const UPDATE = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '"hello"' } };
const MEGABYTE = 1024 * 1024;

describe('a session with an agent that does not keep to the protocol', () => {
	const agent = useAgent();

	const initializedAs = (result: unknown) => agent.open({ answers: { initialize: { result } } });
	const openedAs = (result: unknown) => agent.open({ answers: { 'session/new': { result } } });

	it('fails if its program cannot be started', async () => {
		const { signal } = new AbortController();
		const child = startChild({ command: '/nowhere/agent', args: [], cwd: '/', env: {}, signal });
		await agent.fails(
			agent.open({}, { child }),
			'not-started',
			/could not be started: it was not found\. Check/,
			false,
		);
	});

	it('fails if it ends early, with the last line of its standard error', async () => {
		const noise = `${'noise '.repeat(20_000)}\n\u001b[31mCannot find\u0007 module "x"\u001b[0m\n\n`;
		const ending: Step[] = [{ standardError: noise }, { exit: 3 }];
		await agent.fails(
			agent.open({ first: ending }),
			'exited',
			/ended with exit code 3 before its work was done\. It wrote last: "Cannot find module "x""\. Check/,
		);
		await agent.fails(agent.play(ending), 'exited', /exit code 3/);
	});

	it('fails if it ends while more of its requests wait than are read', async () => {
		const params = { toolCall: { toolCallId: 'call-1' }, options: [] };
		const steps: Step[] = [{ request: 'session/request_permission', params, times: 50 }, { exit: 3 }];
		await agent.fails(agent.play(steps, { decide: () => new Promise(() => {}) }), 'exited', /exit code 3/);
	});

	it('fails if it closes its output and stays', async () => {
		const limits = { closeMs: 200 };
		await agent.fails(agent.play([{ closeOutput: true }], { limits }), 'exited', /closed its connection/);
	});

	it('fails if it does not answer in time', async () => {
		for (const [method, limits] of [
			['initialize', { initializeMs: 1_000 }],
			['session/new', { openMs: 1_000 }],
		] as const) {
			const silent = agent.open({ answers: { [method]: null } }, { limits });
			await agent.fails(silent, 'no-answer', new RegExp(`did not answer "${method}" within 1 seconds`));
		}
	});

	it('fails if it does not read what it is sent', async () => {
		const limits = { readMs: 500 };
		const session = await agent.open({}, { limits });
		await session.prompt(JSON.stringify([{ stopReading: true }, END]));
		await agent.fails(session.prompt('x'.repeat(16 * MEGABYTE)), 'no-answer', /did not read what it was sent/);
	});

	it('fails if it speaks another version of the protocol', async () => {
		await agent.fails(initializedAs({ protocolVersion: 2 }), 'protocol', /speaks version 2 .* Errand speaks version 1/);
		await agent.fails(initializedAs({ protocolVersion: 'one' }), 'protocol', /an answer to "initialize"/);
		await agent.fails(initializedAs(null), 'protocol', /an answer to "initialize"/);
		await agent.fails(initializedAs('yes'), 'protocol', /an answer to "initialize"/);
	});

	it('fails if the new session has no usable id', async () => {
		for (const result of [null, {}, { sessionId: '' }, { sessionId: 7 }, { sessionId: 'x'.repeat(100_000) }]) {
			await agent.fails(openedAs(result), 'protocol', /an answer to "session\/new"/);
		}
	});

	it('reads what it tells of itself with limits, and takes what does not fit as not told', async () => {
		const session = await initializedAs({
			protocolVersion: 1,
			agentInfo: { name: 'x'.repeat(100_000), version: 7 },
			agentCapabilities: { loadSession: 'yes', sessionCapabilities: [] },
		});
		assert.equal(session.info.name.length, 100);
		assert.ok(!('version' in session.info));
		assert.deepEqual((await initializedAs({ protocolVersion: 1, agentInfo: 'me' })).info, { name: 'Agent' });
		const availableModes = Array.from({ length: 1_000 }, (_, index) => ({ id: `mode-${index}`, name: 'x' }));
		const withModes = await openedAs({ sessionId: SESSION_ID, modes: { currentModeId: 'x', availableModes } });
		assert.equal(withModes.agentOptions[0]?.values.length, 100);
	});

	it('fails with its words if it answers with an error, and stays open after a prompt', async () => {
		const session = await agent.open();
		const failing = (error: Record<string, unknown>) => session.prompt(JSON.stringify([{ error }]));
		const internal = { code: -32_603, message: 'Internal error', data: { details: 'No model\nis left.' } };
		await agent.fails(failing(internal), 'refused', /an error \("No model is left"\)\. Try again/, false);
		const long = { code: 1, message: 'x'.repeat(MEGABYTE) };
		const failure = await agent.fails(failing(long), 'refused', /xxx…/, false);
		assert.ok(failure.message.length < 500);
		assert.equal(await session.prompt(JSON.stringify([END])), 'end_turn');
	});

	it('fails if it wants an account of its own', async () => {
		const error = { code: -32_000, message: 'Authentication required' };
		const words = /wants an account of its own \("Authentication required"\)/;
		await agent.fails(agent.open({ answers: { 'session/new': { error } } }), 'needs-account', words);
		await agent.fails(agent.play([{ error }]), 'needs-account', words, false);
		await agent.fails(agent.play([{ error: { code: -32_000, message: 'Out of luck' } }]), 'refused', /luck/, false);
	});

	it('fails if a prompt ends for no known reason, or its answer is none', async () => {
		await agent.fails(agent.play([{ stop: 'bored' }]), 'protocol', /an answer to "session\/prompt"/);
		await agent.fails(agent.play([{ stop: null }]), 'protocol', /an answer to "session\/prompt"/);
		for (const line of ['{"jsonrpc":"2.0","id":2}', '{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1}}']) {
			await agent.fails(agent.play([{ line }, { cancelled: true }]), 'protocol', /neither a result nor an error/);
		}
	});

	it('overlooks a banner, blank lines and other lines that are no message', async () => {
		const lines = ['Welcome!', '', '   ', '{', '[]', 'null', '7', '"x"', '{"id":1}', '{"jsonrpc":"2.0"}'];
		const strange = [
			'[{"jsonrpc":"2.0","method":"session/update"}]',
			'{"jsonrpc":"2.0","id":null,"method":"fs/read_text_file"}',
			'{"jsonrpc":"2.0","id":{},"method":"fs/read_text_file"}',
			`{"jsonrpc":"2.0","id":"${'x'.repeat(MEGABYTE)}","method":"fs/read_text_file"}`,
			`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(MEGABYTE)}"}`,
			'{"jsonrpc":"2.0","id":1,"method":7}',
			'{"jsonrpc":"2.0","method":"session/update"}',
			'{"jsonrpc":"2.0","method":"session/update","params":[]}',
			'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1"}}',
			'{"jsonrpc":"2.0","method":"$/cancel_request"}',
			'{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}',
			'{"jsonrpc":"2.0","method":"_other/thing","params":{}}',
			'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
		];
		const first = lines.map(line => ({ line }));
		const session = await agent.open({ first });
		const steps = [...lines, ...strange].map(line => ({ line }));
		assert.equal(await session.prompt(JSON.stringify([...steps, { update: UPDATE }, END])), 'end_turn');
		assert.deepEqual(agent.told(), ['hello']);
	});

	it('fails if it writes nothing but text', async () => {
		await agent.fails(agent.open({ first: [{ line: 'hello', times: 101 }] }), 'garbage', /its ACP mode/);
	});

	it('overlooks answers to what was never asked, and fails if there are many', async () => {
		const answer = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } });
		const steps: Step[] = [0, 1, 99, -1, 'x'].map(id => ({ line: answer(id) }));
		const session = await agent.open();
		// The prompt has the id 2. Its second answer is none to the next prompt.
		assert.equal(
			await session.prompt(JSON.stringify([...steps, { line: answer(2) }, { line: answer(2) }])),
			'end_turn',
		);
		assert.equal(await session.prompt(JSON.stringify([{ update: UPDATE }, { stop: 'refusal' }])), 'refusal');
		await agent.fails(session.prompt(JSON.stringify([{ line: answer(1), times: 101 }])), 'garbage', /is not the Agent/);
	});

	it('ignores updates of other sessions', async () => {
		await agent.play([{ update: UPDATE, session: 'session-2' }, { update: UPDATE }, END]);
		assert.equal(agent.events.length, 1);
	});

	it('fails if there are more lines than a session may have, whatever they are', async () => {
		const limits = { lines: 1_003 };
		assert.equal(await agent.play([{ update: UPDATE, times: 1_000 }, END], { limits }), 'end_turn');
		for (const line of [{ update: UPDATE }, { update: UPDATE, session: 'session-2' }, { line: '' }]) {
			const flood = agent.play([{ ...line, times: 1_002 }, { cancelled: true }], { limits });
			await agent.fails(flood, 'flood', /more than 1003 messages in one session/);
		}
	});

	it('does not parse values that are nested without an end', async () => {
		const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
		const line = (levels: number) =>
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION_ID}","update":{"sessionUpdate":"x\\"[","_meta":${deep(levels)}}}}`;
		await agent.play([{ line: line(150) }, { line: line(400_000) }, { update: UPDATE }, END]);
		assert.deepEqual(
			agent.events.map(({ type }) => type),
			['other', 'message'],
		);
	});

	it('cuts texts, and never paths', async () => {
		const long = 'x'.repeat(MEGABYTE);
		const content = [
			{ type: 'diff', path: 'a.txt', oldText: long, newText: long },
			{ type: 'diff', path: long, newText: '' },
			{ type: 'content', content: { type: 'text', text: long } },
		];
		const locations = [{ path: long }, { path: 'a.txt' }];
		const update = { sessionUpdate: 'tool_call', toolCallId: 'call-1', title: `${long} ${long}`, content, locations };
		await agent.play([{ update }, END]);
		const [event] = agent.events;
		assert.equal(event?.type, 'tool');
		const { call } = event;
		assert.equal(call.title.length, 400);
		assert.equal(call.output.length, 64 * 1024);
		assert.deepEqual(call.locations, [{ path: 'a.txt' }]);
		assert.deepEqual(
			call.diffs.map(({ path, oldText, newText }) => [path, oldText?.length, newText.length]),
			[['a.txt', 64 * 1024, 64 * 1024]],
		);
	});

	describe('in bounded memory', () => {
		it('fails at a line of 100 MB', async () => {
			const large = agent.play([{ largeLine: 100 * MEGABYTE }, { cancelled: true }]);
			const memory = await mostHeldBytes(agent.fails(large, 'too-large', /a message of more than 8 MB/));
			assert.ok(memory < 60 * MEGABYTE, `it took ${memory / MEGABYTE} MB`);
		});

		it('reads a flood of updates no faster than they are taken, and everything else goes on', async () => {
			let turns = 0;
			const timer = setInterval(() => turns++, 1);
			try {
				const limits = { lines: 30_000 };
				const content = { type: 'text', text: 'x'.repeat(10_000) };
				const update = { sessionUpdate: 'agent_message_chunk', content };
				const flood = agent.play([{ flood: update }], { limits, onEvent: () => {} });
				const memory = await mostHeldBytes(agent.fails(flood, 'flood', /more than 30000 messages/));
				assert.ok(memory < 200 * MEGABYTE, `it took ${memory / MEGABYTE} MB`);
				assert.ok(turns > 20, `there were ${turns} turns`);
			} finally {
				clearInterval(timer);
			}
		});

		it('forgets the oldest of many tool calls', async () => {
			const text = 'x'.repeat(64 * 1024);
			const content = [{ type: 'content', content: { type: 'text', text } }];
			const line = (index: number) =>
				JSON.stringify({
					jsonrpc: '2.0',
					method: 'session/update',
					params: {
						sessionId: SESSION_ID,
						update: { sessionUpdate: 'tool_call', toolCallId: `call-${index}`, content },
					},
				});
			const child = agent.start([
				'-e',
				`const { writeSync } = require('node:fs');
				const line = ${JSON.stringify(line(0))};
				const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
				require('node:readline').createInterface({ input: process.stdin }).on('line', async text => {
					const { id, method } = JSON.parse(text);
					if (method === 'session/prompt') {
						for (let index = 0; index < 3000; index++) {
							await new Promise(done => process.stdout.write(line.replace('call-0', 'call-' + index) + '\\n', done));
						}
					}
					say(id, { protocolVersion: 1, sessionId: '${SESSION_ID}', stopReason: 'end_turn' });
				});`,
			]);
			let calls = 0;
			const onEvent = () => {
				calls++;
			};
			const session = await agent.open({}, { child, onEvent });
			const before = heldBytes();
			await session.prompt('Go');
			assert.equal(calls, 3_000);
			const memory = heldBytes() - before;
			assert.ok(memory < 60 * MEGABYTE, `it took ${memory / MEGABYTE} MB`);
			// It is the session that holds them.
			assert.ok(session.id);
		});
	});
});
