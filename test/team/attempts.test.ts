import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { nullLogger } from '../../src/base/logger.ts';
import type { ExecutionUse } from '../../src/service/store/modelUseStore.ts';
import type { NewTask } from '../../src/service/store/taskRecord.ts';
import { type Attempt, Attempts, type AttemptWrite } from '../../src/team/database/attempts.ts';
import { openPool } from '../../src/team/database/pool.ts';
import type { TeamTask } from '../../src/team/database/taskRows.ts';
import { CommitCutter } from '../support/commitCutter.ts';
import { entry, newTask } from '../support/taskStoreSuite.ts';
import { integrityProblems, noteStates } from '../support/teamIntegrity.ts';
import { noQueue, useTeamTasks } from '../support/teamTasks.ts';
import { waitFor } from '../support/waitFor.ts';

const COMPLETED = { status: 'completed', progress: 100, branchName: 'errand/a' } as const;

describe('Attempts', () => {
	const team = useTeamTasks();

	before(() => noteStates(team.database.pool));
	afterEach(async () => {
		assert.deepEqual(await integrityProblems(team.database.pool), []);
		await team.database.pool.query('TRUNCATE tasks, noted_states CASCADE');
	});

	async function add(others: Partial<NewTask> = {}): Promise<Attempt> {
		const owner = { userId: team.user.id, teamId: null, isPublic: false };
		const { id } = await team.tasks.create(newTask(randomUUID(), others), owner, noQueue);
		return { taskId: id, position: 0, turn: 1, attempt: 1 };
	}
	const taskOf = async ({ taskId }: Attempt): Promise<TeamTask> => {
		const task = await team.tasks.get(taskId);
		assert.ok(task);
		return task;
	};
	const messagesOf = async (attempt: Attempt) =>
		(await team.tasks.entries(await taskOf(attempt), 0, 10_000)).map(({ message }) => message);
	const write = (attempt: Attempt, work: Partial<AttemptWrite>) =>
		team.attempts.write(attempt, { sent: 0, entries: [], ...work });
	const end = (attempt: Attempt, sent = 0) => write(attempt, { sent, entries: [entry('done')], change: COMPLETED });

	it('begins where the turn began, and says so in the log when it is not the first', async () => {
		const first = await add();
		const begun = await team.attempts.begin(first);
		assert.equal(begun?.execution.status, 'pending');
		const change = {
			status: 'saving',
			progress: 90,
			branchName: 'errand/lost',
			gitDiff: 'diff',
			hasWork: true,
		} as const;
		assert.equal(await write(first, { entries: [entry('one')], change }), 'stored');
		const second = { ...first, attempt: 2 };
		const again = await team.attempts.begin(second);
		assert.deepEqual(again?.execution, { ...begun?.execution, status: 'processing' });
		// The end of that may not have been known.
		assert.deepEqual((await team.attempts.begin(second))?.execution, again?.execution);
		assert.equal(again?.task.status, 'processing');
		assert.equal(again?.task.branchName, null);
		const [execution] = await team.tasks.executions(await taskOf(first), { diffs: true });
		assert.deepEqual(execution, again?.execution);
		const [one, note, ...others] = await messagesOf(first);
		assert.equal(one, 'one');
		assert.match(note ?? '', /runs once more from the start/);
		assert.deepEqual(others, []);
		assert.equal(await end(second), 'stored');
	});

	it('writes nothing once a later one has begun, the turn is another, or the execution has ended', async () => {
		const first = await add();
		const second = { ...first, attempt: 2 };
		await team.attempts.begin(first);
		assert.equal(await team.attempts.isCurrent(first), true);
		await team.attempts.begin(second);
		assert.equal(await team.attempts.isCurrent(first), false);
		const before = await messagesOf(first);
		assert.equal(await write(first, { entries: [entry('late')] }), 'over');
		assert.equal(await end(first), 'over');
		assert.equal(await team.attempts.begin(first), undefined);
		assert.deepEqual(await messagesOf(first), before);
		assert.equal(await end(second), 'stored');
		assert.equal(await team.attempts.isCurrent(second), false);
		assert.equal(await write(second, { sent: 1, entries: [entry('late')] }), 'over');
		await team.attempts.endInterrupted(second);
		const followUp = { prompt: 'more', agent: 'demo', model: 'demo' };
		await team.tasks.followUp(first.taskId, followUp, noQueue);
		// The attempts of each turn are counted from 1, so that of the turn before has the same number.
		const next = { ...first, turn: 2 };
		const begun = await team.attempts.begin(next);
		assert.equal(begun?.execution.branchName, 'errand/a');
		assert.equal(await team.attempts.isCurrent(next), true);
		assert.equal(await team.attempts.isCurrent(first), false);
		assert.equal(await write(first, { entries: [entry('late')], change: { status: 'error' } }), 'past');
		assert.equal(await team.attempts.begin(second), undefined);
		await team.attempts.endInterrupted(second);
		assert.equal((await taskOf(first)).status, 'pending');
		assert.equal(await end(next), 'stored');
		assert.deepEqual((await messagesOf(first)).slice(before.length), ['done', 'Asked to go on: more', 'done']);
	});

	it('is refused if it begins again after a write, or leaves entries out, because its log would have a hole', async () => {
		const first = await add();
		await team.attempts.begin(first);
		await write(first, { entries: [entry('one')] });
		await assert.rejects(write(first, { sent: 2, entries: [entry('three')] }));
		await assert.rejects(team.attempts.begin(first));
		await end(first, 1);
	});

	it('tells what earlier attempts and turns have used, and adds nothing twice', async () => {
		const first = await add();
		const use: ExecutionUse = {
			...{ position: 0, turn: 1, agent: 'demo', model: 'large', provider: null },
			...{ calls: 1, failedCalls: 0, estimatedCalls: 0, inputTokens: 10, outputTokens: 5, cost: 0.25 },
		};
		await team.attempts.begin(first);
		await write(first, { use: [use] });
		await write(first, {
			use: [
				{ ...use, calls: 2, cost: 0.5 },
				{ ...use, cost: null },
			],
		});
		const second = { ...first, attempt: 2 };
		const begun = await team.attempts.begin(second);
		assert.equal(begun?.spent, 0.5);
		assert.equal(begun?.use.length, 2);
		await write(second, { use: [use], change: COMPLETED });
		assert.equal(await team.people.costThisMonth(team.user.id), 0.75);
		await team.tasks.followUp(first.taskId, { prompt: 'more', agent: 'demo', model: 'demo' }, noQueue);
		const next = await team.attempts.begin({ ...first, turn: 2 });
		assert.equal(next?.spent, 0);
		assert.equal(next?.use.length, 3);
		assert.equal((await team.tasks.modelUse(await taskOf(first))).length, 3);
		await end({ ...first, turn: 2 });
	});

	for (const when of ['before', 'after'] as const) {
		it(`repeats a write whose connection was cut ${when} the database had the commit, and doubles nothing`, async () => {
			const cutter = await CommitCutter.start(team.database.url);
			const pool = openPool(cutter.addressOf(team.database.url), nullLogger);
			try {
				const attempts = new Attempts(pool);
				const first = await add();
				await team.attempts.begin(first);
				const until = async (work: AttemptWrite) => {
					cutter.cutNext(when);
					await assert.rejects(attempts.write(first, work));
					return attempts.write(first, work);
				};
				assert.equal(await until({ sent: 0, entries: ['a', 'b'].map(entry) }), 'stored');
				assert.equal(await until({ sent: 2, entries: [entry('c')], change: { progress: 50 } }), 'stored');
				cutter.cutNext(when);
				await assert.rejects(attempts.write(first, { sent: 3, entries: [entry('d')] }));
				// More has been said meanwhile.
				const more = { sent: 3, entries: ['d', 'e'].map(entry) };
				assert.equal(await attempts.write(first, more), 'stored');
				assert.equal(await until({ sent: 5, entries: [entry('end')], change: COMPLETED }), 'stored');
				assert.deepEqual(await messagesOf(first), ['a', 'b', 'c', 'd', 'e', 'end']);
				assert.equal((await taskOf(first)).status, 'completed');
				assert.equal(cutter.cuts, 4);
			} finally {
				await pool.end();
				cutter.stop();
			}
		});
	}

	it('is refused in whichever order its write and the beginning of the next one come to the database', async () => {
		for (const order of ['write first', 'begin first'] as const) {
			const first = await add();
			const second = { ...first, attempt: 2 };
			await team.attempts.begin(first);
			const holder = await team.database.pool.connect();
			await holder.query('BEGIN');
			await holder.query('SELECT FROM tasks WHERE id = $1 FOR UPDATE', [first.taskId]);
			const waiting = (count: number) =>
				waitFor(`${count} waiting transactions`, async () => {
					const { rows } = await team.database.pool.query(
						"SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
					);
					return rows[0]?.count === count;
				});
			const late = () => write(first, { entries: [entry('late')], change: { status: 'error' } });
			const begin = () => team.attempts.begin(second);
			const one = order === 'write first' ? late() : begin();
			await waiting(1);
			const other = order === 'write first' ? begin() : late();
			await waiting(2);
			await holder.query('COMMIT');
			holder.release();
			const [oneEnd, otherEnd] = [await one, await other];
			const task = await taskOf(first);
			if (order === 'write first') {
				assert.equal(oneEnd, 'stored');
				assert.equal(otherEnd, undefined);
				assert.equal(task.status, 'error');
			} else {
				assert.equal(otherEnd, 'over');
				assert.equal(task.status, 'processing');
				assert.ok(!(await messagesOf(first)).includes('late'));
				await end(second);
			}
		}
	});

	it('numbers the entries of several executions without gaps while all of them write', async () => {
		const agents = [0, 1, 2, 3].map(index => ({ agent: `a${index}`, model: 'demo' }));
		const first = await add({ agents: agents as unknown as NewTask['agents'] });
		const writers = agents.map(async (_, position) => {
			const attempt = { ...first, position };
			await team.attempts.begin(attempt);
			for (let sent = 0; sent < 40; sent += 2) {
				const entries = [sent, sent + 1].map(number => entry(`${position}:${number}`));
				assert.equal(await team.attempts.write(attempt, { sent, entries }), 'stored');
			}
			await team.attempts.write(attempt, { sent: 40, entries: [], change: COMPLETED });
		});
		// A follower that reads along sees each entry once, in the same order as everybody after it.
		const task = await taskOf(first);
		const followed: string[] = [];
		const follower = waitFor('all entries', async () => {
			const page = await team.tasks.entries(task, followed.length, 7);
			followed.push(...page.map(({ message }) => message));
			return followed.length === 160;
		});
		await Promise.all([...writers, follower]);
		assert.deepEqual(followed, await messagesOf(first));
		for (const position of agents.keys()) {
			assert.deepEqual(
				followed.filter(message => message.startsWith(`${position}:`)),
				Array.from({ length: 40 }, (_, number) => `${position}:${number}`),
			);
		}
		assert.equal((await taskOf(first)).status, 'completed');
	});

	it('reaches one final state, whoever ends it at the same time', async () => {
		for (let round = 0; round < 20; round++) {
			const first = await add();
			const second = { ...first, attempt: 2 };
			await team.attempts.begin(first);
			const ends = [
				() => end(first),
				() => team.attempts.begin(second).then(begun => begun && end(second)),
				() => team.attempts.endInterrupted(first),
				() => team.tasks.requestStop(first.taskId),
				() => write(first, { entries: [entry('failed')], change: { status: 'error' } }),
			];
			const shuffled = ends.map(run => ({ run, key: Math.random() })).sort((a, b) => a.key - b.key);
			await Promise.all(shuffled.map(({ run }) => run()));
			await team.attempts.endInterrupted(first);
		}
	});

	describe('that are to stop', () => {
		it('end at once where nothing runs yet, and are told to end where something does', async () => {
			const both = [0, 1].map(() => ({ agent: 'demo', model: 'demo' })) as unknown as NewTask['agents'];
			const first = await add({ agents: both });
			await team.attempts.begin(first);
			assert.deepEqual(await team.attempts.stopsRequested([first.taskId]), []);
			const task = await team.tasks.requestStop(first.taskId);
			assert.equal(task.stopRequested, true);
			assert.deepEqual(
				(await team.tasks.executions(task)).map(({ status }) => status),
				['pending', 'stopped'],
			);
			assert.deepEqual(await messagesOf(first), ['[2] Stopped by the user.']);
			assert.deepEqual(await team.attempts.stopsRequested([first.taskId, 'another']), [first.taskId]);
			assert.equal(await team.attempts.begin({ ...first, position: 1 }), undefined);
			await write(first, { entries: [entry('stopped')], change: { status: 'stopped' } });
			const ended = await taskOf(first);
			assert.deepEqual(await team.tasks.requestStop(first.taskId), ended);
			assert.equal(ended.status, 'stopped');
		});

		it('end with the next attempt if the worker was lost, or with the end of the last one', async () => {
			for (const finish of ['begin', 'endInterrupted'] as const) {
				const first = await add();
				await team.attempts.begin(first);
				await team.tasks.requestStop(first.taskId);
				await team.attempts[finish]({ ...first, attempt: 2 });
				const task = await taskOf(first);
				assert.equal(task.status, 'stopped');
				assert.equal(task.error, null);
				assert.equal(await end(first), 'over');
			}
		});
	});

	it('ends as interrupted when its workers are gone for good', async () => {
		const first = await add();
		await team.attempts.begin(first);
		await team.attempts.endInterrupted(first);
		const task = await taskOf(first);
		assert.equal(task.status, 'error');
		assert.equal(task.interrupted, true);
		assert.match(task.error ?? '', /^Interrupted: /);
		assert.deepEqual(await messagesOf(first), [task.error]);
		assert.equal(await end(first), 'over');
		// Without entries, it could be taken for the repetition of a write of its own.
		assert.equal(await write(first, { change: COMPLETED }), 'over');
	});
});
