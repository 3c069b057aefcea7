import assert from 'node:assert/strict';
import type { ReplyView } from '../../../../../src/chat/protocol/protocol.ts';
import type { StepView, WorkView } from '../../../../../src/chat/protocol/workProtocol.ts';
import {
	commandBeside,
	factsOf,
	foldWords,
	nowWords,
	questionOf,
	spokenKind,
	spokenQuestion,
	titleOf,
} from '../../../../../src/chat/ui/agent/stepWords.ts';
import { processorMs } from '../../../../support/processorTime.ts';
import { step, steps } from './steps.ts';

const WORK: WorkView = { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true, steps: [] };
const REPLY: ReplyView = {
	state: 'streaming',
	text: '',
	earlier: false,
	waiting: false,
	canRetry: false,
	canContinue: false,
	continued: 0,
};
const words = (others: Partial<StepView>) => factsOf(step('a', others), 'en').map(fact => fact.words);

describe('the line of a step', () => {
	it('has the title as plain text, or what is known in its place', () => {
		assert.equal(titleOf(step('a', { title: ' Read\u202e x ' })), 'ReadU+202E x');
		assert.equal(titleOf(step('a', { title: '', command: 'ls' })), 'ls');
		assert.equal(titleOf(step('a', { title: '', kind: 'fetch' })), 'Fetch');
	});

	it('has the command beside a title that does not tell it', () => {
		assert.equal(commandBeside(step('a', { title: 'List', command: 'ls\n \n  ls -l' })), 'ls ⏎ ls -l');
		const wide = `ls${' '.repeat(500_000)}-l`;
		const spent = processorMs(() => assert.equal(commandBeside(step('a', { title: 'List', command: wide })), wide));
		assert.ok(spent < 200, `${spent} ms`);
		assert.equal(commandBeside(step('a', { title: '`ls`', command: 'ls' })), '');
		assert.equal(commandBeside(step('a', { title: '', command: 'ls' })), '');
		assert.equal(commandBeside(step('a')), '');
	});

	it('says what a screen reader does not see, unless the title says it', () => {
		assert.equal(spokenKind(step('a', { kind: 'execute', title: 'npm test' })), 'Run:');
		assert.equal(spokenKind(step('a', { title: 'Read a.ts' })), '');
	});

	it('counts the lines of all files, and none that are not known or were not written', () => {
		const diffs = [
			{ path: 'a', isNew: false, added: 1_200, removed: 3 },
			{ path: 'b', isNew: true, added: 4, removed: 0 },
		];
		assert.deepEqual(words({ kind: 'edit', diffs }), ['+1,204', '−3']);
		assert.deepEqual(words({ kind: 'edit', diffs: [...diffs, { path: 'c', isNew: false }] }), []);
		assert.deepEqual(words({ kind: 'edit', diffs, state: 'failed' }), ['Failed']);
		assert.deepEqual(words({ kind: 'edit', diffs, state: 'running', approval: { state: 'no' } }), ['Not allowed']);
	});

	it('has the time of a command, and of nothing else', () => {
		assert.deepEqual(words({ kind: 'execute', endedAt: 13_000 }), ['12 s']);
		assert.deepEqual(words({ command: 'ls', endedAt: 13_000, state: 'failed' }), ['12 s', 'Failed']);
		assert.deepEqual(words({ endedAt: 13_000 }), []);
	});

	it('says how it ended in words and with an icon', () => {
		for (const [state, said] of [
			['running', 'Running'],
			['failed', 'Failed'],
			['stopped', 'Stopped'],
		] as const) {
			const [fact] = factsOf(step('a', { state }), 'en');
			assert.equal(fact?.words, said);
			assert.ok(fact?.icon);
		}
	});

	it('says what was allowed, and in place of a failure what was not', () => {
		const said = (approval: StepView['approval'] & object, state: StepView['state'] = 'done') =>
			words({ approval, state });
		assert.deepEqual(said({ state: 'once' }), ['Allowed once']);
		assert.deepEqual(said({ state: 'conversation' }), ['Allowed in this conversation']);
		assert.deepEqual(said({ state: 'before' }), ['Allowed before']);
		assert.deepEqual(said({ state: 'setting' }), ['Allowed by your setting']);
		assert.deepEqual(said({ state: 'no' }, 'failed'), ['Not allowed']);
		assert.deepEqual(said({ state: 'unanswered' }, 'stopped'), ['Not allowed: no answer']);
		assert.deepEqual(said({ state: 'refused', reason: 'outside\u202e' }, 'failed'), ['Not allowed: outsideU+202E']);
		assert.deepEqual(said({ state: 'waiting' }, 'running'), ['Running']);
	});
});

