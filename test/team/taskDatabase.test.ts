import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { nullLogger } from '../../src/base/logger.ts';
import { Notifications } from '../../src/team/database/notifications.ts';
import { TaskConflict, TaskDatabase, type Turn } from '../../src/team/database/taskDatabase.ts';
import type { TaskOwner } from '../../src/team/database/taskRows.ts';
import { newTask, taskStoreSuite } from '../support/taskStoreSuite.ts';
import { noQueue, useTeamTasks } from '../support/teamTasks.ts';
import { waitFor } from '../support/waitFor.ts';

describe('TaskDatabase', () => {
	const team = useTeamTasks();

	taskStoreSuite(async () => {
		const { tasks, attempts, user, database } = team;
		await database.pool.query('TRUNCATE tasks CASCADE');
		const sent = new Map<string, number>();
		const required = async (id: string) => {
			const task = await tasks.get(id);
			if (task === undefined) {
				throw new Error('There is no such task.');
			}
			return task;
		};
		/** Writes as the first attempt of the present turn. */
		const write = async (
			taskId: string,
			position: number,
			work: Omit<Parameters<typeof attempts.write>[1], 'sent'>,
		) => {
			const { turn } = await required(taskId);
			const attempt = { taskId, position, turn, attempt: 1 };
			const key = JSON.stringify(attempt);
			if (!sent.has(key)) {
				await attempts.begin(attempt);
			}
			const before = sent.get(key) ?? 0;
			await attempts.write(attempt, { sent: before, ...work });
			sent.set(key, before + work.entries.length);
			return required(taskId);
		};
		return {
			create: task => tasks.create(task, { userId: user.id, teamId: null, isPublic: false }, noQueue),
			get: id => tasks.get(id),
			executions: (task, options) => tasks.executions(task, options),
			list: query => tasks.list({ ...query, of: { userId: user.id } }),
			update: (id, position, change, entries = []) => write(id, position, { entries, change }),
			append: async (id, entries) => void (await write(id, 0, { entries })),
			followUp: (id, followUp) => tasks.followUp(id, followUp, noQueue),
			entries: (task, from, limit) => tasks.entries(task, from, limit),
			entryCount: task => tasks.entryCount(task),
			watch: (id, listener) => tasks.watch(id, listener),
		};
	});

	describe('for many users', () => {
		const followUp = { prompt: 'more', agent: 'demo', model: 'demo' };
		const own = (): TaskOwner => ({ userId: team.user.id, teamId: null, isPublic: false });
		const isConflict = (reason: string) => (error: unknown) => error instanceof TaskConflict && error.reason === reason;

		beforeEach(() => team.database.pool.query('TRUNCATE tasks CASCADE'));

		async function complete(id: string, branchName: string | null = 'errand/x'): Promise<void> {
			const { turn = 0 } = (await team.tasks.get(id)) ?? {};
			const attempt = { taskId: id, position: 0, turn, attempt: 1 };
			await team.attempts.begin(attempt);
			await team.attempts.write(attempt, { sent: 0, entries: [], change: { status: 'completed', branchName } });
		}

		it('stores a task or a follow-up only together with its place in the queue', async () => {
			const { tasks } = team;
			const queued: Turn[] = [];
			const enqueue = async (_: unknown, turns: readonly Turn[]) => void queued.push(...turns);
			const broken = {
				enqueue: async () => {
					throw new Error('The queue is broken.');
				},
			};
			await assert.rejects(tasks.create(newTask('a'), own(), broken), /queue is broken/);
			assert.equal(await tasks.get('a'), undefined);
			const agents = [0, 1].map(() => ({ agent: 'demo', model: 'demo' })) as [{ agent: string; model: string }];
			await tasks.create(newTask('a', { agents }), own(), { enqueue });
			await tasks.create(newTask('b'), own(), { enqueue });
			await complete('b');
			const before = await tasks.get('b');
			await assert.rejects(tasks.followUp('b', followUp, broken), /queue is broken/);
			assert.deepEqual(await tasks.get('b'), before);
			await tasks.followUp('b', followUp, { enqueue });
			assert.deepEqual(queued, [
				{ taskId: 'a', position: 0, turn: 1 },
				{ taskId: 'a', position: 1, turn: 1 },
				{ taskId: 'b', position: 0, turn: 1 },
				{ taskId: 'b', position: 0, turn: 2 },
			]);
		});

		it('lets a user have as many active tasks as are allowed, however many requests come at once', async () => {
			const limited = { ...noQueue, tasksAtOnce: 3 };
			const ids = Array.from({ length: 10 }, () => randomUUID());
			const ends = await Promise.allSettled(ids.map(id => team.tasks.create(newTask(id), own(), limited)));
			assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 3);
			assert.ok(ends.every(end => end.status === 'fulfilled' || isConflict('tooMany')(end.reason)));
			const other = await team.people.addUser('bob');
			await team.tasks.create(newTask('other'), { ...own(), userId: other.id }, limited);
			const [first = ''] = ids.filter((_, index) => ends[index]?.status === 'fulfilled');
			await complete(first);
			await team.tasks.create(newTask('next'), own(), limited);
			await assert.rejects(team.tasks.followUp(first, followUp, limited), isConflict('tooMany'));
			assert.equal((await team.tasks.get(first))?.status, 'completed');
		});

		it('takes one of two follow-ups at the same time, and none where there is no branch', async () => {
			await team.tasks.create(newTask('a'), own(), noQueue);
			await complete('a');
			const ends = await Promise.allSettled([0, 1, 2].map(() => team.tasks.followUp('a', followUp, noQueue)));
			assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
			assert.ok(ends.every(end => end.status === 'fulfilled' || isConflict('active')(end.reason)));
			assert.equal((await team.tasks.get('a'))?.turn, 2);
			await team.tasks.create(newTask('b'), own(), noQueue);
			await complete('b', null);
			await assert.rejects(team.tasks.followUp('b', followUp, noQueue), isConflict('noBranch'));
		});

		it('wakes those who watch any task when it may have missed something', async () => {
			const notifications = new Notifications(team.database.url, nullLogger);
			const tasks = new TaskDatabase(team.database.pool, notifications);
			const woken: string[] = [];
			for (const id of ['a', 'b']) {
				tasks.watch(id, () => woken.push(id));
			}
			notifications.start();
			await waitFor('the first connection', () => woken.length === 2);
			await notifications.dispose();
			assert.deepEqual(woken, ['a', 'b']);
		});

		it('tells followers of a task what they see of it, and not its prompt', async () => {
			const { tasks, attempts, user } = team;
			const id = randomUUID();
			const owner = { userId: user.id, teamId: null, isPublic: true };
			const { sequence } = await tasks.create(newTask(id), owner, noQueue);
			assert.deepEqual(await tasks.followed(id), { id, sequence, status: 'pending', error: null, ...owner });
			const attempt = { taskId: id, position: 0, turn: 1, attempt: 1 };
			await attempts.begin(attempt);
			const change = { status: 'error', error: 'nul \0 and \ud800 lone' } as const;
			await attempts.write(attempt, { sent: 0, entries: [], change });
			assert.deepEqual(await tasks.followed(id), { id, sequence, ...change, ...owner });
			assert.equal(await tasks.followed('another'), undefined);
		});

		it('reads what belongs to each task of a page at once, as it does for one', async () => {
			const { tasks, attempts, user } = team;
			const owner = { userId: user.id, teamId: null, isPublic: false };
			const agents = [
				{ agent: 'one', model: 'm' },
				{ agent: 'other', model: 'm' },
			] as const;
			const created = [
				await tasks.create(newTask(randomUUID()), owner, noQueue),
				await tasks.create({ ...newTask(randomUUID()), agents }, owner, noQueue),
			];
			for (const [index, { id }] of created.entries()) {
				const attempt = { taskId: id, position: index, turn: 1, attempt: 1 };
				await attempts.begin(attempt);
				const use = {
					...{ position: index, turn: 1, agent: 'one', model: 'm', provider: 'p', calls: 1, failedCalls: 0 },
					...{ estimatedCalls: 0, inputTokens: 1, outputTokens: 1, cost: index + 1 },
				};
				const change = { status: 'processing', progress: 20 + index } as const;
				await attempts.write(attempt, { sent: 0, entries: [], change, use: [use] });
			}
			const partsOf = await tasks.parts(created);
			for (const task of created) {
				const alone = { executions: await tasks.executions(task), use: await tasks.modelUse(task) };
				assert.deepEqual(partsOf(task), alone);
				assert.equal(alone.use.length, 1);
			}
			assert.deepEqual((await tasks.parts([]))(created[0] ?? assert.fail()), { executions: [], use: [] });
		});

		it('tells whose a task is, and lists those of a user or of a team alone', async () => {
			const { tasks, people, user } = team;
			const [eve, tools] = [await people.addUser('eve'), await people.addTeam('tools')];
			const shared = { teamId: tools.id, isPublic: true };
			await tasks.create(newTask('a'), own(), noQueue);
			await tasks.create(newTask('b'), { userId: user.id, ...shared }, noQueue);
			await tasks.create(newTask('c'), { userId: eve.id, ...shared }, noQueue);
			const idsOf = async (of: Parameters<typeof tasks.list>[0]['of']) =>
				(await tasks.list({ of, limit: 10, offset: 0 })).tasks.map(({ id }) => id);
			assert.deepEqual(await idsOf({ userId: user.id }), ['b', 'a']);
			assert.deepEqual(await idsOf({ userId: eve.id }), ['c']);
			assert.deepEqual(await idsOf({ teamId: tools.id }), ['c', 'b']);
			const { userId, teamId, isPublic, creatorName } = (await tasks.get('c')) ?? {};
			assert.deepEqual({ userId, teamId, isPublic, creatorName }, { userId: eve.id, ...shared, creatorName: 'eve' });
		});
	});
});
