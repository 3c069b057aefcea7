import assert from 'node:assert/strict';
import process from 'node:process';
import type { Postgres } from '../../scripts/postgres.ts';
import { startOwnPostgres } from '../support/useTeamDatabase.ts';
import { useTeamWorkers } from '../support/useTeamWorkers.ts';

const SHARED = 'ERRAND_TEST_POSTGRES';

describe('a worker whose PostgreSQL is restarted', () => {
	const shared = process.env[SHARED];
	let postgres: Postgres;
	before(async () => {
		postgres = await startOwnPostgres();
		process.env[SHARED] = postgres.url;
	});
	const workers = useTeamWorkers();
	after(async () => {
		if (shared === undefined) {
			delete process.env[SHARED];
		} else {
			process.env[SHARED] = shared;
		}
		await postgres.stop();
	});

	it('goes on with its runs, and each entry of their logs is there once', async () => {
		await workers.start({ slots: 1 });
		const { id } = await workers.create('Work on it /demo slow');
		for (const line of [5, 30]) {
			await workers.logged(id, new RegExp(`Working slowly, line ${line} `));
			await postgres.restart();
		}
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		assert.deepEqual(await workers.branches(), [task.branchName]);
		const lines = (await workers.log(id)).flatMap(message => message.match(/Working slowly, line \d+/g) ?? []);
		assert.deepEqual(
			lines,
			Array.from({ length: 100 }, (_, index) => `Working slowly, line ${index + 1}`),
		);
		assert.equal((await workers.final((await workers.create('More')).id)).status, 'completed');
	});
});
