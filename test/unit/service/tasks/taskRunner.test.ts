import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nullLogger } from '../../../../src/base/logger.ts';
import { isFinalStatus } from '../../../../src/contract/tasks.ts';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { NewTask, TaskRecord } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { childEnvironment } from '../../../../src/service/tasks/childEnvironment.ts';
import { markedEnvironment } from '../../../../src/service/tasks/processFamily.ts';
import { processMarker } from '../../../../src/service/tasks/taskRun.ts';
import { TaskRunner, type TaskRunnerOptions } from '../../../../src/service/tasks/taskRunner.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';

describe('TaskRunner', function () {
	this.timeout(30_000);
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;
	let repository: TemporaryRepository;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-runner-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
		repository = await TemporaryRepository.create();
	});
	afterEach(async () => {
		if (database.isOpen) {
			database.close();
		}
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	/** Writes its process id to a file, and takes its time to end when asked. */
	const slow = (): Agent => ({
		id: 'slow',
		models: ['none'],
		launch: () => ({
			command: process.execPath,
			args: [
				'-e',
				`process.on('SIGTERM', () => setTimeout(() => process.exit(), 500));
				require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'pid'))}, process.pid + '\\n');
				setInterval(() => {}, 1000);`,
			],
			env: childEnvironment(process.env, {}),
		}),
	});

	/** Runs a line of shell in the tree. */
	const shell = (line: string, id = 'shell'): Agent => ({
		id,
		models: ['none'],
		launch: () => ({ command: '/bin/sh', args: ['-c', line], env: childEnvironment(process.env, {}) }),
	});

	const runnerOf = (options: Partial<TaskRunnerOptions> = {}) =>
		new TaskRunner({
			store,
			folder: path.join(folder, 'work'),
			agents: [],
			logger: nullLogger,
			onBroken: error => assert.fail(`The store is broken: ${error}`),
			...options,
		});

	const task = (prompt = 'Try it', agents: NewTask['agents'] = [{ agent: 'slow', model: 'none' }]) => ({
		prompt,
		repoUrl: repository.path,
		selectedBranch: 'main',
		agents,
		installDependencies: false,
		maxDuration: 60,
	});

	const final = (id: string): Promise<TaskRecord> =>
		waitFor(
			'the end of the task',
			() => {
				const record = store.get(id);
				return record !== undefined && isFinalStatus(record.status) && record;
			},
			25_000,
		);

	const logOf = (record: TaskRecord) => store.entries(record, 0, 1_000).map(({ message }) => message);

	async function completed(id: string): Promise<TaskRecord & { branchName: string }> {
		const record = await final(id);
		assert.equal(record.status, 'completed', record.error ?? '');
		assert.ok(record.branchName);
		return { ...record, branchName: record.branchName };
	}

	it('runs fifty in the order they came, never more at once than it may, and loses none', async function () {
		this.timeout(90_000);
		const runner = runnerOf();
		const agent = shell('echo x > new.txt');
		const ids = Array.from({ length: 50 }, (_, number) => runner.create(task(`Number ${number}`), [agent]).id);
		let most = 0;
		const left = new Set<string>();
		const watches = ids.map(id =>
			store.watch(id, () => {
				if (store.get(id)?.status !== 'pending') {
					left.add(id);
				}
				const { tasks } = store.list({ limit: 100, offset: 0, statuses: ['processing', 'saving'] });
				most = Math.max(most, tasks.length);
			}),
		);
		await waitFor('all to end', () => !runner.isBusy, 80_000);
		for (const watch of watches) {
			watch.dispose();
		}
		assert.equal(most, 2);
		const records = await Promise.all(ids.map(completed));
		assert.equal(left.size, ids.length);
		for (const [place, id] of [...left].entries()) {
			// Of two that begin together either may be the first to say so.
			assert.ok(Math.abs(ids.indexOf(id) - place) < 2, `number ${ids.indexOf(id)} began as number ${place}`);
		}
		assert.equal(new Set(records.map(({ branchName }) => branchName)).size, 50);
		assert.equal((await repository.branches()).length, 51);
		assert.deepEqual(await readdir(path.join(folder, 'work')), []);
	});

	it('has room for so many that wait, and for more once some are stopped', async () => {
		const runner = runnerOf({ maximumRunning: 1, maximumWaiting: 2 });
		const ids = ['runs', 'waits', 'waits too'].map(prompt => runner.create(task(prompt), [slow()]).id);
		assert.ok(!runner.hasRoomFor(1));
		await runner.stop(ids[1] ?? '');
		assert.ok(runner.hasRoomFor(1));
		assert.ok(!runner.hasRoomFor(2));
		await runner.stop(ids[2] ?? '');
		await runner.stop(ids[0] ?? '');
		assert.ok(!runner.isBusy);
	});

	describe('after a crash', () => {
		it('names the branch that one was about to make, since it may be there', async () => {
			store.create({ ...task('Name the branch'), id: '01234567-89' });
			store.update('01234567-89', 0, { status: 'saving', progress: 90 });
			await runnerOf().recover();
			const after = store.get('01234567-89');
			assert.equal(after?.status, 'error');
			assert.equal(after?.interrupted, true);
			assert.match(
				after?.error ?? '',
				/^Interrupted: .* the branch errand\/name-the-branch-01234567; if that is there/,
			);
			assert.equal(after?.branchName, null);
		});

		it('does not speak of a branch where the agent was still at work', async () => {
			store.create({ ...task(), id: 'early' });
			store.update('early', 0, { status: 'processing', progress: 20 });
			await runnerOf().recover();
			assert.equal(store.get('early')?.error, 'Interrupted: the local service stopped while the task was running.');
		});

		it('goes on with what waited, in the order it came', async () => {
			const agent = shell('echo x > new.txt', 'slow');
			for (const id of ['first', 'second', 'third']) {
				store.create({ ...task(id), id });
			}
			const runner = runnerOf({ agents: [agent], maximumRunning: 1 });
			await runner.recover();
			assert.ok(runner.isBusy);
			assert.equal(store.get('first')?.status, 'pending');
			runner.start();
			const records = await Promise.all(['first', 'second', 'third'].map(completed));
			const started = records.map(({ startedAt }) => startedAt ?? '');
			assert.deepEqual(started, [...started].sort());
		});

		it('says of one that waited that its agent is not here any more', async () => {
			store.create({ ...task(), id: 'orphan' });
			const runner = runnerOf();
			await runner.recover();
			assert.match(store.get('orphan')?.error ?? '', /There is no agent "slow" here any more/);
			assert.equal(store.get('orphan')?.interrupted, false);
			assert.ok(!runner.isBusy);
		});

		it('ends the one agent that ran and goes on with the one that waited, of a task of two', async () => {
			const agents: NewTask['agents'] = [
				{ agent: 'slow', model: 'none' },
				{ agent: 'slow', model: 'none' },
			];
			store.create({ ...task('Both', agents), id: 'both' });
			store.update('both', 0, { status: 'processing', progress: 20 });
			const runner = runnerOf({ agents: [shell('echo x > new.txt', 'slow')] });
			await runner.recover();
			runner.start();
			const record = await final('both');
			assert.equal(record.status, 'completed');
			const [first, second] = store.executions(record);
			assert.match(first?.error ?? '', /^Interrupted/);
			assert.equal(second?.status, 'completed');
		});

		it('ends the processes that the earlier service left', async function () {
			if (process.platform !== 'linux') {
				this.skip();
			}
			store.create({ ...task(), id: 'left' });
			store.update('left', 0, { status: 'processing', progress: 20 });
			const { command, args, env } = slow().launch();
			const marked = { ...env, ...markedEnvironment(processMarker('left', 0)) };
			const left = spawn(command, args, { env: marked, detached: true, stdio: 'ignore' });
			try {
				await runnerOf().recover();
				assert.ok(!(await isAlive(left.pid ?? 0)));
			} finally {
				left.kill('SIGKILL');
			}
		});
	});

	it('leaves nothing behind of an agent that nests folders deeper than a path can be long, and says what is not in the commit', async () => {
		const nest = `for (let level = 0; level < 3000; level++) { require('node:fs').mkdirSync('nested'); process.chdir('nested'); }
			require('node:fs').writeFileSync('file', 'x');`;
		const agent: Agent = {
			...shell(''),
			launch: () => ({
				command: process.execPath,
				args: ['-e', `require('node:fs').writeFileSync('new.txt', 'x'); ${nest}`],
				env: childEnvironment(process.env, {}),
			}),
		};
		const record = await completed(runnerOf().create(task(), [agent]).id);
		assert.equal(await repository.git('diff', '--name-only', 'main', record.branchName), 'new.txt\n');
		assert.ok(logOf(record).some(message => /^Left out folders that cannot be read.*: nested\/nested/.test(message)));
		assert.deepEqual(await readdir(path.join(folder, 'work')), []);
	}).timeout(120_000);

	describe('a follow-up', () => {
		const followUp = { prompt: 'And more', agent: 'shell', model: 'none' };

		it('goes on with the branch and the log; the statistics are of the whole branch', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task('Begin'), [shell('echo 1 > one.txt')]).id);
			const before = logOf(first);
			const tip = await repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('cat >> one.txt; echo 2 > two.txt'));
			assert.equal(store.get(first.id)?.status, 'pending');
			const second = await completed(first.id);
			assert.equal(second.branchName, first.branchName);
			assert.equal(await repository.head(`${second.branchName}^`), tip);
			assert.equal(await repository.git('cat-file', 'blob', `${second.branchName}:one.txt`), '1\nAnd more');
			assert.equal((await repository.git('log', '-1', '--format=%s', second.branchName)).trim(), 'And more');
			assert.deepEqual([second.linesAdded, second.linesRemoved, second.filesChanged], [3, 0, 2]);
			const log = logOf(second);
			assert.deepEqual(log.slice(0, before.length), before);
			assert.equal(log[before.length], 'Asked to go on: And more');
			assert.match(log[before.length + 1] ?? '', /^Cloning errand\/begin-/);
		});

		it('keeps the branch and its statistics when the agent fails, and can be asked again', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt; exit 3'));
			const failed = await final(first.id);
			assert.equal(failed.status, 'error');
			assert.match(failed.error ?? '', /exit code 3.*The branch is as it was/);
			assert.equal(failed.branchName, first.branchName);
			assert.equal(failed.filesChanged, 1);
			assert.equal(await repository.head(first.branchName), tip);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			assert.equal((await completed(first.id)).filesChanged, 2);
		});

		it('that changes nothing leaves the branch and its statistics', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('true'));
			const second = await completed(first.id);
			assert.match(logOf(second).at(-1) ?? '', /there is no new commit/);
			assert.equal(second.filesChanged, 1);
			assert.equal(await repository.head(first.branchName), tip);
		});

		it('takes up what the user has added to the branch, and never overwrites what he adds meanwhile', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await repository.git('checkout', '--quiet', first.branchName);
			await repository.write('mine.txt', 'mine\n');
			await repository.commitAll('Mine');
			await repository.git('checkout', '--quiet', 'main');
			runner.continue(first.id, followUp, shell('cat mine.txt; echo 2 > two.txt'));
			const second = await completed(first.id);
			assert.equal(second.filesChanged, 3);

			const gate = path.join(folder, 'gate');
			runner.continue(first.id, followUp, shell(`echo 3 > three.txt; while [ ! -e ${gate} ]; do sleep 0.02; done`));
			await waitFor('the agent', () => store.get(first.id)?.progress === 20);
			await repository.git('update-ref', `refs/heads/${first.branchName}`, 'main');
			await repository.git('update-ref', 'refs/heads/gone', 'main');
			await writeFile(gate, '');
			const third = await final(first.id);
			assert.equal(third.status, 'error');
			assert.match(third.error ?? '', /moved by somebody else meanwhile/);
			assert.equal(await repository.head(first.branchName), await repository.head('main'));
		});

		it('counts from itself on where the user has rewritten the branch, and says so', async () => {
			const runner = runnerOf();
			await repository.write('more.txt', 'more\n');
			await repository.commitAll('More');
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await repository.git('update-ref', `refs/heads/${first.branchName}`, 'main^');
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			const second = await completed(first.id);
			assert.equal(second.filesChanged, 1);
			assert.ok(logOf(second).some(message => /count from this follow-up on/.test(message)));
		});

		it('says before an agent works that the branch is checked out, or is gone', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await repository.git('checkout', '--quiet', first.branchName);
			runner.continue(first.id, followUp, shell('echo worked'));
			const held = await final(first.id);
			assert.match(held.error ?? '', /is checked out in .* Switch to another branch/);
			assert.ok(!logOf(held).includes('worked'));
			await repository.git('checkout', '--quiet', 'main');
			await repository.git('branch', '-D', first.branchName);
			runner.continue(first.id, followUp, shell('echo worked'));
			const gone = await final(first.id);
			assert.match(gone.error ?? '', /is no longer in .* Start a new task/);
			assert.ok(!logOf(gone).includes('worked'));
		});

		it('is not lost to a linked worktree that has the branch: git refuses, and that is said', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await repository.head(first.branchName);
			await repository.git('worktree', 'add', '--quiet', path.join(repository.folder, 'linked'), first.branchName);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			const held = await final(first.id);
			assert.match(held.error ?? '', /is checked out in/);
			assert.equal(await repository.head(first.branchName), tip);
		});
	});

	describe('a follow-up to a branch that is checked out while its agent works', () => {
		const followUp = { prompt: 'And more', agent: 'shell', model: 'none' };

		/** Goes on with a task; `meanwhile` happens while the agent works. */
		async function goOn(meanwhile: (branch: string) => Promise<unknown>) {
			const runner = runnerOf();
			const first = await completed(runner.create(task('Begin'), [shell('echo 1 > one.txt')]).id);
			const gate = path.join(folder, 'gate');
			runner.continue(first.id, followUp, shell(`echo 2 > two.txt; while [ ! -e ${gate} ]; do sleep 0.02; done`));
			await waitFor('the agent', () => store.get(first.id)?.progress === 20);
			const tip = await repository.head(first.branchName);
			await meanwhile(first.branchName);
			await writeFile(gate, '');
			return { first, tip, second: await completed(first.id) };
		}

		/** Another branch has the work, and the log says so. */
		async function assertElsewhere({ first, tip, second }: Awaited<ReturnType<typeof goOn>>): Promise<void> {
			assert.equal(await repository.head(first.branchName), tip, 'the branch was moved');
			assert.equal(second.branchName, `${first.branchName}-2`);
			assert.equal(await repository.head(`${second.branchName}^`), tip);
			assert.equal(await repository.git('show', `${second.branchName}:two.txt`), '2\n');
			assert.equal(second.filesChanged, 2);
			const log = logOf(second);
			assert.ok(log.some(message => message.includes(`${first.branchName} has been checked out meanwhile`)));
			assert.match(log.at(-1) ?? '', new RegExp(`^The branch ${second.branchName} is in `));
		}

		const linked = () => path.join(repository.folder, 'linked');
		const places: Record<string, (branch: string) => Promise<string>> = {
			'the repository itself': async branch => {
				await repository.git('checkout', '--quiet', branch);
				return repository.path;
			},
			'a linked worktree': async branch => {
				await repository.git('worktree', 'add', '--quiet', linked(), branch);
				return linked();
			},
		};
		for (const [where, checkOut] of Object.entries(places)) {
			for (const value of ['updateInstead', 'ignore', 'warn', 'false']) {
				it(`is made on a new branch: in ${where}, where receive.denyCurrentBranch is ${value}`, async () => {
					await repository.git('config', 'receive.denyCurrentBranch', value);
					let place = '';
					const outcome = await goOn(async branch => {
						place = await checkOut(branch);
						await writeFile(path.join(place, 'mine.txt'), 'mine\n');
					});
					await assertElsewhere(outcome);
					assert.equal(await repository.git('-C', place, 'status', '--porcelain'), '?? mine.txt\n');
					assert.ok(!(await readdir(place)).includes('two.txt'));
				});
			}
		}

		it('is made on a new branch where a worktree’s own configuration says otherwise', async () => {
			await repository.git('config', 'extensions.worktreeConfig', 'true');
			const outcome = await goOn(async branch => {
				await repository.git('checkout', '--quiet', branch);
				await repository.git('config', '--worktree', 'receive.denyCurrentBranch', 'updateInstead');
			});
			await assertElsewhere(outcome);
			assert.equal(await repository.git('status', '--porcelain'), '');
		});

		it('is made on a new branch where the repository says of itself that it has no files', async () => {
			const outcome = await goOn(async branch => {
				await repository.git('checkout', '--quiet', branch);
				await repository.git('config', 'core.bare', 'true');
			});
			await assertElsewhere(outcome);
			await repository.git('config', 'core.bare', 'false');
			assert.equal(await repository.git('status', '--porcelain'), '');
		});

		it('is made on a new branch while somebody rebases the branch', async () => {
			const outcome = await goOn(async branch => {
				await repository.git('checkout', '--quiet', branch);
				await repository.git('rebase', '--quiet', '--force-rebase', '--exec', 'false', 'main').catch(() => {});
			});
			await assertElsewhere(outcome);
		});

		it('goes on with the new branch the next time', async () => {
			const { first, second } = await goOn(branch => repository.git('checkout', '--quiet', branch));
			const runner = runnerOf();
			runner.continue(first.id, followUp, shell('echo 3 > three.txt'));
			const third = await completed(first.id);
			assert.equal(third.branchName, second.branchName);
			assert.equal(third.filesChanged, 3);
		});
	});

	describe('several agents', () => {
		const agents: NewTask['agents'] = [
			{ agent: 'good', model: 'none' },
			{ agent: 'bad', model: 'none' },
		];

		it('work each on a branch of its own; one that fails does not take the others with it', async () => {
			const runner = runnerOf();
			const { id } = runner.create(task('Both', agents), [shell('echo 1 > one.txt', 'good'), shell('exit 1', 'bad')]);
			const record = await final(id);
			assert.equal(record.status, 'completed');
			assert.equal(record.branchName, null);
			const [good, bad] = store.executions(record, { diffs: true });
			assert.equal(good?.branchName, `errand/both-${id.slice(0, 8)}-1`);
			assert.match(good?.gitDiff ?? '', /^diff --git a\/one\.txt b\/one\.txt\n[\s\S]*\n\+1\n$/);
			assert.equal(bad?.status, 'error');
			assert.equal(bad?.gitDiff, null);
			assert.deepEqual(await repository.branches(), [good?.branchName, 'main']);
			const log = store.entries(record, 0, 1_000);
			assert.ok(log.every(({ message, agent }) => message.startsWith(agent === 'good' ? '[1] ' : '[2] ')));
		});

		it('leave no diff that is too large to be kept', async () => {
			const runner = runnerOf();
			const large = shell('yes 0123456789 | head -n 200000 > large.txt', 'good');
			const { id } = runner.create(task('Large', agents), [large, shell('echo 1 > one.txt', 'bad')]);
			const [first, second] = store.executions(await final(id), { diffs: true });
			assert.equal(first?.status, 'completed');
			assert.equal(first?.linesAdded, 200_000);
			assert.equal(first?.gitDiff, null);
			assert.ok(second?.gitDiff);
		});

		it('are stopped together, those that run and those that wait', async () => {
			const runner = runnerOf({ maximumRunning: 1 });
			const { id } = runner.create(task('Both', agents), [slow(), slow()]);
			await waitFor('the first', () => store.get(id)?.status === 'processing');
			await runner.stop(id);
			const record = store.get(id);
			assert.equal(record?.status, 'stopped');
			assert.ok(record && store.executions(record).every(({ status }) => status === 'stopped'));
			assert.ok(!runner.isBusy);
		});
	});

	describe('dependencies', () => {
		it('are named with their lockfiles and not installed, and the log says why', async () => {
			await repository.write('package-lock.json', '{}');
			await repository.write('tools/a/Cargo.lock', '');
			await repository.write('node_modules/x/yarn.lock', '');
			await repository.commitAll('Lockfiles');
			const runner = runnerOf();
			const { id } = runner.create({ ...task(), installDependencies: true }, [shell('echo 1 > one.txt')]);
			const record = await completed(id);
			const entries = store.entries(record, 0, 100).filter(({ step }) => step === 'installing_dependencies');
			assert.deepEqual(
				entries.map(({ message }) => message),
				[
					'Found package-lock.json: "npm ci" would install from it.',
					'Found tools/a/Cargo.lock: "cargo fetch --locked" would install from it.',
					'Nothing was installed: an installation runs programs of the repository, and there is no sandbox for them.',
				],
			);
			assert.equal(record.filesChanged, 1);
		});

		it('are not spoken of when nobody asked, and that there are none is said', async () => {
			const runner = runnerOf();
			const silent = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			assert.ok(!logOf(silent).some(message => /install/.test(message)));
			const { id } = runner.create({ ...task(), installDependencies: true }, [shell('echo 1 > one.txt')]);
			assert.ok(logOf(await completed(id)).includes('No lockfile was found, so there is nothing to install.'));
		});
	});

	it('gives no agent a way to the token by a link of the repository', async () => {
		const state = path.join(folder, 'state');
		const work = workFolderOf(state);
		const secret = path.join(state, 'discovery.json');
		await mkdir(state);
		await writeFile(secret, 'the-token');
		const targets = {
			relative: path.relative(path.join(work, 'task', 'tree'), secret),
			absolute: secret,
			folder: '../../../state',
			chained: 'here/../../../state/discovery.json',
			'deep/relative': `../${path.relative(path.join(work, 'task', 'tree'), secret)}`,
		};
		await mkdir(path.join(repository.path, 'deep'));
		await symlink('.', path.join(repository.path, 'here'));
		await symlink('README.md', path.join(repository.path, 'inside'));
		for (const [name, target] of Object.entries(targets)) {
			await symlink(target, path.join(repository.path, name));
		}
		await repository.commitAll('Links');
		// Made without care, the same files do lead there.
		const careless = path.join(work, 'careless', 'tree');
		await mkdir(careless, { recursive: true });
		await repository.git(`--work-tree=${careless}`, 'checkout', '--quiet', '--force', 'main', '--', '.');
		assert.equal(await readFile(path.join(careless, 'relative'), 'utf8'), 'the-token');
		assert.equal(await readFile(path.join(careless, 'chained'), 'utf8'), 'the-token');

		const runner = runnerOf({ folder: work });
		const nosy = shell(
			'cat inside; for name in relative absolute folder/* chained deep/*; do cat "$name"; done >all; true',
		);
		const record = await completed(runner.create(task('Look'), [nosy]).id);
		assert.ok(!logOf(record).some(message => message.includes('the-token')));
		assert.ok(logOf(record).includes('# Sample'), 'a link inside the repository works');
		assert.equal(await repository.git('cat-file', 'blob', `${record.branchName}:all`), '');
		assert.equal(await repository.git('diff', '--name-only', 'main', record.branchName), 'all\n');
		assert.ok(
			logOf(record).some(message => /^Links that lead out .*: .*relative.* They stay as they are /.test(message)),
		);
	});

	it('leaves what waits waiting when it is shut down', async () => {
		const runner = runnerOf({ maximumRunning: 1 });
		const ids = ['one', 'two'].map(prompt => runner.create(task(prompt), [slow()]).id);
		await waitFor('the first', () => store.get(ids[0] ?? '')?.status === 'processing');
		await runner.shutdown();
		assert.match(store.get(ids[0] ?? '')?.error ?? '', /^Interrupted/);
		assert.equal(store.get(ids[1] ?? '')?.status, 'pending');
	});

	it('has ended every child when it is shut down, even when nothing can be stored any more', async () => {
		const broken: unknown[] = [];
		const runner = runnerOf({ onBroken: error => broken.push(error) });
		runner.create(task(), [slow()]);
		const pid = await waitFor('the agent', async () => {
			const text = await readFile(path.join(folder, 'pid'), 'utf8').catch(() => '');
			return text.endsWith('\n') && Number(text);
		});
		// One more that runs, and one that waits.
		runner.create(task(), [slow()]);
		runner.create(task(), [slow()]);
		database.close();
		await runner.shutdown();
		assert.ok(!(await isAlive(pid)), 'the agent is still there');
		assert.ok(broken.length > 0);
	});
});
