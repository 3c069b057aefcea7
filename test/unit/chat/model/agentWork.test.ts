import assert from 'node:assert/strict';
import type { ToolCall } from '../../../../src/agents/session/events.ts';
import {
	type AgentWork,
	endedWork,
	MAXIMUM_KEPT,
	MAXIMUM_OUTPUT,
	MAXIMUM_STEPS,
	markFiles,
	type WorkMoment,
	waitingStep,
	withAgentEvent,
	withAnswer,
	withCall,
	withQuestion,
} from '../../../../src/chat/model/agentWork.ts';
import { AGENT_WORK } from '../conversations.ts';

const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
	id: 'one',
	title: 'npm test',
	kind: 'execute',
	status: 'pending',
	locations: [],
	diffs: [],
	output: '',
	...fields,
});

const moment = (fields: Partial<WorkMoment> = {}): WorkMoment => ({
	offset: 0,
	now: 1_000,
	shownPath: path => path.replace('/project/', ''),
	shownTitle: title => title.replaceAll('/project/', ''),
	...fields,
});

describe('the work of an agent', () => {
	it('is not asked about as a call of an MCP server’s tool where the agent asks about the same step itself', () => {
		const tool = call({
			kind: 'other',
			title: 'MCP tool sums/add',
			mcpTool: { name: 'sums/add', digest: '1' },
			mcpHost: 'mcp.example',
			input: '{}',
		});
		const called = withCall(AGENT_WORK, tool, moment());
		assert.equal(withQuestion(called, tool, { state: 'waiting' }, moment()).steps[0]?.mcpTool, 'sums/add');
		const told = withCall(called, call({ title: 'add' }), moment()).steps[0];
		assert.deepEqual([told?.mcpTool, told?.mcpHost], ['sums/add', 'mcp.example']);
		const asked = withQuestion(called, call({ kind: 'edit' }), { state: 'waiting' }, moment()).steps[0];
		assert.deepEqual([asked?.mcpTool, asked?.mcpHost], [undefined, undefined]);
	});

	it('has one step for each call, at the place of the text where it began, whatever is told of it later', () => {
		let work = withCall(AGENT_WORK, call(), moment({ offset: 7 }));
		work = withCall(work, call({ id: 'two', kind: 'read', title: 'Read a.ts' }), moment({ offset: 9, now: 2_000 }));
		work = withCall(work, call({ status: 'completed', output: 'ok' }), moment({ offset: 20, now: 3_000 }));
		assert.deepEqual(
			work.steps.map(({ id, offset, state, startedAt, endedAt, output }) => [
				id,
				offset,
				state,
				startedAt,
				endedAt,
				output,
			]),
			[
				['one', 7, 'done', 1_000, 3_000, 'ok'],
				['two', 9, 'running', 2_000, undefined, undefined],
			],
		);
		const again = withCall(work, call({ status: 'completed', output: 'ok' }), moment({ now: 9_000 }));
		assert.equal(again.steps[0]?.endedAt, 3_000);
	});

	it('names files from the agent’s folder, and keeps changes with what was before', () => {
		const { steps } = withCall(
			AGENT_WORK,
			call({
				kind: 'edit',
				title: 'Edit /project/src/a.ts',
				locations: [{ path: '/project/src/a.ts', line: 3 }],
				diffs: [
					{ path: '/project/src/a.ts', oldText: 'a', newText: 'b' },
					{ path: '/project/new.ts', newText: 'c' },
				],
			}),
			moment(),
		);
		assert.equal(steps[0]?.title, 'Edit src/a.ts');
		assert.deepEqual(steps[0]?.locations, [{ path: 'src/a.ts', line: 3 }]);
		assert.deepEqual(steps[0]?.diffs, [
			{ path: 'src/a.ts', before: 'a', after: 'b' },
			{ path: 'new.ts', after: 'c' },
		]);
	});

	it('keeps the end of a long output, and gives up the texts of the oldest steps when they are too many', () => {
		const long = `${'x'.repeat(MAXIMUM_OUTPUT)}the end`;
		let work = withCall(AGENT_WORK, call({ output: long }), moment());
		assert.equal(work.steps[0]?.output?.length, MAXIMUM_OUTPUT + 1);
		assert.match(work.steps[0]?.output ?? '', /^…x+the end$/);
		const count = Math.ceil(MAXIMUM_KEPT / MAXIMUM_OUTPUT) + 2;
		for (let at = 0; at < count; at++) {
			work = withCall(work, call({ id: `step ${at}`, output: long }), moment());
		}
		assert.equal(work.steps.length, count + 1);
		assert.equal(work.steps[0]?.output, undefined);
		assert.ok(work.steps.at(-1)?.output);
		const kept = work.steps.reduce((sum, { output = '' }) => sum + output.length, 0);
		assert.ok(kept <= MAXIMUM_KEPT);
	});

	it('counts the steps that it does not keep, once each', () => {
		let work = AGENT_WORK;
		for (let at = 0; at < MAXIMUM_STEPS + 3; at++) {
			const id = `step ${at}`;
			work = withCall(work, call({ id }), moment());
			work = withCall(work, call({ id, status: at % 2 === 0 ? 'completed' : 'failed' }), moment());
		}
		assert.equal(work.steps.length, MAXIMUM_STEPS);
		assert.equal(work.further, 3);
	});

	it('has the plan that was told last, and ignores what it does not show', () => {
		const entries = [{ content: 'Look', status: 'in_progress' as const }];
		const work = withAgentEvent(AGENT_WORK, { type: 'plan', entries }, moment());
		assert.equal(work.plan, entries);
		const full = withAgentEvent(work, { type: 'usage', used: 1, size: 2 }, moment());
		assert.deepEqual(full, { ...work, context: { used: 1, size: 2 } });
		assert.equal(withAgentEvent(full, { type: 'usage', used: 1, size: 2 }, moment()), full);
	});

	it('asks about a call with what it is called with, also one that nothing was told of, and forgets that after the answer', () => {
		const asked = withQuestion(AGENT_WORK, call({ input: '{"command":"npm test"}' }), { state: 'waiting' }, moment());
		assert.equal(waitingStep(asked)?.input, '{"command":"npm test"}');
		const answered = withAnswer(asked, call(), { state: 'once' }, moment());
		assert.equal(waitingStep(answered), undefined);
		assert.deepEqual(answered.steps[0]?.approval, { state: 'once' });
	});

	it('asks with what the call says now and not with what was told before, however much was told between', () => {
		const diff = (path: string) => ({ path, newText: 'x'.repeat(60_000) });
		let work = withCall(
			AGENT_WORK,
			call({ id: 'asked', command: undefined, kind: 'edit', diffs: [diff('old.ts')] }),
			moment(),
		);
		for (let at = 0; at < 40; at++) {
			work = withCall(work, call({ id: `other ${at}`, diffs: [diff('long.ts')] }), moment());
		}
		const now = call({ id: 'asked', command: undefined, kind: 'edit', diffs: [diff('new.ts')] });
		const asked = withQuestion(work, now, { state: 'waiting' }, moment());
		assert.deepEqual(
			waitingStep(asked)?.diffs?.map(({ path }) => path),
			['new.ts'],
		);
		const nothing = withQuestion(work, { ...now, diffs: [], input: '{"a":1}' }, { state: 'waiting' }, moment());
		assert.deepEqual([waitingStep(nothing)?.diffs, waitingStep(nothing)?.input], [undefined, '{"a":1}']);
	});

	it('has a question for each step that asks, also where no more steps are kept', () => {
		let work: AgentWork = AGENT_WORK;
		for (let at = 0; at < MAXIMUM_STEPS; at++) {
			work = withCall(work, call({ id: `step ${at}` }), moment());
		}
		const asked = withQuestion(work, call({ id: 'further' }), { state: 'waiting' }, moment());
		assert.equal(waitingStep(asked)?.id, 'further');
	});

	it('keeps what was shown with a question, whatever the agent tells of it later', () => {
		const shown = [{ path: 'a.ts', before: 'a\n', after: 'b\n' }];
		let work = withQuestion(AGENT_WORK, call({ kind: 'edit' }), { state: 'waiting' }, moment(), shown);
		work = withAnswer(work, call({ kind: 'edit' }), { state: 'once' }, moment());
		for (const diffs of [[], [{ path: 'b.ts', newText: 'other' }]]) {
			assert.deepEqual(withCall(work, call({ kind: 'edit', diffs }), moment()).steps[0]?.diffs, shown);
		}
	});

	it('has nothing running when it has ended, and nothing that waits was allowed', () => {
		let work = withCall(AGENT_WORK, call({ id: 'done', status: 'completed' }), moment());
		work = withCall(work, call({ id: 'running' }), moment());
		work = withQuestion(work, call({ id: 'asked' }), { state: 'waiting' }, moment());
		const ended = endedWork(work, 5_000);
		assert.deepEqual(
			ended.steps.map(({ id, state, approval, endedAt }) => [id, state, approval?.state, endedAt]),
			[
				['done', 'done', undefined, 1_000],
				['running', 'stopped', undefined, 5_000],
				['asked', 'stopped', 'unanswered', 5_000],
			],
		);
		assert.equal(endedWork(ended, 9_000), ended);
	});

	it('says which files were taken, and not any more when they were taken back', () => {
		const work = {
			...AGENT_WORK,
			files: [
				{ path: 'a', status: 'M' as const },
				{ path: 'b', status: 'A' as const },
			],
		};
		const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
		const other = { repository: '/s', before: one };
		const taken = markFiles(
			{ ...work, checkpoints: [{ repository: '/r', before: one }, other] },
			{ repository: '/r', paths: ['b'], isTaken: true, taken: two },
		);
		assert.deepEqual(taken.checkpoints, [{ repository: '/r', before: one, taken: two }, other]);
		assert.deepEqual(taken.files, [
			{ path: 'a', status: 'M' },
			{ path: 'b', status: 'A', isTaken: true },
		]);
		assert.deepEqual(markFiles(taken, { repository: '/r', paths: ['a'], isTaken: true, taken: two }).files, [
			{ path: 'a', status: 'M', isTaken: true },
			{ path: 'b', status: 'A', isTaken: true },
		]);
		assert.deepEqual(markFiles(taken, { repository: '/r', paths: ['b'], isTaken: false, taken: one }).files, [
			{ path: 'a', status: 'M' },
			{ path: 'b', status: 'A', isUndone: true },
		]);
	});

	it('shows what is asked as it was asked, whatever the agent tells meanwhile', () => {
		const asked = withQuestion(AGENT_WORK, call({ command: 'ls' }), { state: 'waiting' }, moment());
		assert.equal(withCall(asked, call({ command: 'rm -rf .', title: 'ls' }), moment()), asked);
		const answered = withAnswer(asked, call({ command: 'ls' }), { state: 'once' }, moment());
		assert.equal(withCall(answered, call({ command: 'ls -l' }), moment()).steps[0]?.command, 'ls -l');
	});

	it('keeps what is asked, however much comes after it, and of the others nothing but titles', () => {
		const long = (id: string) => call({ id, command: `echo ${'x'.repeat(60_000)}` });
		let work = withQuestion(AGENT_WORK, long('asked'), { state: 'waiting' }, moment());
		for (let count = 0; count < 60; count++) {
			work = withCall(work, long(`later ${count}`), moment());
		}
		assert.ok((work.steps[0]?.command?.length ?? 0) > 60_000);
		assert.equal(work.steps[1]?.command, undefined);
		assert.ok(JSON.stringify(work).length < 2_200_000);
	});
});
