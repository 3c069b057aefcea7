import assert from 'node:assert/strict';
import type { AgentSession } from '../../../../src/agents/session/agentSession.ts';
import type { AgentEvent } from '../../../../src/agents/session/events.ts';
import { SESSION_ID, type Step, scriptedAgentArguments } from '../../../support/scriptedAgent.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { FOLDER, useAgent } from './useAgent.ts';

const END: Step = { stop: 'end_turn' };

const message = (text: string): Step => ({
	update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
});

/** An agent that can continue earlier sessions. */
const CAPABLE = {
	protocolVersion: 1,
	agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } },
};

const modesOf = ({ agentOptions }: AgentSession) =>
	agentOptions.filter(({ isMode }) => isMode).flatMap(({ values }) => values.map(({ value }) => value));

describe('openAgentSession', () => {
	const agent = useAgent();

	it('introduces itself as a client without files and terminals', async () => {
		await agent.play([{ tell: 'initialize' }, END]);
		const [introduction] = agent.told();
		assert.deepEqual(introduction, {
			protocolVersion: 1,
			clientCapabilities: {
				fs: { readTextFile: false, writeTextFile: false },
				terminal: false,
				_meta: { 'errand/asksAboutServers': true },
				session: { compaction: {}, configOptions: { boolean: {} }, notices: {} },
			},
		});
	});

	it('opens a new session and tells which agent it is', async () => {
		const session = await agent.open();
		assert.equal(session.id, SESSION_ID);
		assert.equal(session.how, 'new');
		assert.deepEqual(session.info, { name: 'Scripted agent', version: '1.2.3' });
		assert.deepEqual(session.agentOptions, []);
	});

	it('passes on how a prompt ended, and takes one prompt after another', async () => {
		const session = await agent.open();
		for (const reason of ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']) {
			assert.equal(await session.prompt(JSON.stringify([{ stop: reason }])), reason);
		}
	});

	it('refuses a prompt while another one runs', async () => {
		const session = await agent.open();
		const running = session.prompt(JSON.stringify([{ cancelled: true }, { stop: 'cancelled' }]));
		await assert.rejects(session.prompt('[]'), /is running/);
		await session.cancel();
		assert.equal(await running, 'cancelled');
	});

	describe('events', () => {
		const other = (events: readonly AgentEvent[]) => events.filter(event => event.type !== 'tool');

		it('come for messages, thoughts, plans, usage and what is unknown, in their order', async () => {
			const steps: Step[] = [
				{ update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } } },
				message('Hello'),
				{
					update: { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '', mimeType: 'image/png' } },
				},
				{
					update: {
						sessionUpdate: 'plan',
						entries: [
							{ content: 'Look\naround', priority: 'high', status: 'completed' },
							{ content: 'Write', priority: 'sometime', status: 'soon' },
							{ priority: 'low' },
						],
					},
				},
				{
					update: { sessionUpdate: 'usage_update', used: 53_000, size: 200_000, cost: { amount: 1, currency: 'USD' } },
				},
				{ update: { sessionUpdate: 'available_commands_update', availableCommands: [] } },
				{ update: { sessionUpdate: 'something\u0007 new' } },
				END,
			];
			await agent.play(steps);
			assert.deepEqual(other(agent.events), [
				{ type: 'thought', text: 'Hm.' },
				{ type: 'message', text: 'Hello' },
				{
					type: 'other',
					kind: 'agent_message_chunk',
					text: '{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":"image/png"}}',
				},
				{
					type: 'plan',
					entries: [
						{ content: 'Look around', status: 'completed' },
						{ content: 'Write', status: 'pending' },
					],
				},
				{ type: 'usage', used: 53_000, size: 200_000, cost: { amount: 1, currency: 'USD' } },
				{ type: 'commands', commands: [] },
				{ type: 'other', kind: 'something new', text: '{"sessionUpdate":"something\\u0007 new"}' },
			]);
		});

		it('leave out what cannot be read, and the session goes on', async () => {
			const updates: Record<string, unknown>[] = [
				{},
				{ sessionUpdate: 7 },
				{ sessionUpdate: 'agent_message_chunk' },
				{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
				{ sessionUpdate: 'tool_call' },
				{ sessionUpdate: 'tool_call', toolCallId: 7, title: 'No id' },
				{ sessionUpdate: 'plan', entries: 'none' },
				{ sessionUpdate: 'usage_update', used: -1, size: 'all' },
			];
			await agent.play([...updates.map(update => ({ update })), message('Still here'), END]);
			assert.deepEqual(agent.events, [{ type: 'message', text: 'Still here' }]);
		});

		it('merge what is told of a tool call, whichever kind of update comes first', async () => {
			const call = (update: Record<string, unknown>, sessionUpdate = 'tool_call_update'): Step => ({
				update: { sessionUpdate, toolCallId: 'call-1', ...update },
			});
			const diff = { type: 'diff', path: '/srv/clone/a.txt', oldText: 'a', newText: 'b' };
			await agent.play([
				call({ status: 'in_progress' }),
				call({ title: 'Edit\u001b[31m a.txt', kind: 'edit', locations: [{ path: 'a.txt', line: 3 }] }, 'tool_call'),
				call({ status: 'in_progress', title: null }),
				call({ status: 'completed', content: [diff, { type: 'content', content: { type: 'text', text: 'Done' } }] }),
				END,
			]);
			const call1 = {
				id: 'call-1',
				title: '',
				kind: 'other',
				status: 'in_progress',
				locations: [],
				diffs: [],
				output: '',
			};
			const call2 = { ...call1, title: 'Edit a.txt', kind: 'edit', locations: [{ path: 'a.txt', line: 3 }] };
			const { type: _, ...edit } = diff;
			assert.deepEqual(agent.events, [
				{ type: 'tool', call: call1, isNew: true, changed: ['status'] },
				{ type: 'tool', call: call2, isNew: false, changed: ['title', 'kind', 'locations'] },
				{
					type: 'tool',
					call: { ...call2, status: 'completed', diffs: [edit], output: 'Done' },
					isNew: false,
					changed: ['status', 'diffs', 'output'],
				},
			]);
		});

		it('come only while a prompt runs', async () => {
			const early = { result: { sessionId: SESSION_ID }, steps: [message('Too early')] };
			const session = await agent.open({ answers: { initialize: { result: CAPABLE }, 'session/new': early } });
			await session.prompt(JSON.stringify([message('In time'), { stop: 'end_turn', steps: [message('Too late')] }]));
			// The reply to this comes after everything else.
			await session.close();
			const texts = agent.events.map(event => (event.type === 'message' ? event.text : event.type));
			assert.deepEqual(texts, ['In time']);
		});

		it('end the session with the error of a listener that throws', async () => {
			const reason = new Error('no room');
			const onEvent = () => {
				throw reason;
			};
			await assert.rejects(agent.play([message('Hello'), { cancelled: true }], { onEvent }), reason);
		});
	});

	describe('an earlier session', () => {
		const replay = [message('This was said before')];

		it('is resumed if the agent can', async () => {
			const answers = { initialize: { result: CAPABLE }, 'session/resume': { result: {}, steps: replay } };
			const session = await agent.open({ answers }, { earlier: 'session-0' });
			assert.equal(session.how, 'resumed');
			assert.equal(session.id, 'session-0');
			assert.deepEqual(agent.events, []);
		});

		it('is loaded if it cannot be resumed, and what the agent repeats is no event', async () => {
			const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
			const answers = {
				initialize: { result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
				'session/load': { result: { modes }, steps: [...replay, { ...replay[0], session: 'session-0' } as Step] },
			};
			const session = await agent.open({ answers }, { earlier: 'session-0' });
			assert.equal(session.how, 'loaded');
			assert.deepEqual(modesOf(session), ['ask']);
			assert.deepEqual(agent.events, []);
		});

		it('gives way to a new one if the agent fails at both', async () => {
			const error = { code: -32_603, message: 'Internal error' };
			const answers = { initialize: { result: CAPABLE }, 'session/resume': { error }, 'session/load': { error } };
			const session = await agent.open({ answers }, { earlier: 'session-0' });
			assert.equal(session.how, 'new');
			assert.equal(session.id, SESSION_ID);
			await session.prompt(JSON.stringify([{ tell: 'methods' }, END]));
			assert.deepEqual(agent.told(), [
				['initialize', 'session/resume', 'session/load', 'session/new', 'session/prompt'],
			]);
		});

		it('is not asked for if the agent can do neither', async () => {
			const session = await agent.open({}, { earlier: 'session-0' });
			assert.equal(session.how, 'new');
		});
	});

	describe('a mode', () => {
		const modes = {
			currentModeId: 'ask',
			availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }, { name: 'Nameless' }],
		};
		const answers = { 'session/new': { result: { sessionId: SESSION_ID, modes } } };

		it('is set after the start, the first of several names that the agent has', async () => {
			const session = await agent.open({ answers }, { modes: ['free', 'code', 'ask'] });
			assert.deepEqual(modesOf(session), ['ask', 'code']);
			assert.equal(session.agentOptions.find(({ isMode }) => isMode)?.value, 'code');
			await session.prompt(JSON.stringify([{ tell: 'methods' }, END]));
			assert.deepEqual(agent.told(), [['initialize', 'session/new', 'session/set_mode', 'session/prompt']]);
		});

		it('fails with the names of those that there are, if it is unknown', async () => {
			await agent.fails(
				agent.open({ answers }, { modes: ['yolo', 'free'] }),
				'unknown-mode',
				/no mode "yolo" or "free"; it has ask, code\. Use another version of it, or name a mode that it has/,
			);
			await agent.fails(agent.open({}, { modes: ['yolo'] }), 'unknown-mode', /it has no modes\./);
		});
	});

	describe('what was chosen of its options', () => {
		const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'plan' }] };
		const select = (others: Record<string, unknown>) => ({
			type: 'select',
			id: 'thinking',
			name: 'Thinking\nlevel',
			currentValue: 'low',
			options: [{ value: 'low', name: 'Low' }],
			...others,
		});
		const grouped = [
			{ group: 'a', name: 'A', options: [{ value: 'low', name: 'Low' }] },
			{ group: 'b', name: 'B', options: [{ value: 'high', name: 'High' }, { value: 7 }] },
		];
		const toggle = { type: 'boolean', id: 'web', name: 'Web', currentValue: true };
		const opened = (configOptions: unknown, others: Record<string, unknown> = { modes }) => ({
			answers: { 'session/new': { result: { sessionId: SESSION_ID, configOptions, ...others } } },
		});

		it('is read from modes, lists and switches, and what does not fit is left out', async () => {
			const model = select({ id: 'model', category: 'model' });
			const { agentOptions } = await agent.open(
				opened([select({ options: grouped }), toggle, model, { type: 'slider', id: 'x', name: 'X' }, null, 7]),
			);
			const values = (...names: string[]) => names.map(name => ({ value: name.toLowerCase(), name }));
			assert.deepEqual(agentOptions, [
				{
					id: 'mode',
					name: 'Mode',
					kind: 'modes',
					isMode: true,
					value: 'ask',
					values: [
						{ value: 'ask', name: 'Ask' },
						{ value: 'plan', name: 'plan' },
					],
				},
				{
					id: 'thinking',
					name: 'Thinking level',
					kind: 'list',
					isMode: false,
					value: 'low',
					values: values('Low', 'High'),
				},
				{
					id: 'web',
					name: 'Web',
					kind: 'switch',
					isMode: false,
					value: 'on',
					values: ['on', 'off'].map(value => ({ value, name: value })),
				},
			]);
			assert.deepEqual((await agent.open(opened('none', { modes: 'all' }))).agentOptions, []);
		});

		it('has the modes once where the agent tells them twice', async () => {
			const { agentOptions } = await agent.open(opened([select({ id: 'agent', category: 'mode' })]));
			assert.deepEqual(
				agentOptions.map(({ id, kind, isMode }) => [id, kind, isMode]),
				[['agent', 'list', true]],
			);
		});

		it('is set after the start, and nothing that is set already', async () => {
			const chosen = { mode: 'plan', thinking: 'low', web: 'off' };
			const session = await agent.open(opened([select({}), toggle]), { chosen, modes: ['ask'] });
			assert.deepEqual(
				session.agentOptions.map(({ value }) => value),
				['plan', 'low', 'off'],
			);
			await session.prompt(JSON.stringify([{ tell: 'methods' }, END]));
			assert.deepEqual(agent.told(), [
				['initialize', 'session/new', 'session/set_mode', 'session/set_config_option', 'session/prompt'],
			]);
		});

		it('fails with its name where the agent has it no more', async () => {
			const sentence = /has "max" for "Thinking level" no more\. Choose something else/;
			await agent.fails(agent.open(opened([select({})]), { chosen: { thinking: 'max' } }), 'unknown-mode', sentence);
			await agent.fails(agent.open({}, { chosen: { gone: 'x' } }), 'unknown-mode', /has "x" for "gone" no more/);
		});
	});

	describe('cancel', () => {
		it('ends the prompt and leaves the session open', async () => {
			const session = await agent.open();
			await session.cancel();
			const running = session.prompt(JSON.stringify([message('Working'), { cancelled: true }, { stop: 'cancelled' }]));
			await waitFor('the first message', () => agent.events.length > 0);
			await Promise.all([session.cancel(), session.cancel()]);
			assert.equal(await running, 'cancelled');
			assert.equal(await session.prompt(JSON.stringify([END])), 'end_turn');
		});

		it('takes an error as the end of a prompt that was cancelled', async () => {
			const session = await agent.open();
			const error = { code: -32_800, message: 'Request cancelled' };
			const running = session.prompt(JSON.stringify([{ cancelled: true }, { error }]));
			await session.cancel();
			assert.equal(await running, 'cancelled');
		});

		it('resolves when the agent has ended instead', async () => {
			const session = await agent.open();
			const running = session.prompt(JSON.stringify([{ cancelled: true }, { exit: 4 }]));
			await Promise.all([session.cancel(), agent.fails(running, 'exited', /exit code 4/)]);
		});
	});

	describe('close', () => {
		it('closes the session where the agent can, and ends the process', async () => {
			const closing = { result: {}, steps: [{ standardError: 'closing\n' }] };
			const child = agent.start(
				scriptedAgentArguments({ answers: { initialize: { result: CAPABLE }, 'session/close': closing } }),
			);
			let written = '';
			child.stderr.on('data', bytes => {
				written += bytes;
			});
			const session = await agent.open({}, { child });
			await Promise.all([session.close(), session.close()]);
			await child.ended;
			assert.equal(written, 'closing\n');
			await assert.rejects(session.prompt('[]'), /was closed/);
		});

		it('does not wait for ever for an agent that does not answer it', async () => {
			const child = agent.start(
				scriptedAgentArguments({ answers: { initialize: { result: CAPABLE }, 'session/close': null } }),
			);
			const session = await agent.open({}, { child, limits: { closeMs: 100 } });
			await session.close();
			await child.ended;
		});
	});

	describe('abort', () => {
		it('ends the agent and rejects with the reason, at any time', async () => {
			const reason = new Error('stopped');
			for (const method of ['initialize', 'session/new', 'session/prompt']) {
				const controller = new AbortController();
				const answers = {
					[method]: { result: null, steps: [{ standardError: method }, { cancelled: true as const }] },
				};
				const child = agent.start(scriptedAgentArguments({ answers }));
				const running = agent.open({}, { child, signal: controller.signal }).then(session => session.prompt('[]'));
				const rejected = assert.rejects(running, reason);
				await new Promise(resolve => child.stderr.once('data', resolve));
				controller.abort(reason);
				await rejected;
				await child.ended;
			}
		});

		it('ends the agent while nothing runs', async () => {
			const controller = new AbortController();
			const reason = new Error('stopped');
			const child = agent.start(scriptedAgentArguments());
			const session = await agent.open({}, { child, signal: controller.signal });
			controller.abort(reason);
			await child.ended;
			await assert.rejects(session.prompt('[]'), reason);
			await session.close();
		});

		it('ends the agent if it happened before', async () => {
			const reason = new Error('stopped');
			const child = agent.start(scriptedAgentArguments());
			await assert.rejects(agent.open({}, { child, signal: AbortSignal.abort(reason) }), reason);
			await child.ended;
		});
	});

	it('tells the agent the folder that it works in', async () => {
		const child = agent.start([
			'-e',
			`require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
				const { id, method, params } = JSON.parse(line);
				const result = { protocolVersion: 1, sessionId: params.cwd + '|' + JSON.stringify(params.mcpServers) };
				console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
			});`,
		]);
		assert.equal((await agent.open({}, { child })).id, `${FOLDER}|[]`);
	});
});
