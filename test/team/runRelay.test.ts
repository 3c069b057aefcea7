import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { nullLogger } from '../../src/base/logger.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { TaskStore } from '../../src/service/store/taskStore.ts';
import { TaskEnded } from '../../src/service/tasks/taskEnded.ts';
import { Attempts } from '../../src/team/database/attempts.ts';
import { openPool } from '../../src/team/database/pool.ts';
import { RunRelay, type RunWriter } from '../../src/team/worker/runRelay.ts';
import { CommitCutter } from '../support/commitCutter.ts';
import { entry, newTask } from '../support/taskStoreSuite.ts';
import { noQueue, useTeamTasks } from '../support/teamTasks.ts';

const USE = {
	agent: 'a',
	calls: 1,
	failedCalls: 0,
	estimatedCalls: 0,
	inputTokens: 10,
	outputTokens: 5,
	model: 'm',
	provider: 'p',
};

describe('the relay of a run', () => {
	const team = useTeamTasks();
	let cutter: CommitCutter;
	let pool: ReturnType<typeof openPool>;
	beforeEach(async () => {
		cutter = await CommitCutter.start(team.database.url);
		pool = openPool(cutter.addressOf(team.database.url), nullLogger);
	});
	afterEach(async () => {
		await pool.end();
		cutter.stop();
	});

	/** Begins an attempt at a new task. */
	async function begin(writer: RunWriter = new Attempts(pool)) {
		const owner = { userId: team.user.id, teamId: null, isPublic: false };
		const created = await team.tasks.create(newTask(randomUUID()), owner, noQueue);
		const attempt = { taskId: created.id, position: 0, turn: 1, attempt: 1 };
		await team.attempts.begin(attempt);
		const store = new TaskStore(openDatabase(':memory:'));
		const task = store.create(newTask(created.id));
		const ends: TaskEnded[] = [];
		const relay = new RunRelay({
			writer,
			attempt,
			store,
			task,
			spent: 0.25,
			shown: text => text.replaceAll('/secret/place', 'the host'),
			end: reason => ends.push(reason),
			logger: nullLogger,
		});
		const stored = async () => (await team.tasks.get(task.id)) ?? assert.fail('no task');
		const log = async () => (await team.tasks.entries(await stored(), 0, 5_000)).map(({ message }) => message);
		return { attempt, store, task, relay, ends, stored, log };
	}

	for (const when of ['before', 'after'] as const) {
		it(`stores everything once and in order when connections are lost ${when} the commit`, async () => {
			const { store, task, relay, ends, stored, log } = await begin();
			const expected: string[] = [];
			for (let round = 0; round < 6; round++) {
				cutter.cutNext(when);
				for (let number = 0; number < 40; number++) {
					expected.push(`${round}/${number}`);
					store.append(task.id, [entry(`${round}/${number}`)]);
				}
				store.modelUse.add({ ...USE, taskSequence: task.sequence, position: 0, turn: 1, cost: 0.5 }, new Date());
				store.update(task.id, 0, { status: 'processing', progress: round, maxCost: 1 });
				await relay.flush();
				assert.deepEqual(await log(), expected);
				assert.equal((await stored()).progress, round);
			}
			cutter.cutNext(when);
			store.update(task.id, 0, { status: 'completed', progress: 100, hasWork: true }, [entry('Done')]);
			await relay.flush();
			assert.deepEqual(await log(), [...expected, 'Done']);
			const [execution] = await team.tasks.executions(await stored());
			assert.deepEqual([execution?.status, execution?.hasWork, execution?.maxCost], ['completed', false, 1.25]);
			const [use] = await team.tasks.modelUse(await stored());
			assert.deepEqual([use?.calls, use?.cost], [6, 3]);
			assert.equal(cutter.cuts, 7);
			assert.deepEqual(ends, []);
		});
	}

	it('stores what an agent says as it is, and names no place of the machine', async () => {
		const { store, task, relay, log } = await begin();
		const messages = ['nul \0 and \ud800 lone', 'in /secret/place it is', 'x'.repeat(300_000)];
		for (const message of messages) {
			store.append(task.id, [entry(message)]);
		}
		await relay.flush();
		const read = await log();
		assert.equal(read[0]?.slice(0, 9), 'nul \0 and');
		assert.equal(read[1], 'in the host it is');
	});

	it('ends the run once another attempt has begun, and stores nothing more', async () => {
		const { attempt, store, task, relay, ends, log } = await begin();
		store.append(task.id, [entry('mine')]);
		await relay.flush();
		await relay.checkCurrent();
		await team.attempts.begin({ ...attempt, attempt: 2 });
		const before = await log();
		store.update(task.id, 0, { status: 'completed' }, [entry('late')]);
		await assert.rejects(relay.flush(), TaskEnded);
		await assert.rejects(relay.checkCurrent(), TaskEnded);
		assert.equal(ends.length, 1);
		assert.equal(relay.isInDoubt, false);
		assert.deepEqual(await log(), before);
	});

	it('stays in doubt where the turn is past after a write that was not answered, which may have ended it', async () => {
		const { tasks, attempts } = team;
		const lost = async (...[attempt, write]: Parameters<RunWriter['write']>) => {
			const result = await attempts.write(attempt, write);
			if (write.change?.status === 'completed' && result === 'stored') {
				await tasks.followUp(attempt.taskId, { prompt: 'More', agent: 'a', model: 'm' }, noQueue);
				throw new Error('Connection terminated unexpectedly');
			}
			return result;
		};
		const { store, task, relay, stored } = await begin({ write: lost, isCurrent: one => attempts.isCurrent(one) });
		store.update(task.id, 0, { status: 'completed', branchName: 'errand/x' }, [entry('Done')]);
		await assert.rejects(relay.flush(), TaskEnded);
		assert.equal(relay.isInDoubt, true);
		const { turn, status, branchName } = await stored();
		assert.deepEqual([turn, status, branchName], [2, 'pending', 'errand/x']);
	});

	it('that is given up stores nothing more, unless all is stored', async () => {
		const { store, task, relay, log } = await begin();
		store.append(task.id, [entry('mine')]);
		await relay.flush();
		relay.giveUp();
		await relay.flush();
		store.append(task.id, [entry('late')]);
		await assert.rejects(relay.flush(), TaskEnded);
		assert.deepEqual(await log(), ['mine']);
	});
});
