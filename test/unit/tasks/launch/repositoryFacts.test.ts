import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runGit } from '../../../../src/platform/gitCommand.ts';
import { readRemoteAddress, remoteDirectory } from '../../../../src/platform/remotes.ts';
import {
	countCommits,
	listBranches,
	listChanges,
	listSubmodules,
	readBranchCommit,
	readCloneKinds,
} from '../../../../src/tasks/launch/repositoryFacts.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

const textOf = (file: string) => readFile(file, 'utf8').catch(() => '');

describe('what is read of a repository', () => {
	let repository: TemporaryRepository;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
	});

	afterEach(() => repository.remove());

	it('are its branches with their commits and upstreams', async () => {
		const bare = path.join(repository.folder, 'origin.git');
		await repository.git('clone', '--quiet', '--bare', '.', bare);
		await repository.git('remote', 'add', 'origin', bare);
		await repository.git('push', '--quiet', '--set-upstream', 'origin', 'main');
		await repository.git('branch', 'topic/a');
		const head = await repository.head();
		const branches = await listBranches('git', repository.path, ['origin']);
		assert.deepEqual(
			branches.map(({ name, remote, commit, upstream }) => ({ name, remote, commit, upstream })),
			[
				{ name: 'main', remote: undefined, commit: head, upstream: { remote: 'origin', name: 'main' } },
				{ name: 'topic/a', remote: undefined, commit: head, upstream: undefined },
				{ name: 'main', remote: 'origin', commit: head, upstream: undefined },
			],
		);
	});

	it('are no branches before the first commit', async () => {
		const empty = await TemporaryRepository.create({ empty: true });
		assert.deepEqual(await listBranches('git', empty.path, []), []);
		await empty.remove();
	});

	it('is the commit of a branch, and none for one that is gone or only begins alike', async () => {
		await repository.git('branch', 'topic/a');
		const commit = (name: string) => readBranchCommit('git', repository.path, { name, remote: undefined });
		assert.equal(await commit('topic/a'), await repository.head());
		assert.equal(await commit('topic'), undefined);
		assert.equal(await commit('--all'), undefined);
		await repository.git('branch', '--delete', 'topic/a');
		assert.equal(await commit('topic/a'), undefined);
	});

	it('is not taken from a repository above the directory that was meant', async () => {
		const inside = path.join(repository.path, 'inside');
		await mkdir(inside);
		const main = { name: 'main', remote: undefined };
		assert.equal(await readBranchCommit('git', inside, main, path.dirname(inside)), undefined);
		assert.notEqual(await readBranchCommit('git', inside, main), undefined);
	});

	it('is how many commits each of two branches has that the other lacks', async () => {
		const first = await repository.head();
		await repository.commitAll('Second');
		const last = await repository.commitAll('Third');
		assert.deepEqual(await countCommits('git', repository.path, last, first), { ahead: 2, behind: 0 });
		assert.deepEqual(await countCommits('git', repository.path, first, last), { ahead: 0, behind: 2 });
		assert.equal(await countCommits('git', repository.path, '0'.repeat(40), last), undefined);
	});

	it('is the directory behind a remote, if it is one', async () => {
		assert.equal(await remoteDirectory('../origin', repository.path), undefined);
		await mkdir(path.join(repository.folder, 'origin'));
		const origin = path.join(repository.folder, 'origin');
		assert.equal(await remoteDirectory('../origin', repository.path), origin);
		assert.equal(await remoteDirectory(origin, repository.path), origin);
		assert.equal(await remoteDirectory(`file://${origin}`, repository.path), origin);
		for (const longer of ['/', '/.', '//', '/../origin/']) {
			assert.equal(await remoteDirectory(`file://${origin}${longer}`, repository.path), origin, longer);
		}
		assert.equal(await remoteDirectory('https://host.example/x', repository.path), undefined);
		assert.equal(await remoteDirectory(path.join(repository.path, 'README.md'), repository.path), undefined);
	});

	it('is read without running anything of a hostile configuration or hook', async () => {
		await repository.git('branch', 'topic');
		const mark = path.join(repository.folder, 'ran');
		const script = path.join(repository.folder, 'evil.sh');
		await writeFile(script, `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`);
		await chmod(script, 0o755);
		const hooks = path.join(repository.path, '.git', 'hooks');
		await mkdir(hooks, { recursive: true });
		for (const hook of [
			'post-checkout',
			'pre-commit',
			'reference-transaction',
			'post-index-change',
			'fsmonitor-watchman',
		]) {
			await writeFile(path.join(hooks, hook), `#!/bin/sh\necho ${hook} >> '${mark}'\n`);
			await chmod(path.join(hooks, hook), 0o755);
		}
		await repository.git('remote', 'add', 'origin', `ext::${script}`);
		const hostile = {
			'core.fsmonitor': script,
			'core.sshCommand': script,
			'core.pager': script,
			'pager.for-each-ref': script,
			'core.editor': script,
			'core.askPass': script,
			'core.gitProxy': script,
			'core.alternateRefsCommand': script,
			'core.hooksPath': hooks,
			'credential.helper': `!${script}`,
			'diff.external': script,
			'filter.evil.clean': script,
			'gpg.program': script,
			'log.showSignature': 'true',
			'alias.for-each-ref': `!${script}`,
			'alias.rev-list': `!${script}`,
			'protocol.ext.allow': 'always',
			'remote.origin.promisor': 'true',
			'remote.origin.partialclonefilter': 'blob:none',
			'extensions.partialClone': 'origin',
			'core.repositoryformatversion': '1',
		};
		await writeFile(path.join(repository.path, '.gitattributes'), '* filter=evil diff=evil\n');
		const config = Object.entries(hostile)
			.map(([key, value]) => {
				const dot = key.lastIndexOf('.');
				const [section, ...name] = key.slice(0, dot).split('.');
				return `[${section}${name.length > 0 ? ` "${name.join('.')}"` : ''}]\n\t${key.slice(dot + 1)} = ${JSON.stringify(value)}\n`;
			})
			.join('');
		const configFile = path.join(repository.path, '.git', 'config');
		await appendFile(configFile, config);

		// Proof that the trap works: the same call without our options runs the script (an absent object is asked for).
		const absent = '1'.repeat(40);
		const branches = await listBranches('git', repository.path, ['origin']);
		assert.deepEqual(
			branches.map(({ name }) => name),
			['main', 'topic'],
		);
		assert.notEqual(await readBranchCommit('git', repository.path, { name: 'topic', remote: undefined }), undefined);
		assert.equal(await countCommits('git', repository.path, absent, branches[0]?.commit ?? ''), undefined);
		assert.equal(await textOf(mark), '');
		await repository.git('rev-list', '--count', `${absent}..main`, '--').catch(() => {});
		assert.notEqual(await textOf(mark), '', 'the trap does not work, so that nothing was tested');
	});

	it('does not depend on the git variables of the process that the editor was started from', async () => {
		process.env['GIT_DIR'] = path.join(repository.folder, 'elsewhere');
		try {
			assert.match(await runGit('git', repository.path, ['rev-parse', '--git-dir']), /^\.git\s*$/);
		} finally {
			delete process.env['GIT_DIR'];
		}
	});

	it('are the files that are not committed, whatever they are called', async () => {
		await repository.write('gone.txt', 'gone\n');
		await repository.write('old name.txt', 'the same\n');
		await repository.commitAll('Second');
		await rm(path.join(repository.path, 'gone.txt'));
		await repository.git('mv', 'old name.txt', 'Old Name.txt');
		await repository.write('README.md', 'changed\n');
		await repository.write('? u 1 2\n.txt', 'new\n');
		await repository.write('folder/added.txt', 'added\n');
		await repository.git('add', '--intent-to-add', 'folder/added.txt');
		assert.deepEqual(await listChanges('git', repository.path), {
			files: ['? u 1 2\n.txt', 'Old Name.txt', 'README.md', 'folder/added.txt', 'gone.txt', 'old name.txt'],
			nested: [],
			hasConflicts: false,
		});
	});

	it('are none of the files that differ only in what git converts, such as line ends', async () => {
		await repository.write('.gitattributes', '* text=auto\n*.c ident\n');
		for (const name of ['converted.txt', 'changed.txt', 'expanded.c']) {
			await repository.write(name, '$Id$\nline\n');
		}
		await repository.commitAll('Second');
		await repository.write('converted.txt', '$Id$\r\nline\r\n');
		await repository.write('changed.txt', '$Id$\r\nanother line\r\n');
		await repository.write('expanded.c', '$Id: of a commit $\nline\n');
		assert.deepEqual((await listChanges('git', repository.path)).files, ['changed.txt']);
	});

	it('tells changes inside submodules and other repositories from changes that can go along', async () => {
		const other = await TemporaryRepository.create();
		try {
			for (const name of ['a sub', 'b sub', 'c sub']) {
				await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, name);
			}
			await repository.commitAll('Submodules');
			await repository.write('a sub/README.md', 'changed\n');
			await repository.write('b sub/new.txt', 'new\n');
			await repository.git('-C', 'b sub', 'commit', '--quiet', '--allow-empty', '-m', 'Another commit');
			await repository.git('init', '--quiet', 'inner');
			await rm(path.join(repository.path, 'c sub'), { recursive: true });
			assert.deepEqual(await listChanges('git', repository.path), {
				files: ['b sub', 'c sub'],
				nested: ['a sub', 'b sub', 'inner/'],
				hasConflicts: false,
			});
		} finally {
			await other.remove();
		}
	});

	it('is that a merge has left conflicts', async () => {
		await repository.git('switch', '--quiet', '--create', 'side');
		await repository.write('README.md', 'side\n');
		await repository.commitAll('Side');
		await repository.git('switch', '--quiet', 'main');
		await repository.write('README.md', 'main\n');
		await repository.commitAll('Main');
		await repository.git('merge', '--quiet', 'side').catch(() => {});
		const { files, hasConflicts } = await listChanges('git', repository.path);
		assert.deepEqual([files, hasConflicts], [['README.md'], true]);
	});

	it('is the address of a remote with the user’s rewrites, and none of what is no remote', async () => {
		await repository.git('config', 'url.https://host.example/.insteadOf', 'short:');
		await repository.git('remote', 'add', 'origin', 'short:acme/widgets.git');
		const address = (name: string) => readRemoteAddress('git', repository.path, name);
		assert.equal(await address('origin'), 'https://host.example/acme/widgets.git');
		assert.equal(await address('--push'), undefined);
		assert.equal(await address('gone'), undefined);
	});

	it('is what is particular to it as a clone', async () => {
		await repository.commitAll('Second');
		await repository.git('config', 'uploadpack.allowFilter', 'true');
		const clone = async (name: string, ...how: string[]) => {
			const folder = path.join(repository.folder, name);
			await repository.git('clone', '--quiet', ...how, `file://${repository.path}`, folder);
			return readCloneKinds('git', folder);
		};
		assert.deepEqual(await clone('whole'), []);
		assert.deepEqual(await clone('partial', '--filter=blob:none'), ['partial-clone']);
		assert.deepEqual(await clone('shallow', '--depth=1'), ['shallow-clone']);
		assert.deepEqual(await clone('sparse', '--sparse'), ['sparse-checkout']);
		const all = ['partial-clone', 'shallow-clone', 'sparse-checkout'];
		assert.deepEqual(await clone('all', '--filter=tree:0', '--depth=1', '--sparse'), all);
		assert.deepEqual(await readCloneKinds('git', repository.folder), []);
	});

	it('are the submodules of a commit, and whether they are checked out', async () => {
		assert.deepEqual(await listSubmodules('git', repository.path, 'HEAD'), []);
		const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.path];
		await repository.git(...add, 'libs/one');
		await repository.git(...add, 'two');
		await repository.commitAll('Submodules');
		await repository.git('submodule', '--quiet', 'deinit', '--force', 'two');
		assert.deepEqual(await listSubmodules('git', repository.path, 'HEAD'), [
			{ name: 'libs/one', isCheckedOut: true },
			{ name: 'two', isCheckedOut: false },
		]);
		assert.deepEqual(await listSubmodules('git', repository.path, 'HEAD~1'), []);
	});
});
