import assert from 'node:assert/strict';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CommitOptions, commitChanges, TooMuchChanged } from '../../../src/platform/commitChanges.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

const AUTHOR = { name: 'Errand', email: 'errand@localhost' };

describe('a commit of the state of the files', () => {
	let repository: TemporaryRepository;
	const home = process.env['HOME'];

	beforeEach(async () => {
		repository = await TemporaryRepository.create({ empty: true });
		// The user of these tests has told git nothing.
		process.env['HOME'] = repository.folder;
		await repository.git('config', 'user.useConfigOnly', 'true');
	});
	afterEach(async () => {
		process.env['HOME'] = home;
		await repository.remove();
	});

	const commit = (options: Partial<CommitOptions> = {}) =>
		commitChanges(
			{ gitPath: 'git', directory: repository.path },
			{
				parent: undefined,
				message: 'Before',
				author: AUTHOR,
				confirm: () => Promise.reject(new Error('a program was asked for')),
				...options,
			},
		);
	const namesIn = async (made: string) => (await repository.git('ls-tree', '-r', '--name-only', made)).trim();
	const peopleOf = async (made: string) =>
		(await repository.git('log', '-1', '--format=%an <%ae>, %cn <%ce>', made)).trim();
	const objects = () => repository.git('count-objects', '-v');

	describe('in a repository without a commit', () => {
		it('has no parent, and leaves the repository without a commit', async () => {
			await repository.write('a.txt', 'a\n');
			await repository.write('folder/b.txt', 'b\n');
			const made = await commit();
			assert.equal(await namesIn(made), 'a.txt\nfolder/b.txt');
			assert.equal(await repository.git('log', '--format=%P|%s', made), '|Before\n');
			await assert.rejects(repository.head());
			assert.deepEqual(await repository.branches(), []);
		});

		it('has what is staged as it is in the files now', async () => {
			await repository.write('a.txt', 'staged\n');
			await repository.git('add', 'a.txt');
			await repository.write('a.txt', 'changed\n');
			const made = await commit();
			assert.equal(await repository.git('show', `${made}:a.txt`), 'changed\n');
			assert.equal(await repository.git('status', '--porcelain'), 'AM a.txt\n');
		});

		it('is possible where there is no file at all', async () => {
			assert.equal(await namesIn(await commit()), '');
		});
	});

	it('is made in the middle of a merge too, with the files as they are', async () => {
		await repository.write('a.txt', 'base\n');
		await repository.commitAll('Base');
		await repository.git('checkout', '--quiet', '-b', 'other');
		await repository.write('a.txt', 'theirs\n');
		await repository.commitAll('Theirs');
		await repository.git('checkout', '--quiet', 'main');
		await repository.write('a.txt', 'ours\n');
		const parent = await repository.commitAll('Ours');
		await assert.rejects(repository.git('merge', '--quiet', 'other'));
		const before = await repository.git('status', '--porcelain');
		const made = await commit({ parent, maximumBytes: 1_000 });
		assert.match(await repository.git('show', `${made}:a.txt`), /^<<<<<<< HEAD\nours\n=======\ntheirs\n/);
		assert.equal(await repository.git('status', '--porcelain'), before);
		assert.match(before, /^UU a\.txt/);
	});

	describe('by an author', () => {
		it('is made even if git has no name or address of the user', async () => {
			assert.equal(await peopleOf(await commit()), 'Errand <errand@localhost>, Errand <errand@localhost>');
		});

		it('names no other person, whatever names the configuration has for authors, committers and users', async () => {
			for (const role of ['user', 'author', 'committer']) {
				await repository.git('config', `${role}.name`, `A ${role}`);
				await repository.git('config', `${role}.email`, `${role}@example.invalid`);
			}
			assert.equal(await peopleOf(await commit()), 'Errand <errand@localhost>, Errand <errand@localhost>');
		});

		it('is the user’s where none is given, and fails where git does not know the user', async () => {
			const ofUser = () =>
				commitChanges(
					{ gitPath: 'git', directory: repository.path },
					{ parent: undefined, message: 'x', confirm: () => Promise.reject(new Error()) },
				);
			await assert.rejects(ofUser(), /tell me who you are|user\.useConfigOnly/i);
			await repository.git('config', 'user.name', 'Tester');
			await repository.git('config', 'user.email', 'tester@example.invalid');
			assert.match(await peopleOf(await ofUser()), /^Tester <tester@example\.invalid>, Tester/);
		});
	});

	describe('with a limit', () => {
		it('counts what is changed and untracked together, and neither what is ignored nor what is deleted', async () => {
			await repository.write('.gitignore', 'ignored.txt\n');
			await repository.write('deleted.txt', 'x'.repeat(5_000));
			await repository.write('changed.txt', 'x');
			const parent = await repository.commitAll('First');
			await repository.write('ignored.txt', 'x'.repeat(5_000));
			await rm(path.join(repository.path, 'deleted.txt'));
			await repository.write('changed.txt', 'x'.repeat(600));
			await repository.write('new.txt', 'x'.repeat(400));
			assert.ok(await commit({ parent, maximumBytes: 1_000 }));
			await assert.rejects(
				commit({ parent, maximumBytes: 999 }),
				(error: unknown) => error instanceof TooMuchChanged && error.bytes === 1_000,
			);
		});

		it('writes nothing into the repository where it is too much', async () => {
			await repository.write('small.txt', 'small\n');
			await repository.write('large.txt', 'x'.repeat(5_000));
			const before = await objects();
			await assert.rejects(commit({ maximumBytes: 1_000 }), TooMuchChanged);
			assert.equal(await objects(), before);
		});

		it('does not count a file whose time alone is another one', async () => {
			await repository.write('large.txt', 'x'.repeat(5_000));
			const parent = await repository.commitAll('First');
			await utimes(path.join(repository.path, 'large.txt'), 1_000_000_000, 1_000_000_000);
			assert.equal(await namesIn(await commit({ parent, maximumBytes: 100 })), 'large.txt');
		});

		it('does not count what lies in a repository inside this one, or behind a link', async () => {
			const outside = path.join(repository.folder, 'outside');
			await mkdir(outside);
			await writeFile(path.join(outside, 'large.txt'), 'x'.repeat(5_000));
			await repository.git('init', '--quiet', 'nested');
			await repository.write('nested/large.txt', 'x'.repeat(5_000));
			await symlink(outside, path.join(repository.path, 'link'));
			assert.equal(await namesIn(await commit({ maximumBytes: 1_000 })), 'link');
		});
	});
});
