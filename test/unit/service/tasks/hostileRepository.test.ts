import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, lstat, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gitPrograms, pathWith, sayWithoutNamedHooks } from '../../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../../support/repositoryTrap.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, errorOf, finalTask, logOf, readTask, stopTask } from '../helpers.ts';

describe('a hostile repository', sayWithoutNamedHooks);

for (const program of gitPrograms()) {
	describe(`a hostile repository, with ${program.label},`, () => {
		let service: ServiceProcess;
		let trap: RepositoryTrap;

		before(async () => {
			service = await ServiceProcess.start({ environment: pathWith(program) });
		});
		after(() => service.stop());
		beforeEach(async () => {
			trap = await RepositoryTrap.create();
		});
		afterEach(() => trap.remove());

		async function run(expected: 'completed' | 'error', repoUrl = trap.repository.path) {
			const task = await createTask(service, { prompt: 'Look around', repoUrl });
			const ended = await finalTask(service, task.id);
			const log = await logOf(service, task.id);
			assert.equal(ended.status, expected, `${ended.error}\n${log.map(({ log }) => log.message).join('\n')}`);
			assert.deepEqual(await trap.sprung(), []);
			return ended;
		}

		it('has traps that do spring when git is used without care', async () => {
			const { repository } = trap;
			await trap.script(path.join(repository.path, '.git', 'hooks', 'post-commit'), 'hook');
			await repository.git(
				'config',
				'core.fsmonitor',
				await trap.script(path.join(repository.folder, 'monitor'), 'monitor'),
			);
			await repository.git('config', 'filter.evil.clean', trap.command('clean'));
			await repository.write('.gitattributes', '*.evil filter=evil\n');
			await repository.write('x.evil', 'x');
			await repository.commitAll('Careless');
			assert.deepEqual(await trap.sprung(), ['clean', 'hook', 'monitor']);
		});

		if (program.runsNamedHooks) {
			it('has named hooks that do spring when git is used without care', async () => {
				const { repository } = trap;
				await trap.plantNamedHooks(path.join(repository.path, '.git', 'config'));
				await repository.git('config', 'core.hooksPath', os.devNull);
				await promisify(execFile)(program.path, ['push', '--quiet', '.', 'main:refs/heads/pushed'], {
					cwd: repository.path,
				});
				const sprung = await trap.sprung();
				for (const event of [
					'pre-push',
					'pre-receive',
					'update',
					'reference-transaction',
					'post-receive',
					'post-update',
				]) {
					assert.ok(sprung.includes(`${event}-of-named-${event}`), `${event}: ${sprung}`);
				}
			});
		}

		it('runs no hook, on either side', async () => {
			await trap.plantHooks(path.join(trap.repository.path, '.git', 'hooks'));
			await run('completed');
		});

		it('runs no hook of a folder that core.hooksPath names', async () => {
			const { repository } = trap;
			const hooks = path.join(repository.folder, 'hooks');
			await trap.plantHooks(hooks);
			await repository.git('config', 'core.hooksPath', hooks);
			await run('completed');
		});

		it('runs no hook that its configuration names, nor one of a file that this includes or of a worktree’s own', async () => {
			const { repository } = trap;
			const included = path.join(repository.folder, 'included');
			const conditional = path.join(repository.folder, 'conditional');
			await trap.plantNamedHooks(path.join(repository.path, '.git', 'config'));
			await trap.plantNamedHooks(included, 'included');
			await trap.plantNamedHooks(conditional, 'conditional');
			await repository.git('config', 'include.path', included);
			await repository.git('config', `includeIf.gitdir:${repository.path}/.path`, conditional);
			await repository.git('config', 'extensions.worktreeConfig', 'true');
			await trap.plantNamedHooks(path.join(repository.path, '.git', 'config.worktree'), 'worktree');
			await run('completed');
		});

		it('runs no named hook where a linked worktree or a bare repository is worked on', async () => {
			const { repository } = trap;
			const linked = path.join(repository.folder, 'linked');
			const bare = path.join(repository.folder, 'bare');
			await repository.git('clone', '--quiet', '--bare', repository.path, bare);
			await trap.plantNamedHooks(path.join(bare, 'config'), 'bare');
			await repository.git('worktree', 'add', '--quiet', '-b', 'side', linked);
			await repository.git('config', 'extensions.worktreeConfig', 'true');
			await trap.plantNamedHooks(path.join(repository.path, '.git', 'config'));
			await trap.plantNamedHooks(
				path.join(repository.path, '.git', 'worktrees', 'linked', 'config.worktree'),
				'linked',
			);
			for (const repoUrl of [linked, bare]) {
				await run('completed', repoUrl);
			}
		});

		for (const name of ['x;touch pwned;', 'a=b', 'a b', '$(touch pwned)', '', 'x/../y', 'caf\u00e9', 'x\\"y']) {
			it(`whose hook is called ${JSON.stringify(name)} is refused with a sentence that says where, and runs nothing`, async () => {
				const { repository } = trap;
				const config = path.join(repository.path, '.git', 'config');
				await appendFile(config, trap.namedHook(name, 'pre-receive'));
				const json = { prompt: 'x', repoUrl: repository.path };
				const message = await errorOf(await service.fetch('/api/tasks', { json }), 400);
				assert.match(
					message,
					/^repoUrl: the hook .* name that is not safe to use \(letters, digits.*Rename or remove it/,
				);
				assert.ok(message.includes(config), message);
				assert.deepEqual(await trap.sprung(), []);
			});
		}

		it('whose hook is called in bytes that are no text is refused as well', async () => {
			const { repository } = trap;
			const section = Buffer.from(trap.namedHook('?', 'pre-receive'));
			section[section.indexOf('?')] = 0xff;
			await appendFile(path.join(repository.path, '.git', 'config'), section);
			const response = await service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: repository.path } });
			assert.match(await errorOf(response, 400), /hook.*letters, digits/);
		});

		it('that names a hook while an agent works on it runs none', async () => {
			const { repository } = trap;
			const { id } = await createTask(service, { prompt: '/demo slow', repoUrl: repository.path });
			await waitFor('the agent', async () => (await readTask(service, id)).progress === 20);
			await stopTask(service, id);
			const slow = await createTask(service, { prompt: 'Try it', repoUrl: repository.path });
			await waitFor('the agent', async () => (await readTask(service, slow.id)).progress >= 20);
			await trap.plantNamedHooks(path.join(repository.path, '.git', 'config'));
			assert.equal((await finalTask(service, slow.id)).status, 'completed');
			assert.deepEqual(await trap.sprung(), []);
		});

		it('runs nothing that its configuration names', async () => {
			await trap.plantSettings();
			await run('completed');
		});

		it('lists no alternates by a command of its own', async () => {
			const { repository } = trap;
			const other = await TemporaryRepository.create();
			try {
				await writeFile(
					path.join(repository.path, '.git', 'objects', 'info', 'alternates'),
					`${path.join(other.path, '.git', 'objects')}\n`,
				);
				await repository.git('config', 'core.alternateRefsCommand', trap.command('alternateRefs'));
				await run('completed');
			} finally {
				await other.remove();
			}
		});

		it('runs no filter, and the tree keeps what is stored', async () => {
			const { repository } = trap;
			await repository.write('a.txt', 'stored\n');
			await repository.write('.gitattributes', '* filter=evil diff=evil\n');
			await repository.commitAll('Attributes');
			for (const kind of ['clean', 'smudge', 'process']) {
				await repository.git('config', `filter.evil.${kind}`, trap.command(`filter-${kind}`));
			}
			await repository.git('config', 'filter.evil.required', 'true');
			const task = await run('completed');
			assert.equal(task.diffStats?.totalFilesChanged, 1);
			assert.equal(await repository.git('cat-file', 'blob', `${task.branchName}:a.txt`), 'stored\n');
		});

		it('fetches no objects that a partial clone keeps elsewhere', async () => {
			const { repository } = trap;
			await repository.write('big.txt', 'kept elsewhere\n');
			await repository.commitAll('Big');
			const blob = await repository.head('HEAD:big.txt');
			await rm(path.join(repository.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
			await repository.git('config', 'core.repositoryFormatVersion', '1');
			await repository.git('config', 'extensions.partialClone', 'origin');
			await repository.git('config', 'remote.origin.promisor', 'true');
			await repository.git('config', 'remote.origin.url', repository.folder);
			await repository.git('config', 'remote.origin.uploadpack', trap.command('promisor'));
			const json = { prompt: 'Look around', repoUrl: repository.path };
			const message = await errorOf(await service.fetch('/api/tasks', { json }), 400);
			assert.match(message, /partial clone without all files of the branch "main": 1 objects are missing/);
			assert.deepEqual(await trap.sprung(), []);
			assert.deepEqual(await repository.branches(), ['main']);
		});

		it('is led by no link or submodule out of the task folder', async () => {
			const { repository } = trap;
			const outside = path.join(repository.folder, 'outside.md');
			await symlink(outside, path.join(repository.path, 'errand-demo.md'));
			await symlink(repository.folder, path.join(repository.path, 'folder'));
			await repository.git('update-index', '--add', '--cacheinfo', `160000,${await repository.head()},module`);
			await repository.write(
				'.gitmodules',
				`[submodule "module"]\n\tpath = module\n\turl = ext::${trap.command('module')}\n`,
			);
			await repository.git('add', '.gitmodules', 'errand-demo.md', 'folder');
			await repository.git('commit', '--quiet', '-m', 'Links');
			const task = await run('completed');
			await assert.rejects(lstat(outside));
			// The link is not there for the agent, so its file takes the name; it is a file, and the other link stays.
			const changes = await repository.git('diff', '--name-status', 'main', task.branchName ?? '');
			assert.equal(changes, 'T\terrand-demo.md\n');
		});

		it('says in a sentence that it refuses the branch, and leaves none', async () => {
			const { repository } = trap;
			await repository.git('config', 'receive.procReceiveRefs', 'refs/heads');
			await trap.script(path.join(repository.path, '.git', 'hooks', 'proc-receive'), 'proc-receive');
			const task = await run('error');
			assert.match(task.error ?? '', /does not accept the new branch/);
			assert.deepEqual(await repository.branches(), ['main']);
		});

		it('whose configuration does not even parse is answered with a sentence', async () => {
			const { repository } = trap;
			await writeFile(path.join(repository.path, '.git', 'config'), '[core\nhooksPath = ');
			const response = await service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: repository.path } });
			assert.equal(response.status, 400);
			assert.match(await response.text(), /git cannot read the repository|not the top folder/);
			assert.deepEqual(await trap.sprung(), []);
		});

		it('is not changed in anything but the new branch', async () => {
			const { repository } = trap;
			await repository.write('dirty.txt', 'not committed');
			await repository.write('README.md', '# Changed\n');
			const before = await repository.git('status', '--porcelain');
			const head = await readFile(path.join(repository.path, '.git', 'HEAD'), 'utf8');
			const config = await readFile(path.join(repository.path, '.git', 'config'), 'utf8');
			const task = await run('completed');
			assert.equal(await repository.git('status', '--porcelain'), before);
			assert.equal(await readFile(path.join(repository.path, '.git', 'HEAD'), 'utf8'), head);
			assert.equal(await readFile(path.join(repository.path, '.git', 'config'), 'utf8'), config);
			assert.deepEqual(await repository.branches(), [task.branchName, 'main']);
		});
	});
}
