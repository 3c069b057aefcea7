import { nullLogger } from '../../src/base/logger.ts';
import { Attempts } from '../../src/team/database/attempts.ts';
import { Notifications } from '../../src/team/database/notifications.ts';
import { People, type User } from '../../src/team/database/people.ts';
import { type Queueing, TaskDatabase } from '../../src/team/database/taskDatabase.ts';
import { type TeamDatabase, useTeamDatabase } from './useTeamDatabase.ts';

/** For tests without a queue. */
export const noQueue: Queueing = { enqueue: async () => {} };

/** The tasks of a user in a database of their own. */
export interface TeamTasks {
	readonly database: TeamDatabase;
	readonly tasks: TaskDatabase;
	readonly attempts: Attempts;
	readonly people: People;
	readonly user: User;
	readonly notifications: Notifications;
}

export function useTeamTasks(): TeamTasks {
	const database = useTeamDatabase();
	const parts: { current?: Omit<TeamTasks, 'database'> } = {};
	before(async () => {
		const { url, pool } = database;
		const notifications = new Notifications(url, nullLogger);
		const people = new People(pool);
		const user = await people.addUser('ann');
		const tasks = new TaskDatabase(pool, notifications);
		parts.current = { tasks, attempts: new Attempts(pool), people, user, notifications };
		notifications.start();
	});
	after(() => parts.current?.notifications.dispose());
	const current = (): Omit<TeamTasks, 'database'> => {
		if (parts.current === undefined) {
			throw new Error('The database is not ready yet.');
		}
		return parts.current;
	};
	return {
		database,
		get tasks() {
			return current().tasks;
		},
		get attempts() {
			return current().attempts;
		},
		get people() {
			return current().people;
		},
		get user() {
			return current().user;
		},
		get notifications() {
			return current().notifications;
		},
	};
}
