import assert from 'node:assert/strict';
import { useTeamWorkers } from '../support/useTeamWorkers.ts';
import { waitFor } from '../support/waitFor.ts';

const SLOW = 'Work on it /demo slow';
/** The time until a worker that is gone has been noticed, on a machine that has much to do. */
const NOTICE_MS = 60_000;

describe('the death of a worker', () => {
	const workers = useTeamWorkers();

	/** Returns everything that is stored of a task. */
	const stored = async (id: string) => {
		const { pool } = workers.team.database;
		const { rows: tasks } = await pool.query('SELECT * FROM tasks WHERE id = $1', [id]);
		const { rows: executions } = await pool.query('SELECT * FROM executions WHERE task_sequence = $1', [
			tasks[0].sequence,
		]);
		return JSON.stringify([tasks, executions, await workers.log(id)]);
	};
	const startsOf = async (id: string) =>
		(await workers.log(id)).filter(message => message.startsWith('Starting agent')).length;

	it('lets another one begin anew, on a branch of its own', async () => {
		const first = await workers.start({ slots: 1 });
		const { id } = await workers.create(SLOW);
		await workers.logged(id, /Working slowly, line 2/);
		const second = await workers.start({ slots: 1 });
		await first.end('SIGKILL');
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		assert.match(task.branchName ?? '', /-attempt-2$/);
		assert.deepEqual(await workers.branches(), [task.branchName]);
		assert.equal(await startsOf(id), 2);
		assert.equal((await workers.log(id)).filter(message => /runs once more from the start/.test(message)).length, 1);
		await waitFor('the end of its folder', async () => (await second.folders()).length === 0);
	});

	it('leaves no branch of a run that was about to end, which the next attempt withdraws', async () => {
		const server = workers.host;
		const first = await workers.start({ slots: 1 });
		let pushed = false;
		server.fault = (request, response) => {
			if (request.method === 'POST' && request.url?.includes('git-receive-pack')) {
				server.fault = undefined;
				first.signal('SIGSTOP');
				response.once('finish', () => {
					pushed = true;
				});
			}
			return false;
		};
		const { id } = await workers.create('Say hello');
		await waitFor('the push', () => pushed);
		await first.end('SIGKILL');
		assert.equal((await workers.branches()).length, 1);
		await workers.start({ slots: 1 });
		const task = await workers.final(id);
		assert.match(task.branchName ?? '', /-attempt-2$/);
		assert.deepEqual(await workers.branches(), [task.branchName]);
	});

	it('ends the task as interrupted when it comes twice', async () => {
		const { id } = await workers.create(SLOW);
		for (const attempt of [1, 2]) {
			const worker = await workers.start({ slots: 1 });
			await waitFor('the agent', async () => (await startsOf(id)) === attempt, NOTICE_MS);
			await worker.end('SIGKILL');
		}
		// Nobody else is there to notice.
		const last = await workers.start({ slots: 1 });
		const task = await workers.final(id);
		assert.equal(task.status, 'error');
		assert.equal(task.interrupted, true);
		assert.match(task.error ?? '', /^Interrupted: /);
		assert.equal(await startsOf(id), 2);
		assert.deepEqual(await workers.branches(), []);
		assert.deepEqual(await last.folders(), []);
	});

	it('may be a mistake: a worker that was paused and wakes changes nothing', async () => {
		const paused = await workers.start({ slots: 1 });
		const { id } = await workers.create(SLOW);
		await workers.logged(id, /Working slowly, line 2/);
		paused.signal('SIGSTOP');
		await workers.start({ slots: 1 });
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		const before = await stored(id);
		paused.signal('SIGCONT');
		await waitFor('the end of its run', () => paused.output.includes('a run was given up'), NOTICE_MS);
		await waitFor('the end of its folder', async () => (await paused.folders()).length === 0);
		assert.equal(await stored(id), before);
		assert.deepEqual(await workers.branches(), [task.branchName]);
		// It goes on with other work.
		assert.equal((await workers.final((await workers.create('More')).id)).status, 'completed');
	});

	it('may come while it pushes: it takes its branch back when it wakes', async () => {
		let held: (() => void) | undefined;
		const server = workers.host;
		const paused = await workers.start({ slots: 1 });
		server.fault = (request, response) => {
			if (request.method !== 'POST' || !request.url?.includes('git-receive-pack')) {
				return false;
			}
			server.fault = undefined;
			held = () => server.serve(request, response);
			return true;
		};
		const { id } = await workers.create('Say hello');
		await waitFor('the push', () => held !== undefined);
		paused.signal('SIGSTOP');
		await workers.start({ slots: 1 });
		await waitFor('the next attempt', async () => (await startsOf(id)) === 2, NOTICE_MS);
		held?.();
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		await waitFor('both branches', async () => (await workers.branches()).length === 2);
		const before = await stored(id);
		paused.signal('SIGCONT');
		await waitFor('the end of its branch', async () => (await workers.branches()).length === 1, NOTICE_MS);
		assert.deepEqual(await workers.branches(), [task.branchName]);
		assert.equal(await stored(id), before);
	});

	it('is not that of one that is asked to stop: it hands its runs back, and none of them is lost', async () => {
		const { id } = await workers.create(SLOW);
		for (const attempt of [1, 2, 3]) {
			const worker = await workers.start({ slots: 1 });
			await waitFor('the agent', async () => (await startsOf(id)) === attempt);
			await worker.end('SIGTERM');
			assert.deepEqual(await worker.folders(), []);
			assert.equal((await workers.team.tasks.get(id))?.status, 'processing');
		}
		await workers.start({ slots: 1 });
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		assert.deepEqual(await workers.branches(), [task.branchName]);
	});

	it('leaves time to end what it does when it is asked to stop', async () => {
		const worker = await workers.start({ slots: 1, graceMs: 60_000 });
		const { id } = await workers.create('Say hello');
		await workers.logged(id, /^Starting agent/);
		const waiting = await workers.create('Wait');
		await worker.end('SIGTERM');
		assert.equal((await workers.team.tasks.get(id))?.status, 'completed');
		assert.equal((await workers.team.tasks.get(waiting.id))?.status, 'pending');
	});
});
