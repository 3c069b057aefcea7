import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../../../src/base/logger.ts';
import { workFolderOf } from '../../../../src/service/stateFolder.ts';
import type { NewTask } from '../../../../src/service/store/taskRecord.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useTaskRunner } from './useTaskRunner.ts';

describe('TaskRunner', () => {
	const local = useTaskRunner();
	const { slow, shell, runnerOf, task, final, logOf, completed } = local;

	it('runs twenty in the order they came, never more at once than it may, and loses none', async () => {
		const runner = runnerOf();
		const agent = shell('echo x > new.txt');
		const ids = Array.from({ length: 20 }, (_, number) => runner.create(task(`Number ${number}`), [agent]).id);
		let most = 0;
		const left = new Set<string>();
		const watches = ids.map(id =>
			local.store.watch(id, () => {
				if (local.store.get(id)?.status !== 'pending') {
					left.add(id);
				}
				const { tasks } = local.store.list({ limit: 100, offset: 0, statuses: ['processing', 'saving'] });
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
			// If two begin together, either may be the first to say so.
			assert.ok(Math.abs(ids.indexOf(id) - place) < 2, `number ${ids.indexOf(id)} began as number ${place}`);
		}
		assert.equal(new Set(records.map(({ branchName }) => branchName)).size, ids.length);
		assert.equal((await local.repository.branches()).length, ids.length + 1);
		assert.deepEqual(await readdir(path.join(local.folder, 'work')), []);
	});

	it('has room for so many that wait, and for more once some are stopped', async () => {
		const runner = runnerOf({}, { maximumRunning: 1, maximumWaiting: 2 });
		const ids = ['runs', 'waits', 'waits too'].map(prompt => runner.create(task(prompt), [slow()]).id);
		assert.ok(!runner.hasRoomFor(1));
		await runner.stop(ids[1] ?? '');
		assert.ok(runner.hasRoomFor(1));
		assert.ok(!runner.hasRoomFor(2));
		await runner.stop(ids[2] ?? '');
		await runner.stop(ids[0] ?? '');
		assert.ok(!runner.isBusy);
	});

	it('leaves nothing behind of an agent that nests folders deeper than a path can be long, and says what is not in the commit', async () => {
		const nest = `for (let level = 0; level < 3000; level++) { require('node:fs').mkdirSync('nested'); process.chdir('nested'); }
			require('node:fs').writeFileSync('file', 'x');`;
		const program = path.join(local.folder, 'nest.cjs');
		await writeFile(program, `require('node:fs').writeFileSync('new.txt', 'x'); ${nest}`);
		const agent = shell(`'${process.execPath}' '${program}'`);
		const problems: unknown[] = [];
		const logger: Logger = { log: (level, ...problem) => void (level === 'warn' && problems.push(problem)) };
		const record = await completed(runnerOf({ logger }).create(task(), [agent]).id);
		assert.deepEqual(problems, []);
		assert.equal(await local.repository.git('diff', '--name-only', 'main', record.branchName), 'new.txt\n');
		assert.ok(logOf(record).some(message => /^Left out folders that cannot be read.*: nested\/nested/.test(message)));
		assert.deepEqual(await readdir(path.join(local.folder, 'work')), []);
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
			const [good, bad] = local.store.executions(record, { diffs: true });
			assert.equal(good?.branchName, `errand/both-${id.slice(0, 8)}-1`);
			assert.match(good?.gitDiff ?? '', /^diff --git a\/one\.txt b\/one\.txt\n[\s\S]*\n\+1\n$/);
			assert.equal(bad?.status, 'error');
			assert.equal(bad?.gitDiff, null);
			assert.deepEqual(await local.repository.branches(), [good?.branchName, 'main']);
			const log = local.store.entries(record, 0, 1_000);
			assert.ok(log.every(({ message, agent }) => message.startsWith(agent === 'good' ? '[1] ' : '[2] ')));
		});

		it('leave no diff that is too large to be kept', async () => {
			const runner = runnerOf();
			const large = shell('yes 0123456789 | head -n 200000 > large.txt', 'good');
			const { id } = runner.create(task('Large', agents), [large, shell('echo 1 > one.txt', 'bad')]);
			const [first, second] = local.store.executions(await final(id), { diffs: true });
			assert.equal(first?.status, 'completed');
			assert.equal(first?.linesAdded, 200_000);
			assert.equal(first?.gitDiff, null);
			assert.ok(second?.gitDiff);
		});

		it('are stopped together, those that run and those that wait', async () => {
			const runner = runnerOf({}, { maximumRunning: 1 });
			const { id } = runner.create(task('Both', agents), [slow(), slow()]);
			await waitFor('the first', () => local.store.get(id)?.status === 'processing');
			await runner.stop(id);
			const record = local.store.get(id);
			assert.equal(record?.status, 'stopped');
			assert.ok(record && local.store.executions(record).every(({ status }) => status === 'stopped'));
			assert.ok(!runner.isBusy);
		});
	});

	describe('dependencies', () => {
		it('of an agent that is built in are named and not installed, and the log says why', async () => {
			await local.repository.write('package-lock.json', '{}');
			await local.repository.write('tools/a/Cargo.lock', '');
			await local.repository.write('node_modules/x/yarn.lock', '');
			await local.repository.commitAll('Lockfiles');
			const runner = runnerOf();
			const { id } = runner.create({ ...task(), installDependencies: true }, [shell('echo 1 > one.txt')]);
			const record = await completed(id);
			const entries = local.store.entries(record, 0, 100).filter(({ step }) => step === 'installing_dependencies');
			assert.deepEqual(
				entries.map(({ message }) => message),
				[
					'Found package-lock.json: "npm ci" installs from it.',
					'Found tools/a/Cargo.lock: "cargo fetch --locked" installs from it. Where it gets packages from by default is not known, as it could not be asked.',
					'Nothing was installed: this agent runs nothing of the repository.',
				],
			);
			assert.equal(record.filesChanged, 1);
		});

		it('are not spoken of when nobody asked, and that there are none is said', async () => {
			const runner = runnerOf();
			const silent = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			assert.ok(!logOf(silent).some(message => /install/.test(message)));
			const { id } = runner.create({ ...task(), installDependencies: true }, [shell('echo 1 > one.txt')]);
			assert.ok(
				logOf(await completed(id)).includes(
					'Neither a lockfile nor a package.json with dependencies was found, so there is nothing to install.',
				),
			);
		});
	});

	it('gives no agent a way to the token by a link of the repository', async () => {
		const state = path.join(local.folder, 'state');
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
		await mkdir(path.join(local.repository.path, 'deep'));
		await symlink('.', path.join(local.repository.path, 'here'));
		await symlink('README.md', path.join(local.repository.path, 'inside'));
		for (const [name, target] of Object.entries(targets)) {
			await symlink(target, path.join(local.repository.path, name));
		}
		await local.repository.commitAll('Links');
		// Made without care, the same files do lead there.
		const careless = path.join(work, 'careless', 'tree');
		await mkdir(careless, { recursive: true });
		await local.repository.git(`--work-tree=${careless}`, 'checkout', '--quiet', '--force', 'main', '--', '.');
		assert.equal(await readFile(path.join(careless, 'relative'), 'utf8'), 'the-token');
		assert.equal(await readFile(path.join(careless, 'chained'), 'utf8'), 'the-token');

		const runner = runnerOf({}, {}, work);
		const nosy = shell(
			'cat inside; for name in relative absolute folder/* chained deep/*; do cat "$name"; done >all; true',
		);
		const record = await completed(runner.create(task('Look'), [nosy]).id);
		assert.ok(!logOf(record).some(message => message.includes('the-token')));
		assert.ok(logOf(record).includes('# Sample'), 'a link inside the repository works');
		assert.equal(await local.repository.git('cat-file', 'blob', `${record.branchName}:all`), '');
		assert.equal(await local.repository.git('diff', '--name-only', 'main', record.branchName), 'all\n');
		assert.ok(
			logOf(record).some(message => /^Links that lead out .*: .*relative.* They stay as they are /.test(message)),
		);
	});
});
