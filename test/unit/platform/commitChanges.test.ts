import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commitChanges } from '../../../src/platform/commitChanges.ts';
import type { GitPlace } from '../../../src/platform/git.ts';
import {
	makeScratchBranch,
	nameScratchBranch,
	removeScratchBranch,
	type ScratchBranch,
} from '../../../src/tasks/launch/scratchBranches.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

/** Stands for a question that must not be asked. */
const refuse = () => Promise.reject(new Error('a program was asked for'));

describe('a scratch commit of what is not committed', () => {
	let repository: TemporaryRepository;
	let origin: string;
	let place: GitPlace;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('config', 'user.name', 'Tester');
		await repository.git('config', 'user.email', 'tester@example.invalid');
		origin = path.join(repository.folder, 'origin.git');
		await repository.git('init', '--quiet', '--bare', origin);
		await repository.git('remote', 'add', 'origin', origin);
		await repository.git('push', '--quiet', 'origin', 'main');
		place = { gitPath: 'git', directory: repository.path, credentials: {} };
	});

	afterEach(() => repository.remove());

	async function make(commit: string, remote: string | undefined, at = place): Promise<ScratchBranch> {
		const branch = nameScratchBranch(commit, remote);
		await makeScratchBranch(at, branch);
		return branch;
	}

	const namesIn = async (commit: string) =>
		(await repository.git('ls-tree', '-r', '-z', '--name-only', commit)).split('\0').filter(Boolean).sort();

	/** What must be bit for bit as before: working tree, index, HEAD, references, stash. */
	async function snapshot(): Promise<unknown> {
		const files: string[] = [];
		const walk = async (folder: string) => {
			for (const entry of await readdir(folder, { withFileTypes: true })) {
				const file = path.join(folder, entry.name);
				if (entry.name === '.git') {
					continue;
				}
				if (entry.isDirectory()) {
					await walk(file);
				} else if (entry.isFile()) {
					const { mode, mtimeMs } = await lstat(file);
					files.push(
						`${file} ${mode} ${mtimeMs} ${createHash('sha256')
							.update(await readFile(file))
							.digest('hex')}`,
					);
				}
			}
		};
		await walk(repository.path);
		const index = createHash('sha256')
			.update(await readFile(path.join(repository.path, '.git', 'index')))
			.digest('hex');
		const head = await readFile(path.join(repository.path, '.git', 'HEAD'), 'utf8');
		const config = await readFile(path.join(repository.path, '.git', 'config'), 'utf8');
		return [files.sort(), index, head, config, await repository.git('for-each-ref', 'refs/heads', 'refs/stash')];
	}

	async function makeDirty(): Promise<void> {
		await repository.write('kept.txt', 'kept\n');
		await repository.write('gone.txt', 'gone\n');
		await repository.write('.gitignore', 'ignored.txt\n');
		await repository.commitAll('Second');
		await repository.write('README.md', 'changed\n');
		await repository.write('staged.txt', 'staged\n');
		await repository.git('add', 'staged.txt');
		await repository.write('staged.txt', 'staged, then changed\n');
		await repository.write('-rf', 'a hostile name\n');
		await repository.write('with\nline.txt', 'another\n');
		await repository.write('ignored.txt', 'a secret\n');
		await rm(path.join(repository.path, 'gone.txt'));
		await symlink('kept.txt', path.join(repository.path, 'link'));
	}

	it('holds every change and untracked file and nothing ignored, and leaves everything as it was', async () => {
		await makeDirty();
		await repository.git('stash', 'push', '--quiet', '--', 'kept.txt').catch(() => {});
		const before = await snapshot();
		const parent = await repository.head();
		const commit = await commitChanges(place, { parent, message: 'Uncommitted changes', confirm: refuse });
		assert.deepEqual(await snapshot(), before);
		assert.equal(await repository.head(`${commit}^`), parent);
		assert.deepEqual(await namesIn(commit), [
			'-rf',
			'.gitignore',
			'README.md',
			'kept.txt',
			'link',
			'staged.txt',
			'with\nline.txt',
		]);
		assert.equal(await repository.git('show', `${commit}:staged.txt`), 'staged, then changed\n');
		assert.match(await repository.git('status', '--porcelain'), /AM staged\.txt/);
	});

	it('runs no hook, here or before a push', async () => {
		const mark = path.join(repository.folder, 'ran');
		const hooks = path.join(repository.path, '.git', 'hooks');
		await mkdir(hooks, { recursive: true });
		for (const hook of [
			'pre-commit',
			'commit-msg',
			'post-commit',
			'pre-push',
			'reference-transaction',
			'post-index-change',
		]) {
			await writeFile(path.join(hooks, hook), `#!/bin/sh\necho ${hook} >> '${mark}'\n`);
			await chmod(path.join(hooks, hook), 0o755);
		}
		await repository.write('new.txt', 'new\n');
		const commit = await commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: refuse,
		});
		for (const remote of [undefined, 'origin']) {
			await removeScratchBranch(place, await make(commit, remote));
		}
		await assert.rejects(readFile(mark), { code: 'ENOENT' });
	});

	it('becomes a branch of the remote alone, and goes again', async () => {
		await repository.write('new.txt', 'new\n');
		const before = await snapshot();
		const commit = await commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: refuse,
		});
		const branch = await make(commit, 'origin');
		assert.match(
			await repository.git('ls-remote', '--heads', 'origin'),
			new RegExp(`${commit}\trefs/heads/${branch.name}`),
		);
		assert.deepEqual(await snapshot(), before);
		await removeScratchBranch(place, branch);
		assert.doesNotMatch(await repository.git('ls-remote', 'origin'), /errand-scratch/);
	});

	it('becomes a branch of the repository itself where that is cloned, and goes again', async () => {
		const before = await snapshot();
		const branch = await make(await repository.head(), undefined);
		assert.deepEqual(await repository.branches(), [branch.name, 'main'].sort());
		await removeScratchBranch(place, branch);
		assert.deepEqual(await snapshot(), before);
	});

	for (const remote of [undefined, 'origin']) {
		it(`is not removed ${remote ? 'on the remote' : 'here'} where the branch has moved on`, async () => {
			const branch = await make(await repository.head(), remote);
			const next = await repository.commitAll('Somebody’s work');
			if (remote) {
				await repository.git('push', '--quiet', 'origin', `${next}:refs/heads/${branch.name}`);
			} else {
				await repository.git('branch', '--force', branch.name, next);
			}
			await assert.rejects(removeScratchBranch(place, branch));
			const listed = await (remote ? repository.git('ls-remote', 'origin') : repository.git('show-ref'));
			assert.match(listed, new RegExp(`${next}\\s+refs/heads/${branch.name}`));
		});
	}

	it('works in a repository whose index was never written, and in one of the other object format', async () => {
		for (const objectFormat of ['sha1', 'sha256'] as const) {
			const other = await TemporaryRepository.create({ objectFormat });
			try {
				await other.git('config', 'user.name', 'Tester');
				await other.git('config', 'user.email', 'tester@example.invalid');
				await rm(path.join(other.path, '.git', 'index'));
				const directory = other.path;
				const commit = await commitChanges(
					{ ...place, directory },
					{ parent: await other.head(), message: 'Uncommitted changes', confirm: refuse },
				);
				assert.equal(await other.git('ls-tree', '--name-only', commit), 'README.md\n');
				const there = { ...place, directory };
				await removeScratchBranch(there, await make(commit, undefined, there));
			} finally {
				await other.remove();
			}
		}
	});

	it('leaves repositories inside this one out, also one without a commit', async () => {
		for (const name of ['nested', 'nested [*] new']) {
			await repository.git('init', '--quiet', name);
			await repository.write(`${name}/theirs.txt`, 'theirs\n');
		}
		await repository.git('-C', 'nested', 'add', '--all');
		await repository.git('-C', 'nested', 'commit', '--quiet', '-m', 'Theirs');
		await repository.write('folder/own.txt', 'own\n');
		const before = await snapshot();
		const commit = await commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: refuse,
		});
		assert.deepEqual(await namesIn(commit), ['README.md', 'folder/own.txt']);
		assert.deepEqual(await snapshot(), before);
	});

	it('takes along what lies outside a sparse checkout, and keeps what is not checked out', async () => {
		await repository.write('inside/a.txt', 'a\n');
		await repository.write('outside/b.txt', 'b\n');
		await repository.write('outside/c.txt', 'c\n');
		await repository.commitAll('Second');
		await repository.git('sparse-checkout', 'set', '--cone', 'inside');
		await repository.write('outside/b.txt', 'changed\n');
		await repository.write('outside/new.txt', 'new\n');
		const before = await snapshot();
		const commit = await commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: refuse,
		});
		assert.deepEqual(await snapshot(), before);
		assert.deepEqual(await namesIn(commit), [
			'README.md',
			'inside/a.txt',
			'outside/b.txt',
			'outside/c.txt',
			'outside/new.txt',
		]);
		assert.equal(await repository.git('show', `${commit}:outside/b.txt`), 'changed\n');
	});

	it('is made where git would ask about line ends, sign commits or keep filters', async () => {
		await repository.git('config', 'core.autocrlf', 'input');
		await repository.git('config', 'core.safecrlf', 'true');
		await repository.git('config', 'commit.gpgSign', 'true');
		await repository.git('config', 'gpg.program', path.join(repository.folder, 'none'));
		await repository.git('config', 'filter.upper.clean', 'tr a-z A-Z');
		await repository.write('.gitattributes', '*.upper filter=upper\n');
		await repository.write('a.upper', 'a\n');
		await repository.write('lines.txt', 'a\r\nb\r\n');
		await repository.write('run.sh', '#!/bin/sh\n');
		await chmod(path.join(repository.path, 'run.sh'), 0o755);
		await repository.git('add', '--intent-to-add', 'run.sh');
		await repository.git('config', 'core.splitIndex', 'true');
		await repository.git('update-index', '--split-index');
		const before = await snapshot();
		let asked = 0;
		const commit = await commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: async () => void asked++,
		});
		assert.equal(asked, 1);
		assert.deepEqual(await snapshot(), before);
		assert.equal(await repository.git('show', `${commit}:lines.txt`), 'a\nb\n');
		assert.equal(await repository.git('show', `${commit}:a.upper`), 'A\n');
		assert.match(await repository.git('ls-tree', commit, 'run.sh'), /^100755 /);
	});

	it('runs each filter of the repository only after a yes to that one', async () => {
		const proof = path.join(repository.folder, 'ran');
		await repository.git('config', 'filter.first.clean', 'cat');
		await repository.git('config', 'filter.second.clean', `touch '${proof}'; cat`);
		await repository.write('.gitattributes', 'a.txt filter=first\nb.txt filter=second\n');
		await repository.write('a.txt', 'a\n');
		await repository.write('b.txt', 'b\n');
		const asked: string[][] = [];
		const declined = commitChanges(place, {
			parent: await repository.head(),
			message: 'Uncommitted changes',
			confirm: async programs => {
				asked.push(programs.map(({ key }) => key));
				if (asked.length === 2) {
					throw new Error('no');
				}
			},
		});
		await assert.rejects(declined, { message: 'no' });
		assert.deepEqual(asked.flat().sort(), ['filter.first.clean', 'filter.second.clean']);
		if (asked[0]?.[0] === 'filter.first.clean') {
			await assert.rejects(stat(proof), { code: 'ENOENT' });
		}
	});

	for (const setting of [
		['push.gpgSign', 'true'],
		['push.pushOption', 'ci.skip'],
		['push.followTags', 'true'],
		['remote.origin.mirror', 'true'],
		['remote.origin.push', 'refs/heads/*:refs/heads/other/*'],
	]) {
		it(`is pushed alone where ${setting[0]} is set`, async () => {
			await repository.git('config', ...setting);
			const branch = await make(await repository.head(), 'origin');
			const listed = await repository.git('ls-remote', 'origin', 'refs/*');
			const names = [...listed.matchAll(/\trefs\/heads\/(.*)$/gm)].map(([, name]) => name);
			assert.deepEqual(names.sort(), [branch.name, 'main'].sort());
			await removeScratchBranch(place, branch);
		});
	}
});
