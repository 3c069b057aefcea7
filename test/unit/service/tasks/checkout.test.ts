import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../../../src/base/errors.ts';
import type { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { NOTHING, useCheckout } from './useCheckout.ts';

describe('Checkout', () => {
	const at = useCheckout();

	it('holds the files of the branch and no git folder', async () => {
		await at.repository.write('a/b.txt', 'b\r\n');
		await at.repository.commitAll('More');
		const { tree } = await at.checkOut();
		assert.equal(await readFile(path.join(tree, 'a', 'b.txt'), 'utf8'), 'b\r\n');
		await assert.rejects(readFile(path.join(tree, '.git', 'HEAD')));
	});

	it('commits whatever was added, changed, deleted, moved or turned into something else', async () => {
		for (const name of [
			'changed',
			'deleted',
			'moved',
			'file-to-folder',
			'folder-to-file/inside',
			'mode',
			'file-to-link',
			'folder-to-link/README.md',
		]) {
			await at.repository.write(name, `${name}\n`.repeat(20));
		}
		await at.repository.write('binary', Uint8Array.of(0, 1, 2));
		await at.repository.write('.gitignore', 'ignored\n');
		await at.repository.commitAll('Start');
		const checkout = await at.checkOut();
		const inTree = (name: string) => path.join(checkout.tree, name);
		await writeFile(inTree('changed'), 'changed\n'.repeat(21));
		await rm(inTree('deleted'));
		await rename(inTree('moved'), inTree('moved to'));
		await rm(inTree('file-to-folder'));
		await mkdir(inTree('file-to-folder'));
		await writeFile(inTree('file-to-folder/inside'), 'x\n');
		await rm(inTree('folder-to-file'), { recursive: true });
		await writeFile(inTree('folder-to-file'), 'x\n');
		await chmod(inTree('mode'), 0o755);
		await rm(inTree('file-to-link'));
		await symlink('/etc/passwd', inTree('file-to-link'));
		await rm(inTree('folder-to-link'), { recursive: true });
		// The file is still to be seen behind the link, and yet it is gone.
		await symlink(at.repository.path, inTree('folder-to-link'));
		await writeFile(inTree('binary'), Uint8Array.of(0, 3));
		await writeFile(inTree('ignored'), 'x');
		await writeFile(inTree('-leading dash\nand a line'), 'x\n');
		await writeFile(Buffer.concat([Buffer.from(`${checkout.tree}/latin-`), Buffer.of(0xe9)]), 'x\n');
		const { commit, leftOut } = await checkout.commit('Everything');
		assert.deepEqual(leftOut, []);
		assert.ok(commit);
		await checkout.push(commit, 'errand/all');
		const changes = await at.repository.git('diff', '--name-status', '-M', '-z', 'main', 'errand/all');
		const fields = changes.split('\0').slice(0, -1);
		assert.deepEqual(fields.filter(field => /^[AMDRT]\d*$/.test(field)).sort(), [
			...['A', 'A', 'A', 'A', 'A'],
			...['D', 'D', 'D', 'D'],
			...['M', 'M', 'M'],
			'R100',
			'T',
		]);
		assert.ok(!fields.includes('ignored'));
		const names = await at.repository.git('ls-tree', '-r', '-z', '--name-only', 'errand/all');
		for (const name of ['file-to-folder/inside', 'folder-to-file', '-leading dash\nand a line', 'moved to']) {
			assert.ok(names.split('\0').includes(name), name);
		}
		const statistics = await checkout.statistics(await checkout.start(), commit);
		const numstat = await at.repository.git('diff', '--numstat', '-M', 'main', 'errand/all');
		const rows = numstat.trimEnd().split('\n');
		assert.equal(statistics.filesChanged, rows.length);
		const sum = (column: number) => rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
		assert.deepEqual([statistics.linesAdded, statistics.linesRemoved], [sum(0), sum(1)]);
	});

	it('commits a new file whatever lists of ignored files for all repositories the tree holds', async () => {
		// git looks for such lists at git/ignore below a folder of the user's.
		for (const name of ['git/ignore', '.config/git/ignore', '.gitignore_global']) {
			await at.repository.write(name, '*\n');
		}
		await at.repository.git('add', '--all', '--force');
		await at.repository.git('commit', '--quiet', '-m', 'Dotfiles');
		const checkout = await at.checkOut();
		await writeFile(path.join(checkout.tree, 'new.txt'), 'x\n');
		assert.ok((await checkout.commit('New')).commit);
	});

	it('holds the bytes that are stored, and calls none of them a change, whatever .gitattributes says', async () => {
		const stored = { 'lines.txt': 'a\r\nb\r\n', 'wide.txt': 'grüße\n', 'source.c': '$Id: old$\n' };
		for (const [name, text] of Object.entries(stored)) {
			await at.repository.write(name, text);
		}
		await at.repository.commitAll('Before there were attributes');
		await at.repository.write('.gitattributes', '*.txt text\nwide.txt working-tree-encoding=UTF-16\n*.c ident\n');
		await at.repository.git('add', '.gitattributes');
		await at.repository.git('commit', '--quiet', '-m', 'Attributes');
		const checkout = await at.checkOut();
		for (const [name, text] of Object.entries(stored)) {
			assert.equal(await readFile(path.join(checkout.tree, name), 'utf8'), text);
		}
		assert.deepEqual(await checkout.commit('Nothing'), NOTHING);
	});

	describe('of a tree in which a few objects stand for very many files', () => {
		/** `levels` folders deep, ten entries in each, all of one file. */
		async function bomb(levels: number, file: Uint8Array, nameLength = 0): Promise<void> {
			// Long names: the list is long with few entries.
			const name = 'n'.repeat(nameLength);
			const git = (args: string[], input: string | Uint8Array) =>
				execFileSync('git', args, { cwd: at.repository.path, input, encoding: 'utf8' }).trim();
			let entry = `100644 blob ${git(['hash-object', '-w', '--stdin'], file)}`;
			for (let level = 0; level < levels; level++) {
				const tree = Array.from({ length: 10 }, (_, index) => `${entry}\t${name}${index}\n`).join('');
				entry = `040000 tree ${git(['mktree'], tree)}`;
			}
			const commit = await at.repository.git('commit-tree', entry.slice(entry.lastIndexOf(' ') + 1), '-m', 'Bomb');
			await at.repository.git('update-ref', 'refs/heads/main', commit.trim());
		}

		it('says that there are too many, before it makes one', async () => {
			await bomb(9, Buffer.from('x'), 200);
			await assert.rejects(at.checkOut(), { name: 'UserFacingError', message: /too large.*64 MB of names/ });
			assert.deepEqual(await readdir(path.join(at.folder, 'tree')), []);
		});

		it('says that they do not fit on the disk, before it writes one', async () => {
			await bomb(5, new Uint8Array(16 * 1024 * 1024));
			await assert.rejects(at.checkOut(), { name: 'UserFacingError', message: /need \d+ MB.*has \d+ MB left/ });
			assert.deepEqual(await readdir(path.join(at.folder, 'tree')), []);
		});
	});

	describe('of a tree that has one name twice', () => {
		const git = (args: string[], input: string) =>
			execFileSync('git', args, { cwd: at.repository.path, input, encoding: 'utf8' }).trim();

		/** Such a tree cannot be made by git's own commands, and is fetched all the same. */
		async function commitTree(
			entries: readonly (readonly [mode: string, name: string, object: string])[],
		): Promise<void> {
			const parts = entries.flatMap(([mode, name, object]) => [
				Buffer.from(`${mode} ${name}\0`),
				Buffer.from(object, 'hex'),
			]);
			const file = path.join(at.repository.folder, 'tree');
			await writeFile(file, Buffer.concat(parts));
			const tree = git(['hash-object', '-t', 'tree', '-w', '--literally', file], '');
			const commit = await at.repository.git('commit-tree', tree, '-m', 'Twice');
			await at.repository.git('update-ref', 'refs/heads/main', commit.trim());
		}

		const cases: Record<string, readonly (readonly [string, string])[]> = {
			'a link and a folder': [
				['120000', 'a'],
				['40000', 'a'],
			],
			'a folder and a link': [
				['40000', 'a'],
				['120000', 'a'],
			],
			'a file and a folder': [
				['100644', 'a'],
				['40000', 'a'],
			],
			'two files': [
				['100644', 'a'],
				['100755', 'a'],
			],
			'two links': [
				['120000', 'a'],
				['120000', 'a'],
			],
		};
		for (const [what, entries] of Object.entries(cases)) {
			it(`says so in a sentence: ${what}`, async () => {
				const file = git(['hash-object', '-w', '--stdin'], 'x');
				const link = git(['hash-object', '-w', '--stdin'], '/etc/passwd');
				const folder = git(['mktree'], `100644 blob ${file}\tinside\n`);
				await commitTree(
					entries.map(([mode, name]) => [mode, name, mode === '120000' ? link : mode === '40000' ? folder : file]),
				);
				await assert.rejects(at.checkOut(), {
					name: 'UserFacingError',
					message:
						'The branch "main" has two things of one name ("a"), which no folder can hold. Remove one of them there.',
				});
			});
		}

		it('does not take names for the same that only begin alike', async () => {
			await at.repository.write('a', 'x');
			await at.repository.write('a-b/c', 'x');
			await at.repository.write('a.b', 'x');
			await at.repository.write('b/a', 'x');
			await at.repository.write('ab/a/b', 'x');
			await at.repository.commitAll('Alike');
			const { tree } = await at.checkOut();
			assert.deepEqual((await readdir(tree)).sort(), ['README.md', 'a', 'a-b', 'a.b', 'ab', 'b']);
		});
	});

	it('runs git itself, not a program of that name in the tree', async () => {
		const { PATH } = process.env;
		const marker = path.join(at.repository.folder, 'marker');
		await at.repository.write('git', `#!/bin/sh\ntouch ${marker}\n`);
		await chmod(path.join(at.repository.path, 'git'), 0o755);
		await at.repository.commitAll('Program');
		// An empty entry is what an unset variable leaves, and means the folder that a program runs in.
		process.env['PATH'] = `${path.delimiter}.${path.delimiter}${PATH}`;
		try {
			assert.equal((await (await at.checkOut()).commit('Nothing')).commit, undefined);
		} finally {
			process.env['PATH'] = PATH;
		}
		await assert.rejects(readFile(marker), { code: 'ENOENT' });
	});

	it('has nothing to commit when nothing changed', async () => {
		const checkout = await at.checkOut();
		assert.deepEqual(await checkout.commit('Nothing'), NOTHING);
	});

	it('leaves out repositories inside the tree, says so, and runs nothing of theirs', async () => {
		const marker = path.join(at.repository.folder, 'marker');
		await at.repository.git('update-index', '--add', '--cacheinfo', `160000,${await at.repository.head()},module`);
		await at.repository.git('commit', '--quiet', '-m', 'Submodule');
		const checkout = await at.checkOut();
		for (const name of ['module', 'nested']) {
			const nested = path.join(checkout.tree, name);
			await mkdir(nested, { recursive: true });
			execFileSync('git', ['init', '--quiet', nested]);
			await writeFile(path.join(nested, 'file'), 'x');
			execFileSync('git', ['-C', nested, 'add', 'file']);
			const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid'];
			execFileSync('git', ['-C', nested, ...identity, 'commit', '--quiet', '-m', 'x']);
			execFileSync('git', ['-C', nested, 'config', 'core.fsmonitor', `touch ${marker}; false`]);
			await writeFile(path.join(nested, 'file'), 'changed');
		}
		await writeFile(path.join(checkout.tree, 'own.txt'), 'x\n');
		const { commit, leftOut } = await checkout.commit('Nested');
		assert.deepEqual(leftOut, ['nested/']);
		assert.ok(commit);
		await checkout.push(commit, 'errand/nested');
		assert.equal(await at.repository.git('diff', '--name-only', 'main', 'errand/nested'), 'own.txt\n');
		await assert.rejects(readFile(marker));
	});

	describe('push', () => {
		/** A `git` that, at the first push, does its work and then does not end until it is killed. */
		async function slowPush(): Promise<string> {
			const programs = path.join(at.repository.folder, 'programs');
			const done = path.join(at.repository.folder, 'pushed');
			const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
			await mkdir(programs);
			await writeFile(
				path.join(programs, 'git'),
				`#!/bin/sh\n"${real}" "$@" || exit\ncase " $* " in *" push "*) [ -e "${done}" ] || { touch "${done}"; sleep 60; };; esac\n`,
			);
			await chmod(path.join(programs, 'git'), 0o755);
			process.env['PATH'] = `${programs}${path.delimiter}${process.env['PATH']}`;
			return done;
		}

		const { PATH } = process.env;
		afterEach(() => {
			process.env['PATH'] = PATH;
		});

		async function committed(): Promise<{ checkout: Checkout; commit: string }> {
			const checkout = await at.checkOut();
			await writeFile(path.join(checkout.tree, 'new.txt'), 'x\n');
			const { commit } = await checkout.commit('New');
			assert.ok(commit);
			return { checkout, commit };
		}

		it('takes the branch back when the task is stopped while it is pushed', async () => {
			await at.repository.git('config', 'receive.denyDeletes', 'true');
			const { checkout, commit } = await committed();
			const done = await slowPush();
			const pushing = checkout.push(commit, 'errand/new');
			await waitFor('the branch', async () => (await at.repository.branches()).includes('errand/new'));
			await waitFor('the push', () => readFile(done).catch(() => undefined));
			const reason = new Error('stopped');
			at.stop(reason);
			await assert.rejects(pushing, reason);
			assert.deepEqual(await at.repository.branches(), ['main']);
		});

		it('moves a branch on from where it was expected, and back when the task is stopped meanwhile', async () => {
			await at.repository.git('config', 'receive.denyNonFastForwards', 'true');
			await at.repository.git('branch', 'errand/new');
			const { checkout, commit } = await committed();
			const start = await checkout.start();
			const done = await slowPush();
			const pushing = checkout.push(commit, 'errand/new', start);
			await waitFor('the push', () => readFile(done).catch(() => undefined));
			assert.equal(await at.repository.head('errand/new'), commit);
			const reason = new Error('stopped');
			at.stop(reason);
			await assert.rejects(pushing, reason);
			assert.equal(await at.repository.head('errand/new'), start);
		});

		it('does not move a branch on that is not where it was expected', async () => {
			const { checkout, commit } = await committed();
			await at.repository.commitAll('Meanwhile');
			await at.repository.git('branch', 'errand/new');
			const moved = await at.repository.head('errand/new');
			await assert.rejects(checkout.push(commit, 'errand/new', await checkout.start()), /moved by somebody else/);
			assert.equal(await at.repository.head('errand/new'), moved);
		});

		it('does not take back what somebody has moved meanwhile', async () => {
			const { checkout, commit } = await committed();
			const done = await slowPush();
			const pushing = checkout.push(commit, 'errand/new');
			await waitFor('the push', () => readFile(done).catch(() => undefined));
			await at.repository.git('branch', '--force', 'errand/new', 'main');
			at.stop(new Error('stopped'));
			await assert.rejects(pushing);
			assert.equal(await at.repository.head('errand/new'), await at.repository.head('main'));
		});

		for (const expected of [true, false]) {
			it(`does not take back ${expected ? 'a step of a branch' : 'a branch'} that somebody has checked out meanwhile`, async () => {
				await at.repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
				await at.repository.git('config', 'receive.denyDeleteCurrent', 'ignore');
				const { checkout, commit } = await committed();
				await (expected && at.repository.git('branch', 'errand/new'));
				const done = await slowPush();
				const pushing = checkout.push(commit, 'errand/new', expected ? await checkout.start() : undefined);
				await waitFor('the push', () => readFile(done).catch(() => undefined));
				await at.repository.git('checkout', '--quiet', 'errand/new');
				at.stop(new Error('stopped'));
				await assert.rejects(pushing);
				assert.equal(await at.repository.head('errand/new'), commit);
				assert.equal(await at.repository.git('status', '--porcelain'), '');
				assert.ok((await readdir(at.repository.path)).includes('new.txt'));
			});
		}

		it('never moves a branch that exists, not even forward', async () => {
			const { checkout, commit } = await committed();
			await at.repository.git('branch', 'errand/new');
			await assert.rejects(checkout.push(commit, 'errand/new'), (error: unknown) => {
				assert.ok(error instanceof UserFacingError);
				assert.match(error.message, /name is taken/);
				return true;
			});
			assert.equal(await at.repository.head('errand/new'), await at.repository.head('main'));
		});
	});
});
