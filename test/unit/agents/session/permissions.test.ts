import assert from 'node:assert/strict';
import type { PermissionAnswer } from '../../../../src/agents/session/events.ts';
import { permissionInside } from '../../../../src/agents/session/permissionInside.ts';
import type { PermissionPolicy } from '../../../../src/agents/session/permissions.ts';
import type { Step } from '../../../support/scriptedAgent.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { FOLDER, useAgent } from './useAgent.ts';

const OPTIONS = [
	{ optionId: 'yes', name: 'Allow', kind: 'allow_once' },
	{ optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const END: Step = { stop: 'end_turn' };

const ask = (toolCall: Record<string, unknown>, rest: Record<string, unknown> = {}, times = 1): Step => ({
	request: 'session/request_permission',
	params: { toolCall: { toolCallId: 'call-1', ...toolCall }, options: OPTIONS, ...rest },
	times,
});

describe('permissions of a session', () => {
	const agent = useAgent();

	/** What the agent was answered, in order: the id of an option, or the outcome, or the code of an error. */
	const answers = () =>
		agent
			.told()
			.map(({ result, error }) => result?.outcome.optionId ?? result?.outcome.outcome ?? error?.code ?? 'nothing');

	const permissions = () => agent.events.flatMap(event => (event.type === 'permission' ? [event] : []));

	it('are decided by the policy, with what was told of the tool call before, and the answer is an event', async () => {
		const edit = { toolCallId: 'call-1', title: 'Edit a.txt', kind: 'edit', locations: [{ path: 'a.txt' }] };
		await agent.play(
			[
				{ update: { sessionUpdate: 'tool_call', ...edit } },
				ask({ status: 'pending' }),
				ask({ locations: [{ path: '/etc/passwd' }] }),
				{ answered: true },
				END,
			],
			{ decide: permissionInside(FOLDER) },
		);
		assert.deepEqual(answers(), ['yes', 'no']);
		const [allowed, rejected] = permissions();
		assert.equal(allowed?.request.call.title, 'Edit a.txt');
		assert.deepEqual(allowed?.request.options[0], { id: 'yes', name: 'Allow', kind: 'allow_once' });
		assert.deepEqual(allowed?.answer, {
			option: 'yes',
			reason: 'Everything that it names is inside the folders of the task.',
		});
		assert.equal(rejected?.answer.reason, 'It names a path outside the folders of the task.');
	});

	it('are not given if a path was left out because it cannot be read', async () => {
		const inside = { path: 'a.txt' };
		const long = { path: `/srv/clone/${'x'.repeat(5_000)}` };
		await agent.play(
			[
				ask({ kind: 'edit', locations: [inside, { path: 7 }] }),
				ask({ kind: 'edit', locations: [inside, long] }),
				ask({ kind: 'edit', locations: Array.from({ length: 101 }, () => inside) }),
				ask({ kind: 'edit', locations: [inside], content: [{ type: 'diff', path: ['/etc'], newText: '' }] }),
				ask({ kind: 'edit', locations: [inside], content: [null] }),
				{ answered: true },
				END,
			],
			{ decide: permissionInside(FOLDER) },
		);
		assert.deepEqual(answers(), ['no', 'no', 'no', 'no', 'no']);
	});

	it('say what is too long to be shown, and are given if no user is asked who would have to see it', async () => {
		const long = 'x'.repeat(70_000);
		const inside = { kind: 'edit', locations: [{ path: 'a.txt' }] };
		await agent.play(
			[
				ask({ ...inside, rawInput: { content: long } }),
				ask({ ...inside, content: [{ type: 'diff', path: 'a.txt', newText: long }] }),
				ask({
					...inside,
					rawInput: { content: 'short' },
					content: [{ type: 'diff', path: 'a.txt', newText: 'short' }],
				}),
				{ answered: true },
				END,
			],
			{ decide: permissionInside(FOLDER) },
		);
		assert.deepEqual(answers(), ['yes', 'yes', 'yes']);
		assert.deepEqual(
			permissions().map(({ request: { call } }) => [call.isInputCut, call.diffs[0]?.isCut]),
			[
				[true, undefined],
				[undefined, true],
				[undefined, undefined],
			],
		);
	});

	it('have the command that was told before, and say that it is not known where a longer one followed', async () => {
		const tell = (rawInput: unknown): Step => ({
			update: { sessionUpdate: 'tool_call_update', toolCallId: 'call-1', kind: 'execute', rawInput },
		});
		await agent.play(
			[
				tell({ command: 'ls' }),
				ask({ rawInput: {} }),
				tell({ command: `ls ${'x'.repeat(70_000)}; rm -rf .` }),
				ask({ title: 'ls' }),
				{ answered: true },
				END,
			],
			{ decide: () => ({ option: 'no' }) },
		);
		assert.deepEqual(
			permissions().map(({ request: { call } }) => [call.command, call.isInputCut]),
			[
				['ls', undefined],
				[undefined, true],
			],
		);
	});

	it('count as cancelled if the request cannot be read, or is for another session', async () => {
		let asked = 0;
		const decide = () => {
			asked++;
			return { option: 'yes' };
		};
		await agent.play(
			[
				ask({ toolCallId: undefined }),
				ask({ toolCallId: 7 }),
				ask({}, { toolCall: null }),
				ask({}, { options: 'all' }),
				ask({}, { sessionId: 'session-2' }),
				{ answered: true },
				END,
			],
			{ decide },
		);
		assert.deepEqual(answers(), ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'cancelled']);
		assert.equal(asked, 0);
	});

	it('count as cancelled if the answer is none of the options', async () => {
		await agent.play([ask({}), { answered: true }, END], { decide: () => ({ option: 'always' }) });
		assert.deepEqual(answers(), ['cancelled']);
	});

	it('are decided one after another, however many are asked for at once', async () => {
		let open = 0;
		let most = 0;
		const decide = async (): Promise<PermissionAnswer> => {
			open++;
			most = Math.max(most, open);
			await new Promise(resolve => setImmediate(resolve));
			open--;
			return { option: 'no' };
		};
		await agent.play([ask({}, {}, 2_000), { answered: true }, END], { decide });
		assert.equal(most, 1);
		assert.deepEqual(new Set(answers()), new Set(['no']));
		const ids = agent.told().map(({ id }) => id);
		assert.deepEqual(
			ids,
			Array.from({ length: 2_000 }, (_, index) => index + 1),
		);
	});

	it('are answered as cancelled when the prompt is cancelled, and the policy is told', async () => {
		let asked: AbortSignal | undefined;
		const decide: PermissionPolicy = (_, signal) => {
			asked ??= signal;
			return new Promise(() => {});
		};
		const session = await agent.open({}, { decide });
		const steps: Step[] = [ask({}, {}, 300), { cancelled: true }, { answered: true }, { stop: 'cancelled' }];
		const running = session.prompt(JSON.stringify(steps));
		await waitFor('a question', () => asked);
		await session.cancel();
		assert.equal(await running, 'cancelled');
		assert.deepEqual(new Set(answers()), new Set(['cancelled']));
		assert.equal(answers().length, 300);
		assert.equal(asked?.aborted, true);
	});

	it('are answered as cancelled when the agent takes the request back', async () => {
		const decide = () => new Promise<PermissionAnswer>(() => {});
		const takeBack = JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } });
		await agent.play([ask({}), { line: takeBack }, { answered: true }, END], { decide });
		assert.deepEqual(answers(), ['cancelled']);
	});

	it('end the session with the error of a policy that throws', async () => {
		const reason = new Error('no policy');
		const decide = () => {
			throw reason;
		};
		await assert.rejects(agent.play([ask({}), { cancelled: true }], { decide }), reason);
	});

	it('do not hold for files and terminals: there are none', async () => {
		await agent.play([
			{ request: 'fs/write_text_file', params: { path: '/srv/clone/a.txt', content: '' } },
			{ request: 'fs/read_text_file', params: { path: '/etc/passwd' } },
			{ request: 'terminal/create', params: { command: 'id' } },
			{ request: 'anything/else', params: {} },
			{ answered: true },
			END,
		]);
		assert.deepEqual(answers(), [-32_601, -32_601, -32_601, -32_601]);
	});
});