describe('folded steps', () => {
	it('are counted by what they were', () => {
		const given = [...steps(5), ...steps(4, { kind: 'search' }), ...steps(3, { kind: 'execute' })];
		assert.equal(foldWords(given, 'en'), '12 steps: 5 files read, 4 searches, 3 commands');
		const one = [
			step('a'),
			step('b', { kind: 'edit' }),
			step('c', { kind: 'other' }),
			step('d', { kind: 'switch_mode' }),
		];
		assert.equal(foldWords(one, 'en'), '4 steps: 1 file read, 1 edit, 2 others');
	});
});

describe('what an agent is doing', () => {
	const now = (work: Partial<WorkView>, reply: Partial<ReplyView> = {}) =>
		nowWords({ ...REPLY, ...reply }, { ...WORK, ...work });

	it('is to wait, then its running step, then to think, then to work', () => {
		const running = step('a', { state: 'running', title: 'npm test' });
		const waiting = step('b', { state: 'running', approval: { state: 'waiting' } });
		assert.equal(now({ steps: [waiting, running] }), 'waiting for your answer');
		assert.equal(now({ steps: [running, step('c')] }), 'npm test');
		assert.equal(now({}, { reasoning: 'Hm.' }), 'thinking');
		assert.equal(now({ steps: [step('c')] }, { reasoning: 'Hm.' }), 'working');
		assert.equal(now({}), 'working');
	});
});

describe('the question about a step', () => {
	const asked = (others: Partial<StepView>) => questionOf(step('a', { approval: { state: 'waiting' }, ...others }));
	const change = { path: 'a', isNew: false, lines: [], isCut: false };

	it('is about what would happen, whatever kind the agent names', () => {
		assert.equal(asked({ kind: 'read', command: 'rm -rf /' }), 'Run this command?');
		assert.equal(asked({ kind: 'read', approval: { state: 'waiting', changes: [change] } }), 'Change this file?');
		assert.equal(asked({ approval: { state: 'waiting', changes: [{ ...change, isNew: true }] } }), 'Create this file?');
		assert.equal(asked({ approval: { state: 'waiting', changes: [change, change] } }), 'Change these files?');
		const gone = { kind: 'delete' as const, approval: { state: 'waiting' as const, changes: [change] } };
		assert.equal(asked({ ...gone, diffs: [{ path: 'a', isNew: false, added: 0, removed: 3 }] }), 'Delete this?');
		assert.equal(asked({ ...gone, diffs: [{ path: 'a', isNew: false, added: 1, removed: 3 }] }), 'Change this file?');
	});

	it('is about its kind where nothing else is known', () => {
		assert.equal(asked({ kind: 'edit' }), 'Change this file?');
		assert.equal(asked({ kind: 'delete' }), 'Delete this?');
		assert.equal(asked({ kind: 'move' }), 'Move this?');
		assert.equal(asked({ kind: 'fetch' }), 'Fetch this?');
		assert.equal(asked({ kind: 'other' }), 'Allow this?');
	});

	it('is spoken with its subject, which is cut where it is long', () => {
		const spoken = spokenQuestion(step('a', { command: `ls\u202e${'x'.repeat(1_000)}` }), WORK);
		assert.match(spoken, /^Errand asks: Run this command\? lsU\+202Ex+$/);
		assert.ok(spoken.length < 400);
		assert.match(
			spokenQuestion(step('a', { title: 'create_issue', kind: 'other' }), WORK),
			/Allow this\? create_issue$/,
		);
	});
});
