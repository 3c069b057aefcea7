import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { startTeam } from '../../scripts/start/team.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';

describe('npm start -- --team', () => {
	it('has a service that runs a task on the sample, and is the same with the same key at the next launch', async function () {
		this.timeout(120_000);
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-start-'));
		// PostgreSQL, which may run as another user, has its data below.
		await chmod(folder, 0o755);
		const sample = path.join(folder, 'sample');
		const { origin } = makeSampleRepository(sample);
		const launch = async (): Promise<{
			address: string;
			token: string;
			tasks: { status: string; repoUrl: string }[];
		}> => {
			const team = await startTeam(path.join(folder, 'team'), sample);
			try {
				const ask = async (json?: object) => {
					const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
					const headers = { authorization: `Bearer ${team.token}` };
					return (await fetch(`${team.address}/api/tasks`, { ...body, headers })).json();
				};
				const repoUrl = await git('-C', sample, 'remote', 'get-url', 'origin');
				await ask({ prompt: 'Write a note', repoUrl: repoUrl.trim() });
				const tasks = async () => ((await ask()) as { tasks: { status: string; repoUrl: string }[] }).tasks;
				await waitFor('the end of the task', async () => (await tasks())[0]?.status === 'completed', 60_000);
				return { address: team.address, token: team.token, tasks: await tasks() };
			} finally {
				await team.stop();
			}
		};
		const repository = await TemporaryRepository.create();
		const git = (...args: string[]) => repository.git(...args);
		try {
			const [first, second] = [await launch(), await launch()];
			assert.deepEqual([second.address, second.token], [first.address, first.token]);
			assert.equal(second.tasks.length, 2);
			const branches = await git('--git-dir', origin, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/errand');
			assert.equal(branches.trim().split('\n').length, 2);
		} finally {
			await repository.remove();
			await rm(folder, { recursive: true, force: true });
		}
	});
});
