import assert from 'node:assert/strict';
import { SESSION_ID, type Step } from '../../../support/scriptedAgent.ts';
import { useAgent } from './useAgent.ts';

type Json = Record<string, unknown>;

const END: Step = { stop: 'end_turn' };
const update = (sessionUpdate: string, others: Json = {}): Step => ({ update: { sessionUpdate, ...others } });
const select = (currentValue: string, others: Json = {}) => ({
	type: 'select',
	id: 'thinking',
	name: 'Thinking',
	currentValue,
	options: [
		{ value: 'low', name: 'Low' },
		{ value: 'high', name: 'High' },
	],
	...others,
});
const MODES = {
	currentModeId: 'ask',
	availableModes: [
		{ id: 'ask', name: 'Ask' },
		{ id: 'bypass', name: 'Bypass\u001b[31m all' },
	],
};

describe('what an agent tells of its session', () => {
	const agent = useAgent();
	const opened = (steps: Step[], result: Json = {}) => ({
		answers: { 'session/new': { result: { sessionId: SESSION_ID, ...result }, steps } },
	});
	const of = (type: string) => agent.events.filter(event => event.type === type);
	const valuesOf = (event: unknown) =>
		(event as { options: { id: string; value: string }[] }).options.map(({ id, value }) => [id, value]);

	it('is known before the first prompt, and only what was told last', async () => {
		const commands = (name: string) =>
			update('available_commands_update', { availableCommands: [{ name, description: '' }] });
		const session = await agent.open(
			opened([commands('old'), commands('new'), update('config_option_update', { configOptions: [select('high')] })], {
				configOptions: [select('low')],
			}),
		);
		await session.prompt(JSON.stringify([END]));
		assert.deepEqual(of('commands'), [{ type: 'commands', commands: [{ name: 'new', description: '' }] }]);
		assert.deepEqual(of('options').map(valuesOf), [[['thinking', 'high']]]);
		assert.deepEqual(session.agentOptions[0]?.value, 'high');
	});

	it('has the commands that can be typed, on one line', async () => {
		const availableCommands = [
			{ name: 'review', description: 'Looks\nat it', input: { hint: 'a\u0007 branch' } },
			{ name: 'mcp:docs:find', description: 7 },
			{ name: 'two words', description: 'x' },
			{ name: 'hid\u200bden', description: 'x' },
			{ name: 'x'.repeat(101), description: 'x' },
			{ description: 'Nameless' },
			null,
		];
		await agent.play([update('available_commands_update', { availableCommands }), END]);
		assert.deepEqual(of('commands'), [
			{
				type: 'commands',
				commands: [
					{ name: 'review', description: 'Looks at it', hint: 'a branch' },
					{ name: 'mcp:docs:find', description: '' },
				],
			},
		]);
	});

	it('has a change of the mode as a step of the work, with what can be chosen', async () => {
		const bypass = update('current_mode_update', { currentModeId: 'bypass' });
		const session = await agent.open(opened([], { modes: MODES }));
		await session.prompt(
			JSON.stringify([bypass, bypass, update('current_mode_update', { currentModeId: 'gone' }), END]),
		);
		assert.deepEqual(of('options').map(valuesOf), [[['mode', 'bypass']]]);
		const steps = agent.events.flatMap(event => (event.type === 'tool' ? [[event.call.kind, event.call.title]] : []));
		assert.deepEqual(steps, [['switch_mode', 'Bypass all']]);
	});

	it('keeps the modes that are no option where the options change', async () => {
		const session = await agent.open(opened([], { modes: MODES, configOptions: [select('low')] }));
		const configOptions = [{ type: 'boolean', id: 'web', name: 'Web', currentValue: true }];
		await session.prompt(
			JSON.stringify([update('config_option_update', { configOptions }), update('config_option_update'), END]),
		);
		assert.deepEqual(of('options').map(valuesOf), [
			[
				['mode', 'ask'],
				['web', 'on'],
			],
		]);
	});

	it('has its title and its cost', async () => {
		const usage = (cost: unknown) => update('usage_update', { used: 1, size: 2, cost });
		await agent.play([
			update('session_info_update', { title: 'Fix\nlogin', updatedAt: 'now' }),
			update('session_info_update', { title: null }),
			usage({ amount: 0.25, currency: 'USD' }),
			usage({ amount: -1, currency: 'USD' }),
			usage({ amount: 1 }),
			END,
		]);
		assert.deepEqual(of('title'), [{ type: 'title', title: 'Fix login' }]);
		assert.deepEqual(of('usage'), [
			{ type: 'usage', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } },
			{ type: 'usage', used: 1, size: 2 },
			{ type: 'usage', used: 1, size: 2 },
		]);
	});

	it('has notices and compactions as steps', async () => {
		const chunk = (text: string) =>
			update('compaction_summary_chunk', { compactionId: 'one', content: { type: 'text', text } });
		await agent.play([
			update('notice', { severity: 'warning', title: 'Rate\nlimit', description: 'Wait.' }),
			update('notice', { severity: 'error', title: 'Broken' }),
			update('notice', { severity: 'info' }),
			chunk('First. '),
			chunk('Second.'),
			update('compaction_update', { compactionId: 'one', status: 'completed' }),
			update('compaction_update', { compactionId: 'two', status: 'failed', error: 'No room' }),
			update('compaction_update', { compactionId: 7, status: 'failed' }),
			END,
		]);
		const calls = new Map(agent.events.flatMap(event => (event.type === 'tool' ? [[event.call.id, event.call]] : [])));
		assert.deepEqual(
			[...calls.values()].map(({ kind, title, status, output }) => [kind, title, status, output]),
			[
				['notice', 'Rate limit', 'completed', 'Wait.'],
				['notice', 'Broken', 'failed', ''],
				['compact', '', 'completed', 'First. Second.'],
				['compact', '', 'failed', 'No room'],
			],
		);
	});

	it('keeps the beginning of what is not understood', async () => {
		await agent.play([
			update('telepathy', { thought: 'x'.repeat(10_000) }),
			update('agent_message_chunk', { content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } }),
			END,
		]);
		const [first, second] = of('other') as { kind: string; text: string }[];
		assert.equal(first?.text.length, 2_000);
		assert.match(first?.text ?? '', /^\{"sessionUpdate":"telepathy","thought":"xxx/);
		assert.equal(second?.kind, 'agent_message_chunk');
		assert.match(second?.text ?? '', /audio\/wav/);
	});

	it('is passed over where it is that of another session', async () => {
		const step = update('available_commands_update', { availableCommands: [{ name: 'a', description: '' }] });
		await agent.play([{ ...step, session: 'other' } as Step, END]);
		assert.deepEqual(agent.events, []);
	});
});
