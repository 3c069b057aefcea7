import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import type { AgentStep, AgentWork } from '../../../../src/chat/model/agentWork.ts';
import { toStepView, toWorkView, workChanges } from '../../../../src/chat/protocol/toWorkView.ts';
import { AGENT_WORK } from '../conversations.ts';

const step = (fields: Partial<AgentStep> = {}): AgentStep => ({
	id: 'one',
	offset: 0,
	kind: 'edit',
	state: 'running',
	title: 'Edit a.ts',
	startedAt: 0,
	...fields,
});

describe('what the page shows of an agent’s work', () => {
	it('is each step without its output, which can be asked for, and with its lines counted', () => {
		const view = toStepView(
			step({
				output: 'long',
				diffs: [
					{ path: 'a.ts', before: 'a\n', after: 'b\nc\n' },
					{ path: 'n.ts', after: 'x\n' },
				],
			}),
		);
		assert.equal(view.hasOutput, true);
		assert.ok(!JSON.stringify(view).includes('long'));
		assert.deepEqual(view.diffs, [
			{ path: 'a.ts', isNew: false, added: 2, removed: 1 },
			{ path: 'n.ts', isNew: true, added: 1, removed: 0 },
		]);
	});

	it('has what would happen while a question waits, and not any more when it is answered', () => {
		const diffs = [{ path: 'a.ts', before: 'a\n', after: 'b\n' }];
		const waiting = toStepView(step({ diffs, approval: { state: 'waiting', isWritten: true }, input: '{}' }));
		assert.deepEqual(waiting.approval, {
			state: 'waiting',
			isWritten: true,
			changes: [
				{
					path: 'a.ts',
					isNew: false,
					isCut: false,
					lines: [
						{ kind: 'removed', text: 'a' },
						{ kind: 'added', text: 'b' },
					],
				},
			],
		});
		assert.deepEqual(toStepView(step({ diffs, approval: { state: 'once' } })).approval, { state: 'once' });
	});

	it('has the input of a tool where nothing else says what would happen, and says where a change is cut', () => {
		const other = toStepView(step({ kind: 'other', approval: { state: 'waiting' }, input: '{"a":1}' }));
		assert.equal(other.approval?.input, '{"a":1}');
		const command = toStepView(step({ command: 'ls', approval: { state: 'waiting' }, input: '{"command":"ls"}' }));
		assert.equal(command.approval?.input, undefined);
		const elsewhere = '{"command":"ls","cwd":"/elsewhere"}';
		const further = toStepView(step({ command: 'ls', approval: { state: 'waiting' }, input: elsewhere }));
		assert.equal(further.approval?.input, '{"cwd":"/elsewhere"}');
		const after = Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n');
		const long = toStepView(step({ diffs: [{ path: 'a.ts', after }], approval: { state: 'waiting' } }));
		assert.equal(long.approval?.changes?.[0]?.isCut, true);
		assert.ok((long.approval?.changes?.[0]?.lines.length ?? 0) < 100);
		const wide = toStepView(
			step({ diffs: [{ path: 'a.ts', after: `${' '.repeat(1_000)}evil()\n` }], approval: { state: 'waiting' } }),
		);
		assert.equal(wide.approval?.changes?.[0]?.isCut, true);
		const input = JSON.stringify({ text: 'a'.repeat(50_000) });
		assert.equal(toStepView(step({ kind: 'other', approval: { state: 'waiting' }, input })).approval?.input, input);
	});

	it('names folders below the user’s own as people write them', () => {
		const widgets = path.join(os.homedir(), 'code', 'widgets');
		const viewOf = (...folders: string[]) => {
			const checkpoints = folders.map(repository => ({ repository, before: 'a'.repeat(40) }));
			return toWorkView({ ...AGENT_WORK, checkpoints, leftOut: [{ folder: widgets, reason: 'It is large.' }] }, true);
		};
		assert.deepEqual(viewOf(widgets).folders, [{ name: path.join('~', 'code', 'widgets') }]);
		assert.deepEqual(viewOf('/elsewhere').folders, [{ name: '/elsewhere' }]);
		const { folders, leftOut } = viewOf(widgets, '/elsewhere');
		assert.deepEqual(folders, [{ name: path.join('~', 'code', 'widgets') }, { name: '/elsewhere' }]);
		const before = 'a'.repeat(40);
		const apps = ['app', 'app-2'].map((at, index) => ({ repository: `/${index}/app`, at, before }));
		assert.deepEqual(toWorkView({ ...AGENT_WORK, checkpoints: apps }, true).folders, [
			{ at: 'app', name: '/0/app' },
			{ at: 'app-2', name: '/1/app (app-2)' },
		]);
		assert.deepEqual(leftOut, [{ folder: path.join('~', 'code', 'widgets'), reason: 'It is large.' }]);
	});

	it('has the changed files once the agent works no more and something can be done about them', () => {
		const files = [{ path: 'a.ts', status: 'M' as const, added: 1, removed: 0 }];
		const checkpoint = { repository: '/r', before: 'a'.repeat(40) };
		const other = { repository: '/s', before: 'a'.repeat(40) };
		const begun: AgentWork = { ...AGENT_WORK, checkpoints: [other, checkpoint], files, fileCount: 3 };
		assert.equal(toWorkView(begun, true).changes, undefined);
		const kept = { ...begun, checkpoints: [other, { ...checkpoint, after: 'b'.repeat(40) }] };
		assert.equal(toWorkView(kept, false).changes, undefined);
		assert.deepEqual(toWorkView(kept, true).changes, { files, count: 3, left: 3, canUndo: false });
		assert.equal(toWorkView({ ...kept, files: [], fileCount: 0 }, true).changes, undefined);
		// A window that was closed in the middle of a turn has not kept the state after it.
		const taken = { ...begun, checkpoints: [other, { ...checkpoint, taken: 'c'.repeat(40) }] };
		assert.deepEqual(toWorkView(taken, true).changes, { files, count: 3, left: 3, canUndo: false });
	});

	it('is told by what has changed alone', () => {
		const [one, two] = [step(), step({ id: 'two' })];
		const before: AgentWork = { ...AGENT_WORK, steps: [one] };
		assert.deepEqual(workChanges('t', before, { ...before, steps: [one, two] }), [
			{ kind: 'step-set', turn: 't', step: toStepView(two) },
		]);
		assert.deepEqual(workChanges('t', before, { ...before, steps: [one], further: 1 }), [
			{
				kind: 'work-set',
				turn: 't',
				work: { label: 'Errand', folders: [{ name: '/home/me/widgets' }], isSandboxed: true, further: 1 },
			},
		]);
		assert.deepEqual(workChanges('t', before, { ...before }), []);
	});
});
