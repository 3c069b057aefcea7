import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { HOST_TOKEN, useTeamWorkers } from '../support/useTeamWorkers.ts';
import { waitFor } from '../support/waitFor.ts';

const SLOW = 'Work on it /demo slow';

describe('a worker of the service for a team', () => {
	const workers = useTeamWorkers();

	it('takes a task from the queue to a branch at the host, and goes on with that', async () => {
		const worker = await workers.start();
		const { id } = await workers.create('Say hello');
		const task = await workers.final(id);
		assert.equal(task.status, 'completed', task.error ?? '');
		const branch = task.branchName ?? '';
		assert.deepEqual(await workers.branches(), [branch]);
		assert.match(await workers.git('show', `${branch}:errand-demo.md`), /Say hello/);
		await workers.followUp(id, 'Say it again');
		const again = await workers.final(id);
		assert.equal(again.status, 'completed', again.error ?? '');
		assert.equal(again.branchName, branch);
		assert.equal(again.filesChanged, 2);
		assert.deepEqual(await workers.branches(), [branch]);
		assert.equal((await workers.git('rev-list', '--count', `main..${branch}`)).trim(), '2');
		const log = await workers.log(id);
		assert.equal(log.filter(message => message === 'Done.').length, 2);
		assert.equal(log.at(-1), `The branch ${branch} is in ${workers.address}.`);
		assert.ok(!log.join('\n').includes(worker.workFolder), 'the log names no folder of a worker');
		await waitFor('the end of its folders', async () => (await worker.folders()).length === 0);
	});

	it('runs several agents of a task, each on a branch of its own', async () => {
		await workers.start();
		const agents = ['demo', 'demo-two'].map(agent => ({ agent, model: 'demo' })) as [never, never];
		const task = await workers.final((await workers.create('Race', { agents })).id);
		assert.equal(task.status, 'completed', task.error ?? '');
		const executions = await workers.team.tasks.executions(task, { diffs: true });
		const made = executions.map(({ branchName }) => branchName ?? '');
		assert.deepEqual(await workers.branches(), made.sort());
		assert.ok(executions.every(({ gitDiff }) => gitDiff?.includes('+# Errand demo')));
	});

	it('ends a task within two seconds of its user asking for that, whether it runs or waits', async () => {
		const worker = await workers.start({ slots: 1 });
		const { id } = await workers.create(SLOW);
		await workers.logged(id, /Working slowly, line 2/);
		const waiting = await workers.create('Wait');
		const asked = performance.now();
		await workers.team.tasks.requestStop(waiting.id);
		await workers.team.tasks.requestStop(id);
		assert.equal((await workers.final(id)).status, 'stopped');
		assert.ok(performance.now() - asked < 2_000, `${performance.now() - asked} ms`);
		assert.equal((await workers.final(waiting.id)).status, 'stopped');
		await waitFor('the end of its folder', async () => (await worker.folders()).length === 0);
		assert.deepEqual(await workers.branches(), []);
		assert.equal((await workers.log(id)).at(-1), 'Stopped by the user.');
	});

	it('ends a task at its time limit', async () => {
		await workers.start();
		const { id } = await workers.create(SLOW, { maxDuration: 2 });
		const task = await workers.final(id);
		assert.equal(task.status, 'timeout');
		assert.match(task.error ?? '', /took longer than its limit of 2 s/);
	});

	it('says why a repository cannot be worked on', async () => {
		await workers.start();
		const local = await TemporaryRepository.create();
		const ended = async (fields: object) => {
			const task = await workers.final((await workers.create('Try', fields)).id);
			assert.equal(task.status, 'error');
			return task.error ?? '';
		};
		const { host } = new URL(workers.address);
		try {
			assert.match(await ended({ repoUrl: local.path }), /no source host for/);
			assert.match(await ended({ repoUrl: `file://${local.path}` }), /no source host for/);
			assert.match(await ended({ repoUrl: 'ext::sh -c true' }), /no source host for/);
			assert.match(await ended({ repoUrl: `http://${host}.example.com/team/project.git` }), /no source host for/);
			assert.match(await ended({ repoUrl: `http://${host}/team/other.git` }), /has no such repository/);
			assert.match(await ended({ selectedBranch: 'none' }), /"none".*there is no such branch/);
			assert.match(await ended({ selectedBranch: '--upload-pack=x' }), /could not be fetched/);
			assert.match(await ended({ agents: [{ agent: 'gone', model: 'demo' }] }), /There is no agent "gone"/);
			await workers.setToken('another');
			assert.match(await ended({}), new RegExp(`${host} does not accept your token`));
		} finally {
			await local.remove();
		}
		await workers.team.database.pool.query('DELETE FROM source_tokens');
		assert.match(await ended({}), /You have no token for host here/);
	});

	it('uses the token for the source host that the repository is of, and of no other at the same address', async () => {
		const { origin } = new URL(workers.address);
		const inner = { scm: 'inner', kind: 'gitea', api: `${origin}/team/api`, clone: `${origin}/team` };
		const outer = { scm: 'host', kind: 'gitea', api: `${origin}/api`, clone: origin };
		await workers.start({ configuration: { sources: [inner, outer] } });
		const task = await workers.final((await workers.create('Try')).id);
		assert.equal(task.status, 'completed', task.error ?? '');
	});

	it('works on repositories of its machine only where the operator has allowed that', async () => {
		await workers.start({ configuration: { allowLocalRepositories: true } });
		const local = await TemporaryRepository.create();
		try {
			const task = await workers.final((await workers.create('Try', { repoUrl: local.path })).id);
			assert.equal(task.status, 'completed', task.error ?? '');
			assert.deepEqual(await local.branches(), [task.branchName, 'main']);
		} finally {
			await local.remove();
		}
	});

	it('tells what the host says when that refuses a branch', async () => {
		await workers.start();
		const hook = path.join((await workers.git('rev-parse', '--absolute-git-dir')).trim(), 'hooks', 'pre-receive');
		await writeFile(hook, '#!/bin/sh\necho "Not without a ticket." >&2\nexit 1\n');
		await chmod(hook, 0o755);
		const task = await workers.final((await workers.create('Try')).id);
		assert.equal(task.status, 'error');
		assert.match(task.error ?? '', /could not be pushed to .*: .*(?:hook declined|Not without a ticket)/);
		assert.deepEqual(await workers.branches(), []);
	});

	it('fails when the token ends before the push', async () => {
		await workers.start();
		workers.host.fault = ({ url }) => {
			if (url?.includes('git-receive-pack')) {
				workers.host.password = 'another';
			}
			return false;
		};
		const task = await workers.final((await workers.create('Try')).id);
		assert.match(task.error ?? '', /could not be pushed.*does not accept your token/);
		assert.equal(task.branchName, null);
	});

	for (const part of ['git-upload-pack', 'git-receive-pack']) {
		it(`can be stopped while the host hangs at ${part}`, async () => {
			const worker = await workers.start();
			let hangs = 0;
			workers.host.fault = request => {
				const isMeant = request.url?.includes(part) ?? false;
				hangs += Number(isMeant);
				return isMeant;
			};
			const { id } = await workers.create('Try');
			await waitFor('the host to hang', () => hangs > 0);
			await workers.team.tasks.requestStop(id);
			const asked = performance.now();
			assert.equal((await workers.final(id)).status, 'stopped');
			const took = performance.now() - asked;
			assert.ok(took < 4_000, `${took} ms`);
			await waitFor('the end of its folder', async () => (await worker.folders()).length === 0, 30_000);
			assert.ok(!worker.output.includes(HOST_TOKEN));
		});
	}

	it('leaves a branch alone that somebody else has moved', async () => {
		await workers.start();
		const { id } = await workers.create('Try');
		const branch = (await workers.final(id)).branchName ?? '';
		workers.host.fault = (request, response) => {
			const isPush = request.url?.includes('git-receive-pack') ?? false;
			if (isPush) {
				void workers.git('branch', '--force', branch, 'main').then(() => workers.host.serve(request, response));
			}
			return isPush;
		};
		await workers.followUp(id, 'Try again');
		const task = await workers.final(id);
		assert.equal(task.status, 'error');
		assert.match(task.error ?? '', /somebody else has made or moved it/);
		assert.equal(await workers.git('rev-parse', branch), await workers.git('rev-parse', 'main'));
	});
});
