import { taskStoreSuite } from '../support/taskStoreSuite.ts';
import { noQueue, useTeamTasks } from '../support/teamTasks.ts';

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
});
