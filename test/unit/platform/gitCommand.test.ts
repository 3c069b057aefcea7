import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../../src/base/errors.ts';
import { GitError } from '../../../src/base/gitError.ts';
import { isIgnored, listNotIgnored, readUncommitted } from '../../../src/chat/context/repositoryReading.ts';
import { commitChanges } from '../../../src/platform/commitChanges.ts';
import type { GitPlace } from '../../../src/platform/git.ts';
import { GitRefusal, runGit } from '../../../src/platform/gitCommand.ts';
import { readRemoteAddress } from '../../../src/platform/remotes.ts';
import {
	countCommits,
	listBranches,
	listChanges,
	readBranchCommit,
	readRepositoryKind,
} from '../../../src/tasks/launch/repositoryFacts.ts';
import {
	findScratchBranch,
	makeScratchBranch,
	nameScratchBranch,
	removeScratchBranch,
} from '../../../src/tasks/launch/scratchBranches.ts';
import { gitPrograms, sayWithoutNamedHooks } from '../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../support/repositoryTrap.ts';
import { declined, touch, useHostileRepository } from './useHostileRepository.ts';

describe('git of the editor in a hostile repository', sayWithoutNamedHooks);

for (const program of gitPrograms()) {
	describe(`git of the editor in a hostile repository, with ${program.label},`, () => {
		const hostile = useHostileRepository(program);

		/** Every call of git that Errand makes without having asked; what it answers does not matter here. */
		const calls: Record<string, (place: GitPlace) => Promise<unknown>> = {
			listBranches: ({ gitPath, directory }) => listBranches(gitPath, directory, ['origin']),
			readBranchCommit: ({ gitPath, directory }) =>
				readBranchCommit(gitPath, directory, { name: 'main', remote: undefined }, path.dirname(directory)),
			countCommits: ({ gitPath, directory }) => countCommits(gitPath, directory, '1'.repeat(40), 'main'),
			listChanges: ({ gitPath, directory }) => listChanges(gitPath, directory),
			readRemoteAddress: ({ gitPath, directory }) => readRemoteAddress(gitPath, directory, 'origin'),
			readRepositoryKind: ({ gitPath, directory }) => readRepositoryKind(gitPath, directory),
			isIgnored: ({ gitPath, directory }) => isIgnored(gitPath, directory, 'a.evil'),
			listNotIgnored: ({ gitPath, directory }) => listNotIgnored(gitPath, directory, directory),
			readUncommitted: ({ gitPath, directory }) => readUncommitted(gitPath, directory),
			commitChanges: at => commitChanges(at, { parent: 'main', message: 'Uncommitted changes', confirm: declined }),
			'a scratch branch here': at => scratch(at, undefined),
			'a scratch branch on a remote': at => scratch(at, 'origin'),
		};

		async function scratch(at: GitPlace, remote: string | undefined): Promise<void> {
			const commit = await hostile.trap.repository.head('main');
			const branch = nameScratchBranch(commit, remote);
			// Each on its own: where one fails, the others still have to run nothing.
			await makeScratchBranch(at, branch).catch(() => {});
			await findScratchBranch(at, branch).catch(() => {});
			await removeScratchBranch(at, branch).catch(() => {});
		}

		async function runAll(): Promise<void> {
			for (const [name, call] of Object.entries(calls)) {
				// A changed time, so that every call has to look.
				await Promise.all(['a.evil', 'a.evil-process'].map(file => touch(path.join(hostile.directory, file))));
				await call(hostile.place).catch(() => {});
				assert.deepEqual(await hostile.trap.sprung(), [], name);
			}
		}

		it('runs nothing that any setting names', async () => {
			await hostile.fill();
			await hostile.trap.plantSettings();
			await hostile.trap.plantHooks(path.join(hostile.directory, '.git', 'hooks'));
			await runAll();
		});

		it('runs nothing that a submodule names where a diff would show what has changed in it', async () => {
			const { repository } = hostile.trap;
			const proof = path.join(repository.folder, 'submodule-ran');
			const inner = path.join(repository.folder, 'inner');
			const git = (...args: string[]) => repository.git('-c', 'protocol.file.allow=always', ...args);
			await git('clone', '--quiet', hostile.directory, inner);
			await git('submodule', '--quiet', 'add', inner, 'inner');
			await repository.commitAll('With a submodule');
			const moved = path.join(hostile.directory, 'inner');
			const commit = ['commit', '--quiet', '--allow-empty', '-m', 'Moved'];
			await git('-C', moved, '-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid', ...commit);
			await git('-C', moved, 'config', 'diff.external', `touch '${proof}'; true`);
			await repository.git('config', 'diff.submodule', 'diff');
			const { diff } = await readUncommitted(program.path, hostile.directory);
			assert.match(diff, /Subproject commit/);
			assert.ok(!(await readdir(repository.folder)).includes('submodule-ran'));
		});

		it('runs no hook that the repository’s or the user’s configuration names', async () => {
			await hostile.fill();
			const { repository } = hostile.trap;
			const bare = path.join(repository.folder, 'origin.git');
			await repository.git('clone', '--quiet', '--bare', hostile.directory, bare);
			await repository.git('remote', 'add', 'origin', bare);
			const included = path.join(repository.folder, 'included');
			await hostile.trap.plantNamedHooks(path.join(hostile.directory, '.git', 'config'));
			await hostile.trap.plantNamedHooks(included, 'included');
			await hostile.trap.plantNamedHooks(path.join(hostile.home, '.gitconfig'), 'own');
			await hostile.trap.plantNamedHooks(path.join(bare, 'config'), 'remote');
			await hostile.trap.plantHooks(path.join(bare, 'hooks'), 'remote');
			await repository.git('config', 'include.path', included);
			await repository.git('config', 'extensions.worktreeConfig', 'true');
			await hostile.trap.plantNamedHooks(path.join(hostile.directory, '.git', 'config.worktree'), 'worktree');
			await runAll();
			const commit = await commitChanges(hostile.place, {
				parent: 'main',
				message: 'Uncommitted changes',
				confirm: declined,
			});
			assert.equal(await repository.git('show', `${commit}:README.md`), 'changed\n');
		});

		if (program.runsNamedHooks) {
			it('is in a repository whose named hooks do spring when git is used without care', async () => {
				await hostile.trap.plantNamedHooks(path.join(hostile.directory, '.git', 'config'));
				const careless = (...args: string[]) =>
					promisify(execFile)(program.path, ['-c', `core.hooksPath=${os.devNull}`, ...args], {
						cwd: hostile.directory,
					});
				await writeFile(path.join(hostile.directory, 'README.md'), 'changed\n');
				await careless('add', '--all');
				await careless('update-ref', 'refs/heads/other', 'main');
				const sprung = await hostile.trap.sprung();
				assert.ok(sprung.includes('post-index-change-of-named-post-index-change'), String(sprung));
				assert.ok(sprung.includes('reference-transaction-of-named-reference-transaction'), String(sprung));
			});
		}

		it('runs no filter of a submodule, and still says that something in it has changed', async () => {
			const { repository } = hostile.trap;
			const other = await RepositoryTrap.create();
			try {
				const add = [
					'-c',
					'protocol.file.allow=always',
					'submodule',
					'--quiet',
					'add',
					other.repository.path,
					'module',
				];
				await repository.git(...add);
				await repository.commitAll('Submodule');
				const module = path.join(hostile.directory, 'module');
				await repository.git('-C', 'module', 'config', 'filter.evil.clean', hostile.trap.command('clean'));
				await hostile.trap.plantNamedHooks(path.join(hostile.directory, '.git', 'modules', 'module', 'config'));
				await writeFile(path.join(module, '.gitattributes'), '* filter=evil\n');
				await touch(path.join(module, 'README.md'));
				assert.deepEqual((await listChanges(program.path, hostile.directory)).nested, ['module']);
				await readUncommitted(program.path, hostile.directory);
				await repository.write('new.txt', 'new\n');
				await commitChanges(hostile.place, { parent: 'main', message: 'Uncommitted changes', confirm: declined });
				assert.deepEqual(await hostile.trap.sprung(), []);
			} finally {
				await other.remove();
			}
		});

		it('looks for changed submodules below the repository alone, whatever .gitmodules names', async () => {
			const { repository } = hostile.trap;
			const outside = path.join(repository.folder, 'outside');
			await repository.git('init', '--quiet', outside);
			await writeFile(path.join(outside, 'new.txt'), 'new\n');
			const paths = ['../outside', '.', '', 'loop', 'loop/loop', outside, 'a/../../outside', 'link', '.git'];
			const sections = paths.map((name, index) => `[submodule "${index}"]\n\tpath = "${name}"\n\turl = x\n`);
			await repository.write('.gitmodules', sections.join(''));
			await promisify(execFile)('ln', ['-s', '.', path.join(hostile.directory, 'loop')]);
			await promisify(execFile)('ln', ['-s', outside, path.join(hostile.directory, 'link')]);
			assert.deepEqual(await listChanges(program.path, hostile.directory), {
				files: ['.gitmodules', 'link', 'loop'],
				nested: [],
				hasConflicts: false,
			});
		});

		for (const [section, name] of [
			['hook', 'x;touch pwned;'],
			['hook', 'a=b'],
			['hook', ''],
			['filter', 'a b'],
		] as const) {
			it(`refuses a repository with a ${section} called ${JSON.stringify(name)}, and runs nothing`, async () => {
				const setting = section === 'hook' ? 'event = pre-push' : `clean = "${hostile.trap.command('clean')}"`;
				await appendFile(path.join(hostile.directory, '.git', 'config'), `[${section} "${name}"]\n\t${setting}\n`);
				const unsafe = (error: unknown) => error instanceof GitRefusal && error.reason === 'unsafe-name';
				await assert.rejects(listBranches(program.path, hostile.directory, []), unsafe);
				await assert.rejects(isIgnored(program.path, hostile.directory, 'README.md'), unsafe);
				await assert.rejects(readUncommitted(program.path, hostile.directory), unsafe);
				await assert.rejects(commitChanges(hostile.place, { parent: 'main', message: 'x', confirm: declined }), unsafe);
				assert.deepEqual(await hostile.trap.sprung(), []);
			});
		}

		it('refuses a filter whose name is no text, as nothing could switch it off', async () => {
			await hostile.trap.repository.write('a.txt', 'a\n');
			await hostile.trap.repository.commitAll('More');
			const section = Buffer.from(`[filter "?"]\n\tclean = "${hostile.trap.command('clean')}"\n`);
			section[section.indexOf('?')] = 0xff;
			await appendFile(path.join(hostile.directory, '.git', 'config'), section);
			await writeFile(path.join(hostile.directory, '.gitattributes'), Buffer.from('*.txt filter=\xff\n', 'latin1'));
			await touch(path.join(hostile.directory, 'a.txt'));
			await assert.rejects(listChanges(program.path, hostile.directory), GitRefusal);
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('takes the user’s own hooks and filters for what they are, whatever they are called', async () => {
			await appendFile(
				path.join(hostile.home, '.gitconfig'),
				`[hook "my own = hook"]\n\tevent = post-index-change\n\tcommand = touch ${hostile.trap.marker('own')}\n`,
			);
			await hostile.trap.repository.write('new.txt', 'new\n');
			await commitChanges(hostile.place, { parent: 'main', message: 'Uncommitted changes', confirm: declined });
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('leaves the index as it is', async () => {
			await hostile.fill();
			const index = path.join(hostile.directory, '.git', 'index');
			const before = await readFile(index);
			await touch(path.join(hostile.directory, 'a.evil'));
			await readUncommitted(program.path, hostile.directory);
			await listChanges(program.path, hostile.directory);
			await commitChanges(hostile.place, { parent: 'main', message: 'x', confirm: declined });
			assert.deepEqual(await readFile(index), before);
		});

		it('says of a git that takes no settings from its environment that it is too old', async () => {
			const old = path.join(hostile.trap.repository.folder, 'old-git');
			await writeFile(old, `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec ${program.path} "$@"\n`, { mode: 0o755 });
			await assert.rejects(
				runGit(old, hostile.directory, ['status']),
				(error: unknown) => error instanceof GitRefusal && error.reason === 'old-git',
			);
		});
	});
}

describe('git of the editor that fails', () => {
	const failure = (gitPath: string, ...commandLine: string[]): Promise<unknown> =>
		runGit(gitPath, os.tmpdir(), commandLine).then(
			() => assert.fail('git did not fail'),
			error => error,
		);

	it('rejects with how git has ended, and with what it has written', async () => {
		const error = await failure('git', 'rev-parse', '--git-path', 'index');
		assert.ok(error instanceof GitError);
		assert.equal(error.exitCode, 128);
		assert.match(error.stderr, /^fatal: not a git repository/);
		assert.match(error.message, /not a git repository/);
		assert.equal(error.stdout, '');
	});

	it('rejects with the error of the system where there is no such program', async () => {
		const error = await failure('errand-has-no-such-git', '--version');
		assert.ok(!(error instanceof GitError));
		assert.equal(systemErrorCode(error), 'ENOENT');
	});
});
