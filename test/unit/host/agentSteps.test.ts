import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { type StepAction, StepActions } from '../../../src/chat/agent/stepActions.ts';
import type { Chat } from '../../../src/chat/conversation/chat.ts';
import type { AgentWork } from '../../../src/chat/model/agentWork.ts';
import type { CommitRange } from '../../../src/tasks/api.ts';
import { describeRange } from '../../../src/tasks/apply/commitRanges.ts';
import type { Step } from '../../support/scriptedModel.ts';
import { type Outcome, useAgentRuns, windowChanges } from './useAgentRuns.ts';

const STEPS = 'Make three steps';
const AGAIN = 'Say what you did';
const LOOK = 'Look at the files';

const SCRIPTS: Record<string, Step[]> = {
	// It comes first: its prompt may have the other ones in a summary.
	[LOOK]: [
		{ do: 'run', command: 'cat README.md made.txt mine.txt' },
		{ do: 'say', text: 'I looked.' },
	],
	[STEPS]: [
		{ do: 'read', path: 'README.md' },
		{ do: 'write', path: 'README.md', content: '# Short\n' },
		{ do: 'run', command: 'echo made > made.txt' },
		{ do: 'edit', path: 'README.md', from: '# Short', to: '# Shorter' },
		{ do: 'say', text: 'It is done.' },
	],
	[AGAIN]: [{ do: 'say', text: 'I made three steps.' }],
};

