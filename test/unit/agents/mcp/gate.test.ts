import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type GateOptions, type McpAnswer, type McpCall, runGate } from '../../../../src/agents/mcp/gate.ts';
import { waitFor } from '../../../support/waitFor.ts';

type Message = Record<string, unknown>;

/** One side as a test plays it: what it says, and what it has been told. */
class Side {
	readonly output = new PassThrough();
	readonly input = new PassThrough();
	readonly got: Message[] = [];

	constructor() {
		let held = '';
		this.input.on('data', (bytes: Buffer) => {
			const lines = (held + bytes.toString('utf8')).split('\n');
			held = lines.pop() ?? '';
			this.got.push(...lines.map(line => JSON.parse(line) as Message));
		});
	}

	say(...messages: Message[]): void {
		for (const message of messages) {
			this.output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		}
	}

	async told(count: number): Promise<Message[]> {
		await waitFor(`${count} messages`, () => this.got.length >= count);
		return this.got;
	}
}

/** A member of a message that is an object, or an empty one. */
const member = (message: Message | undefined, name: string) => (message?.[name] ?? {}) as Message;

const TOOLS = [{ name: 'add', description: 'Adds.' }, { name: 'send' }];

describe('the gate between an agent and an MCP server', () => {
	let agent: Side;
	let server: Side;
	let ended: ReturnType<typeof runGate>;
	let refused: string[];
	let asked: McpCall[];
	let answered: { call: McpCall; answer: McpAnswer }[];
	let ask: GateOptions['ask'];
	let admit: GateOptions['admit'];

	beforeEach(() => begin());

	function begin(silenceMs = 60_000, beginMs?: number): void {
		[agent, server, refused, asked, answered] = [new Side(), new Side(), [], [], []];
		ask = async () => undefined;
		admit = async tools => tools;
		ended = runGate(agent, server, {
			admit: (tools, isFurther) => admit(tools, isFurther),
			ask: (call, signal) => {
				asked.push(call);
				return ask(call, signal);
			},
			onAnswer: (call, answer) => answered.push({ call, answer }),
			onRefused: sentence => refused.push(sentence),
			silenceMs,
			beginMs,
		});
	}
	afterEach(async () => {
		agent.output.end();
		await ended.catch(() => {});
	});

	/** Lets the agent learn of the tools. */
	async function listTools(): Promise<void> {
		agent.say({ id: 'list', method: 'tools/list' });
		await server.told(1);
		server.say({ id: 'list', result: { tools: TOOLS } });
		await agent.told(1);
	}
	const call = (id: number | string, name: string, given?: unknown): Message => ({
		id,
		method: 'tools/call',
		params: { name, ...(given === undefined ? {} : { arguments: given }) },
	});
	const textOf = ({ result }: Message) => (result as { content: { text: string }[] }).content[0]?.text;

	it('tells the server that the agent can do nothing for it', async () => {
		const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
		agent.say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities } });
		const [initialize] = await server.told(1);
		assert.deepEqual(initialize?.['params'], { protocolVersion: '2025-11-25', capabilities: {} });
	});

	it('passes on a call that is allowed, with its answer, and tells of both', async () => {
		await listTools();
		agent.say(call(2, 'add', { a: 1 }));
		const [, passed] = await server.told(2);
		assert.deepEqual(passed, { jsonrpc: '2.0', ...call(2, 'add', { a: 1 }) });
		server.say({ id: 2, result: { content: [{ type: 'text', text: '3' }] } });
		await agent.told(2);
		assert.deepEqual(asked, [{ tool: 'add', arguments: { a: 1 } }]);
		assert.deepEqual(answered, [{ call: asked[0], answer: { isError: false, text: '3' } }]);
		assert.equal(answered[0]?.call, asked[0]);
	});

	it('passes on nothing of a call but what was asked about, and the token of its progress', async () => {
		await listTools();
		const params = { name: 'add', arguments: { a: 1 }, _meta: { progressToken: 7, more: 'x' }, task: { ttl: 1 } };
		agent.say({ id: 2, method: 'tools/call', further: 'x', params });
		const [, passed] = await server.told(2);
		const shown = { name: 'add', arguments: { a: 1 }, _meta: { progressToken: 7 } };
		assert.deepEqual(passed, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: shown });
		agent.say({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'x' } });
		agent.say({ method: 'notifications/cancelled', params: { requestId: 'none' } });
		agent.say({ method: 'notifications/initialized', params: { more: 'x' } });
		assert.deepEqual((await server.told(4)).slice(2), [
			{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
			{ jsonrpc: '2.0', method: 'notifications/initialized' },
		]);
	});

	it('admits one tool of each name, and none whose name cannot be shown', async () => {
		let offered: readonly unknown[] = [];
		admit = async tools => {
			offered = tools;
			return tools;
		};
		agent.say({ id: 'list', method: 'tools/list' });
		await server.told(1);
		const names = ['two\nlines', 'hid\u200bden', 'x'.repeat(129), ''];
		const tools = [{ name: 'add' }, { name: 'add', description: 'Lies.' }, ...names.map(name => ({ name }))];
		server.say({ id: 'list', result: { tools } });
		const [list] = await agent.told(1);
		assert.deepEqual(member(list, 'result')['tools'], [{ name: 'add' }]);
		assert.deepEqual(offered, [{ name: 'add' }]);
	});

	it('refuses a tool that was known, once it is not admitted as it is described now', async () => {
		await listTools();
		admit = async tools => tools.filter(({ name }) => name !== 'add');
		agent.say({ id: 'again', method: 'tools/list' });
		await server.told(2);
		server.say({ id: 'again', result: { tools: [{ name: 'add', description: 'Sends.' }, { name: 'send' }] } });
		await agent.told(2);
		agent.say(call(2, 'add', {}), call(3, 'send', {}));
		assert.equal((await server.told(3))[2]?.['id'], 3);
		assert.equal(textOf((await agent.told(3))[2] ?? {}), 'There is no such tool.');
	});

	it('promises the agent nothing of a server but its tools', async () => {
		agent.say({ id: 1, method: 'initialize', params: {} });
		await server.told(1);
		const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} };
		server.say({ id: 1, result: { protocolVersion: '2025-11-25', capabilities } });
		const [answer] = await agent.told(1);
		assert.deepEqual(member(member(answer, 'result'), 'capabilities'), { tools: { listChanged: true } });
	});

	it('lets no more than 256 calls wait for an answer', async () => {
		ask = () => new Promise(() => {});
		await listTools();
		agent.say(...Array.from({ length: 257 }, (_, id) => call(id, 'add', {})));
		const [, answer] = await agent.told(2);
		assert.equal(member(answer, 'error')['code'], -32_600);
		assert.equal(asked.length, 256);
	});

	it('answers a call that is refused itself, and never passes it on', async () => {
		ask = async () => 'The user said no.';
		await listTools();
		agent.say(call(2, 'send', {}));
		const [, answer] = await agent.told(2);
		assert.equal(textOf(answer ?? {}), 'The user said no.');
		assert.equal(member(answer, 'result')['isError'], true);
		assert.equal(server.got.length, 1);
	});

	it('refuses a call where the question fails', async () => {
		ask = async () => {
			throw new Error('no window');
		};
		await listTools();
		agent.say(call(2, 'add', {}));
		await agent.told(2);
		assert.equal(server.got.length, 1);
	});

	it('refuses tools that the agent was not told of, also before any were listed', async () => {
		agent.say(call(1, 'add', {}));
		assert.equal(textOf((await agent.told(1))[0] ?? {}), 'There is no such tool.');
		admit = async tools => tools.slice(0, 1);
		agent.say({ id: 'list', method: 'tools/list' });
		await server.told(1);
		server.say({ id: 'list', result: { tools: TOOLS, nextCursor: 'more' } });
		const [, list] = await agent.told(2);
		assert.deepEqual(list?.['result'], { tools: TOOLS.slice(0, 1), nextCursor: 'more' });
		agent.say(call(2, 'send', {}), call(3, 'constructor', {}), { id: 4, method: 'tools/call' });
		await agent.told(5);
		assert.deepEqual(asked, []);
		assert.equal(server.got.length, 1);
	});

	it('lists no tools where those that have changed were not looked at', async () => {
		admit = async () => {
			throw new Error('no window');
		};
		await listTools();
		assert.deepEqual(member(agent.got[0], 'result')['tools'], []);
	});

	it('refuses what a server asks of the agent’s model, of the user and of the folders, and tells of it', async () => {
		const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'something/new'];
		server.say(...methods.map((method, id) => ({ id, method, params: {} })));
		const answers = await server.told(methods.length);
		assert.ok(answers.every(({ error }) => (error as Message)['code'] === -32_601));
		assert.equal(refused.length, methods.length);
		assert.match(refused[1] ?? '', /asked for “elicitation\/create”, which was refused/);
		assert.deepEqual(agent.got, []);
	});

	it('carries a server’s ping and its answer', async () => {
		server.say({ id: 'p', method: 'ping' });
		await agent.told(1);
		agent.say({ id: 'p', result: {} }, { id: 'unasked', result: {} });
		await server.told(1);
		agent.say({ id: 9, method: 'ping' });
		assert.deepEqual(
			(await server.told(2)).map(({ id }) => id),
			['p', 9],
		);
	});

	it('answers requests that no agent needs as methods that are not there', async () => {
		agent.say(
			{ id: 1, method: 'server/discover' },
			{ id: 2, method: 'tasks/list' },
			{ id: 3, method: 'resources/read', params: { uri: 'https://evil.example/?the=secret' } },
			{ id: 4, method: 'prompts/get', params: { name: 'x', arguments: { the: 'secret' } } },
			{ id: 5, method: 'completion/complete', params: { argument: { name: 'x', value: 'secret' } } },
			{ method: 'notifications/roots/list_changed' },
		);
		const answers = await agent.told(5);
		assert.ok(answers.every(({ error }) => (error as Message)['code'] === -32_601));
		assert.deepEqual(server.got, []);
	});

	it('passes over answers that nobody waits for, and lines that are no messages', async () => {
		server.output.write('not json\n[1]\n"text"\n');
		server.say({ id: 77, result: { tools: TOOLS } }, { method: 'notifications/message', params: { data: 'x' } });
		server.say({ method: 'notifications/tools/list_changed' });
		assert.deepEqual(
			(await agent.told(1)).map(({ method }) => method),
			['notifications/tools/list_changed'],
		);
	});

	it('ends a server that says nothing while the agent waits for it', async () => {
		begin(300);
		await listTools();
		agent.say(call(2, 'add', {}));
		await assert.rejects(ended, /^Error: It has not answered for 0\.3 seconds\. The agent goes on without it\.$/);
	});

	it('begins without a handshake where the server refuses one, and lets it ask for nothing there either', async () => {
		const clientInfo = { name: 'agent', version: '1' };
		const prefix = 'io.modelcontextprotocol/';
		const sender = {
			[`${prefix}protocolVersion`]: '2026-07-28',
			[`${prefix}clientInfo`]: clientInfo,
			[`${prefix}clientCapabilities`]: {},
		};
		agent.say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
		await server.told(1);
		server.say({ id: 1, error: { code: -32_601, message: 'What?' } });
		const [, discover] = await server.told(2);
		assert.deepEqual(discover, { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: sender } });
		const capabilities = { tools: { listChanged: true }, prompts: {} };
		server.say({ id: 1, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities } });
		const [begun] = await agent.told(1);
		const serverInfo = { name: 'unknown', version: '0' };
		assert.deepEqual(begun?.['result'], { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });

		agent.say({ method: 'notifications/initialized' }, { id: 2, method: 'ping' }, { id: 3, method: 'tools/list' });
		assert.deepEqual((await server.told(3))[2]?.['params'], { _meta: sender });
		const outputSchema = { type: 'array' };
		server.say({ id: 3, result: { resultType: 'complete', tools: [{ ...TOOLS[0], outputSchema }, TOOLS[1]] } });
		const [, ping, list] = await agent.told(3);
		assert.deepEqual([ping?.['result'], member(list, 'result')['tools']], [{}, TOOLS]);

		const params = { name: 'add', arguments: {}, _meta: { progressToken: 7 } };
		agent.say({ id: 4, method: 'tools/call', params });
		assert.deepEqual((await server.told(4))[3]?.['params'], { ...params, _meta: { progressToken: 7, ...sender } });
		server.say({ id: 4, result: { resultType: 'input_required', inputRequests: { key: {} } } });
		const [, , , refusal] = await agent.told(4);
		assert.match(String(member(refusal, 'error')['message']), /wants to ask for something first/);
		assert.equal(answered[0]?.answer.isError, true);
		assert.deepEqual(refused, ['The server asked for something in its answer, which was refused.']);

		agent.say(call(5, 'add', {}));
		await server.told(5);
		server.say({ id: 5, result: { resultType: 'complete', content: [], structuredContent: [1] } });
		assert.deepEqual((await agent.told(5))[4]?.['result'], { resultType: 'complete', content: [] });
	});

	it('tells the agent what a server says that refuses the handshake and what takes its place', async () => {
		agent.say({ id: 1, method: 'initialize', params: {} });
		await server.told(1);
		server.say({ id: 1, error: { code: -32_000, message: 'No.' } });
		await server.told(2);
		server.say({ id: 1, error: { code: -32_601, message: 'What?' } });
		const [answer] = await agent.told(1);
		assert.deepEqual(answer?.['error'], { code: -32_000, message: 'No.' });
	});

	it('ends one that does not begin sooner than one that works on a call', async () => {
		begin(60_000, 100);
		agent.say({ id: 1, method: 'initialize' });
		await assert.rejects(ended, /not answered for 0\.1 seconds/);
	});

	it('waits no longer for a call that the agent cancels, and tells that it is over', async () => {
		await listTools();
		agent.say(call(2, 'add', {}));
		await server.told(2);
		agent.say({ method: 'notifications/cancelled', params: { requestId: 2 } });
		await server.told(3);
		const answer = { isError: true, text: 'The agent has withdrawn the call.' };
		assert.deepEqual(answered, [{ call: asked[0], answer }]);
		server.say({ id: 2, result: { content: [] } }, { method: 'notifications/tools/list_changed' });
		assert.equal((await agent.told(2))[1]?.['method'], 'notifications/tools/list_changed');
	});

	it('withdraws the question about a call that the agent cancels', async () => {
		let withdrawn: AbortSignal | undefined;
		ask = (_, signal) => {
			withdrawn = signal;
			return new Promise(resolve => signal.addEventListener('abort', () => resolve('late')));
		};
		await listTools();
		agent.say(call(2, 'add', {}));
		await waitFor('the question', () => withdrawn !== undefined);
		agent.say({ method: 'notifications/cancelled', params: { requestId: 2 } });
		await waitFor('its end', () => withdrawn?.aborted === true);
		agent.say({ id: 3, method: 'ping' });
		assert.deepEqual(
			(await server.told(2)).map(({ id }) => id),
			['list', 3],
		);
		assert.equal(agent.got.length, 1);
	});

	it('goes on with other messages while a question waits', async () => {
		ask = () => new Promise(() => {});
		await listTools();
		agent.say(call(2, 'add', {}), { id: 3, method: 'ping' });
		assert.equal((await server.told(2))[1]?.['method'], 'ping');
	});

	it('refuses a second request with the id of an open one', async () => {
		await listTools();
		agent.say({ id: 5, method: 'ping' }, { id: 5, method: 'tools/list' });
		const [, answer] = await agent.told(2);
		assert.equal(member(answer, 'error')['code'], -32_600);
	});

	it('ends with a sentence where a server sends a message without an end', async () => {
		const piece = Buffer.alloc(1024 * 1024, 'x');
		for (let count = 0; count < 9; count++) {
			server.output.write(piece);
		}
		await assert.rejects(ended, /^Error: The server sent a message of more than 8 MB\.$/);
	});

	it('ends with either side, and withdraws what is asked', async () => {
		let isWithdrawn = false;
		ask = (_, signal) =>
			new Promise(resolve =>
				signal.addEventListener('abort', () => {
					isWithdrawn = true;
					resolve(undefined);
				}),
			);
		await listTools();
		agent.say(call(2, 'add', {}));
		await waitFor('the question', () => asked.length === 1);
		server.output.end();
		assert.equal(await ended, 'server');
		assert.ok(isWithdrawn);
		assert.equal(server.got.length, 1);
	});
});
