import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment } from '../../../../src/base/childEnvironment.ts';
import { markedEnvironment } from '../../../../src/base/processFamily.ts';
import type { NewTask } from '../../../../src/service/store/taskRecord.ts';
import { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { writeGitConfiguration } from '../../../../src/service/tasks/sourceRepository.ts';
import { processMarker } from '../../../../src/service/tasks/taskPlace.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';
import { useTaskRunner } from './useTaskRunner.ts';

describe('TaskRunner, when a service ends or starts again', () => {
	const local = useTaskRunner();
	const { slow, shell, runnerOf, task, final, completed } = local;

	describe('after a crash', () => {
		const interruptedPush = async (fields: Partial<NewTask> = {}) => {
			local.store.create({ ...task('Name the branch'), id: '01234567-89', ...fields });
			local.store.update('01234567-89', 0, { status: 'saving', progress: 90 });
			await runnerOf().recover();
			const after = local.store.get('01234567-89');
			assert.equal(after?.status, 'error');
			assert.equal(after?.interrupted, true);
			return after?.error ?? '';
		};

		it('says of the branch that one was about to make whether it is there', async () => {
			const branch = 'errand/name-the-branch-01234567';
			assert.match(
				await interruptedPush(),
				/^Interrupted: .* It was about to make the branch errand\/name-the-branch-01234567, which is not there: /,
			);
			local.store.create({ ...task('Name the branch'), id: '01234567-90' });
			local.store.update('01234567-90', 0, { status: 'saving', progress: 90 });
			await local.repository.git('branch', branch);
			await runnerOf().recover();
			assert.match(
				local.store.get('01234567-90')?.error ?? '',
				/^Interrupted: .* Its work is whole, on the branch errand/,
			);
		});

		it('knows the branch that one has made, and can go on with it', async () => {
			const runner = runnerOf();
			const { id, branchName } = await completed(
				runner.create(task('Make it'), [shell('echo x > new.txt', 'slow')]).id,
			);
			await runner.shutdown();
			const [{ baseCommit } = { baseCommit: null }] = local.store.executions(local.store.get(id) ?? assert.fail());
			// As a service leaves it that is killed when git has made the branch and nothing of it is recorded.
			local.database
				.prepare(
					"UPDATE executions SET status = 'saving', branchName = NULL, baseCommit = NULL, linesAdded = NULL, filesChanged = NULL",
				)
				.run();
			local.database.prepare("UPDATE tasks SET status = 'saving', branchName = NULL").run();
			assert.equal(local.store.get(id)?.branchName, null);
			await runnerOf().recover();
			const after = local.store.get(id);
			assert.deepEqual([after?.status, after?.interrupted, after?.branchName], ['error', true, branchName]);
			// The folder of a built-in agent goes with its work, so nothing more is known here.
			assert.ok(baseCommit);
			const agent = shell('test -f new.txt && echo y > more.txt', 'slow');
			const next = runnerOf();
			next.continue(id, { prompt: 'Go on', agent: 'slow', model: 'none' }, agent);
			assert.equal((await final(id)).status, 'completed');
			assert.equal(await local.repository.git('show', `${branchName}:more.txt`), 'y\n');
		});

		it('knows the statistics of such a branch as far as the checkout is there', async () => {
			local.store.create({ ...task('Name the branch'), id: '01234567-91' });
			local.store.update('01234567-91', 0, { status: 'saving', progress: 90 });
			const folder = path.join(local.folder, 'work', '01234567-91-0');
			const { signal } = new AbortController();
			await mkdir(folder, { recursive: true });
			await writeGitConfiguration(folder, signal);
			const start = (await local.repository.git('rev-parse', 'main')).trim();
			const source = { branch: 'main', commit: start, objectFormat: 'sha1' } as const;
			const sourceFolder = local.repository.path;
			const checkout = await Checkout.create({ folder, sourceFolder, agent: 'slow', signal, source });
			await writeFile(path.join(checkout.tree, 'new.txt'), 'one\ntwo\n');
			const { commit } = await checkout.commit('Work');
			await checkout.push(commit ?? assert.fail(), 'errand/name-the-branch-01234567');
			await runnerOf().recover();
			const [execution] = local.store.executions(local.store.get('01234567-91') ?? assert.fail());
			assert.deepEqual(
				[execution?.branchName, execution?.baseCommit, execution?.linesAdded, execution?.filesChanged],
				['errand/name-the-branch-01234567', start, 2, 1],
			);
			assert.equal(execution?.hasWork, false);
		});

		it('says that the branch is whole if it is there, where the repository cannot be read', async () => {
			assert.match(
				await interruptedPush({ repoUrl: path.join(local.folder, 'gone') }),
				/the branch errand\/name-the-branch-01234567; if that is there, it is whole\.$/,
			);
		});

		it('says of the branch of a follow-up whether its work has moved it on', async () => {
			const runner = runnerOf();
			const { id, branchName } = await completed(runner.create(task('Begin'), [shell('echo x > new.txt', 'slow')]).id);
			await runner.shutdown();
			/** What it says after a service was killed while it saved a follow-up. `push` is what became of the branch. */
			const errorAfter = async (push: () => Promise<unknown>) => {
				const folder = path.join(local.folder, 'work', `${id}-0`);
				const { signal } = new AbortController();
				await mkdir(folder, { recursive: true });
				await writeGitConfiguration(folder, signal);
				const commit = (await local.repository.git('rev-parse', branchName)).trim();
				const source = { branch: branchName, commit, objectFormat: 'sha1' } as const;
				const sourceFolder = local.repository.path;
				await Checkout.create({ folder, sourceFolder, agent: 'slow', signal, source });
				local.store.followUp(id, { prompt: 'Go on', agent: 'slow', model: 'none' }, []);
				local.store.update(id, 0, { status: 'saving', progress: 90 });
				await push();
				await runnerOf().recover();
				return local.store.get(id)?.error ?? '';
			};
			assert.match(
				await errorAfter(async () => {}),
				/the branch errand\/begin-\w+ on, which is where it was: the work did not get/,
			);
			assert.match(
				await errorAfter(() => local.repository.git('branch', '--force', branchName, 'main')),
				/Its work is on the branch errand\/begin-\w+, which has moved on, unless somebody else/,
			);
			assert.match(
				await errorAfter(() => local.repository.git('branch', '-D', branchName)),
				/the branch errand\/begin-\w+ on, which is not there any more\.$/,
			);
		});

		it('does not speak of a branch where the agent was still at work', async () => {
			local.store.create({ ...task(), id: 'early' });
			local.store.update('early', 0, { status: 'processing', progress: 20 });
			await runnerOf().recover();
			assert.equal(
				local.store.get('early')?.error,
				'Interrupted: the local service stopped while the task was running.',
			);
		});

		it('goes on with what waited, in the order it came', async () => {
			const agent = shell('echo x > new.txt', 'slow');
			for (const id of ['first', 'second', 'third']) {
				local.store.create({ ...task(id), id });
			}
			const runner = runnerOf({ agentOf: () => agent }, { maximumRunning: 1 });
			await runner.recover();
			assert.ok(runner.isBusy);
			assert.equal(local.store.get('first')?.status, 'pending');
			runner.start();
			const records = await Promise.all(['first', 'second', 'third'].map(completed));
			const started = records.map(({ startedAt }) => startedAt ?? '');
			assert.deepEqual(started, [...started].sort());
		});

		it('says of one that waited that its agent is not here any more', async () => {
			local.store.create({ ...task(), id: 'orphan' });
			const runner = runnerOf();
			await runner.recover();
			assert.match(local.store.get('orphan')?.error ?? '', /There is no agent "slow" here any more/);
			assert.equal(local.store.get('orphan')?.interrupted, false);
			assert.ok(!runner.isBusy);
		});

		it('ends the one agent that ran and goes on with the one that waited, of a task of two', async () => {
			const agents: NewTask['agents'] = [
				{ agent: 'slow', model: 'none' },
				{ agent: 'slow', model: 'none' },
			];
			local.store.create({ ...task('Both', agents), id: 'both' });
			local.store.update('both', 0, { status: 'processing', progress: 20 });
			const runner = runnerOf({ agentOf: () => shell('echo x > new.txt', 'slow') });
			await runner.recover();
			runner.start();
			const record = await final('both');
			assert.equal(record.status, 'completed');
			const [first, second] = local.store.executions(record);
			assert.match(first?.error ?? '', /^Interrupted/);
			assert.equal(second?.status, 'completed');
		});

		it('ends the processes that the earlier service left', async function () {
			if (process.platform !== 'linux') {
				this.skip();
			}
			local.store.create({ ...task(), id: 'left' });
			local.store.update('left', 0, { status: 'processing', progress: 20 });
			const env = { ...childEnvironment(process.env, {}), ...markedEnvironment(processMarker('left', 0)) };
			const left = spawn('/bin/sh', ['-c', 'sleep 100'], { env, detached: true, stdio: 'ignore' });
			try {
				await runnerOf().recover();
				assert.ok(!(await isAlive(left.pid ?? 0)));
			} finally {
				left.kill('SIGKILL');
			}
		});
	});

	it('leaves what waits waiting when it is shut down', async () => {
		const runner = runnerOf({}, { maximumRunning: 1 });
		const ids = ['one', 'two'].map(prompt => runner.create(task(prompt), [slow()]).id);
		await waitFor('the first', () => local.store.get(ids[0] ?? '')?.status === 'processing');
		await runner.shutdown();
		assert.match(local.store.get(ids[0] ?? '')?.error ?? '', /^Interrupted/);
		assert.equal(local.store.get(ids[1] ?? '')?.status, 'pending');
	});

	it('has ended every child when it is shut down, even when nothing can be stored any more', async () => {
		const broken: unknown[] = [];
		const runner = runnerOf({ onBroken: error => broken.push(error) });
		runner.create(task(), [slow()]);
		const pid = await waitFor('the agent', async () => {
			const text = await readFile(path.join(local.folder, 'pid'), 'utf8').catch(() => '');
			return text.endsWith('\n') && Number(text);
		});
		// One more that runs, and one that waits.
		runner.create(task(), [slow()]);
		runner.create(task(), [slow()]);
		local.database.close();
		await runner.shutdown();
		assert.ok(!(await isAlive(pid)), 'the agent is still there');
		assert.ok(broken.length > 0);
	});
});