describe('the files after the steps of an agent in the chat', () => {
	const agent = useAgentRuns(SCRIPTS);
	const { ask, fresh, work, inRoot } = agent;
	const compared: CommitRange[] = [];
	let readme: string;

	before(() => {
		readme = readFileSync(inRoot('README.md'), 'utf8');
	});
	afterEach(async () => {
		await writeFile(inRoot('README.md'), readme);
		await rm(inRoot('made.txt'), { force: true });
	});

	/** Does something with the files as of a step, as the page asks for it. Returns the work as it is then. */
	async function act(action: StepAction, { conversation, work: done }: Outcome, at: number): Promise<AgentWork> {
		let now = done;
		const apply = windowChanges();
		const actions = new StepActions({
			runs: async () => agent.runs,
			ranges: () => ({
				list: describeRange,
				compare: async (_, parts) => void compared.push(...parts.map(({ range }) => range)),
				showFiles: async ({ read }) => void compared.push(...(await read('compare')).map(({ range }) => range)),
				take: range => apply.takeAllowed(range),
			}),
			goOn: () => assert.fail(),
			async markAsOf(_, kept, commit, paths) {
				const taken = await agent.runs.keepTaken(conversation.id, { ...kept, taken: kept.before }, commit, paths);
				now = await agent.runs.withChanges(now, [{ ...kept, taken }]);
			},
		});
		const chat = { conversation, live: undefined } as unknown as Chat;
		const [turn, step] = [conversation.head ?? '', done.steps[at] ?? assert.fail()];
		await actions.run(action, { turn, chat, work: done, step });
		return now;
	}

	const countsOf = ({ steps }: AgentWork) =>
		steps.map(({ kind, states }) => [
			kind,
			states?.map(({ fileCount, linesAdded, linesRemoved }) => [fileCount, linesAdded, linesRemoved]),
		]);

	it('are kept for each step that has changed some, exactly as of it', async () => {
		agent.allow('allow-in-sandbox');
		const { work: done, error } = await work(fresh(STEPS));
		assert.equal(error, undefined);
		const lines = readme.split('\n').length - 1;
		assert.deepEqual(countsOf(done), [
			['read', undefined],
			['edit', [[1, 1, lines]]],
			['execute', [[1, 1, 0]]],
			['edit', [[1, 1, 1]]],
		]);
		assert.equal(existsSync(inRoot('made.txt')), false, 'the agent works in a copy');
		assert.ok(
			done.steps.every(({ states = [] }) => states.every(({ isApproximate }) => isApproximate === undefined)),
			'the agent waits',
		);
	});

	it('are shown with what the step has changed alone', async () => {
		agent.allow('allow-in-sandbox');
		const outcome = await work(fresh(STEPS));
		await act('changes', outcome, 2);
		const [range = assert.fail()] = compared.splice(0);
		assert.deepEqual(await describeRange(range), [{ path: 'made.txt', status: 'A', added: 1, removed: 0 }]);
	});

	it('are shown whole, with all that was changed until there', async () => {
		agent.allow('allow-in-sandbox');
		await act('files', await work(fresh(STEPS)), 2);
		const [range = assert.fail()] = compared.splice(0);
		assert.deepEqual(
			(await describeRange(range)).map(({ path }) => path),
			['README.md', 'made.txt'],
		);
	});

	it('are taken until there, and taken back to the byte', async () => {
		agent.allow('allow-in-sandbox');
		const outcome = await work(fresh(STEPS));
		const taken = await act('take', outcome, 2);
		assert.equal(readFileSync(inRoot('README.md'), 'utf8'), '# Short\n');
		assert.equal(readFileSync(inRoot('made.txt'), 'utf8'), 'made\n');
		assert.deepEqual(
			taken.files?.map(({ path, isTaken, isLeft }) => [path, isTaken, isLeft]),
			[
				['README.md', true, true],
				['made.txt', true, undefined],
			],
		);
		const [{ repository, before, taken: to = '' } = assert.fail()] = taken.checkpoints;
		await windowChanges().takeBack({ repository, from: before, to });
		assert.equal(readFileSync(inRoot('README.md'), 'utf8'), readme);
		assert.equal(existsSync(inRoot('made.txt')), false);
	});

	it('take the user’s files back to an earlier step, with the user’s own edits kept', async () => {
		agent.allow('allow-in-sandbox');
		const outcome = await work(fresh(STEPS));
		const all = await act('take', outcome, 3);
		await writeFile(inRoot('made.txt'), 'made\nmine\n');
		const back = await act('take', { ...outcome, work: all }, 1);
		assert.equal(readFileSync(inRoot('README.md'), 'utf8'), '# Short\n');
		assert.match(readFileSync(inRoot('made.txt'), 'utf8'), /mine/);
		assert.equal(back.files?.find(({ path }) => path === 'README.md')?.isLeft, true);
	});

	it('are gone with the copy, which the next turn replaces', async () => {
		agent.allow('allow-in-sandbox');
		const outcome = await work(fresh(STEPS));
		const next = await work(ask(outcome.conversation, AGAIN));
		const [turn] = next.conversation.turns;
		assert.ok(
			turn?.replies[0].work?.steps.every(({ states }) => states === undefined),
			'nothing is offered',
		);
		await assert.rejects(act('changes', outcome, 2), /The files of this step are gone/);
	});

	describe('are those that another turn begins with', () => {
		/** Lets the agent go on from a step of a turn, with the question. */
		async function goOn({ conversation, work: done }: Outcome, at: number, question: string): Promise<Outcome> {
			const [turn, step] = [conversation.head ?? '', done.steps[at] ?? assert.fail()];
			const commits = await agent.runs.statesOf(conversation.id, done).asOf(step.id);
			const states = commits.map(({ kept: { repository, before, taken = before }, commit }) => ({
				...{ repository, commit, taken },
			}));
			const from = { turn, step: step.id, title: step.title, states };
			return work(ask(conversation, question, { previous: turn, from }));
		}
		const told = () => JSON.stringify(agent.model.requests.at(0)?.body);

		it('with the user’s own edits, and it is told nothing of what came after', async () => {
			agent.allow('allow-in-sandbox');
			const outcome = await work(fresh(STEPS));
			await writeFile(inRoot('mine.txt'), 'mine\n');
			agent.model.requests.length = 0;
			try {
				const next = await goOn(outcome, 1, LOOK);
				assert.equal(next.error, undefined);
				const seen = String(agent.model.results.at(-1));
				assert.match(seen, /# Short\n[\s\S]*mine/);
				assert.match(seen, /made\.txt: No such file/);
				assert.equal(next.work.how, 'new');
				assert.equal(next.work.startedFrom, 'Write README.md');
				assert.match(told(), /- Write README\.md/);
				assert.doesNotMatch(told(), /made\.txt.*echo|Edit README/);
				// The next turn goes on from there, in the session of that one.
				const last = await work(ask(next.conversation, AGAIN));
				assert.notEqual(last.work.how, 'new');
				assert.equal(last.work.session, next.work.session);
			} finally {
				await rm(inRoot('mine.txt'), { force: true });
			}
		});

		it('or not at all where the user has changed the same lines, and then nothing is lost', async () => {
			agent.allow('allow-in-sandbox');
			const outcome = await work(fresh(STEPS));
			await writeFile(inRoot('README.md'), 'Mine.\n');
			await assert.rejects(goOn(outcome, 1, LOOK), /You’ve changed the same lines as the step since/);
			await act('changes', outcome, 2);
			assert.equal(compared.splice(0).length, 1);
			assert.equal(readFileSync(inRoot('README.md'), 'utf8'), 'Mine.\n');
		});
	});
});
