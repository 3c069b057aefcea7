import assert from 'node:assert/strict';
import { chmod, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { pathOf } from '../../../../src/tasks/model/changedFile.ts';
import { listChangedFiles, listChangedNames } from '../../../../src/tasks/results/readChanges.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

const LINES = Array.from({ length: 20 }, (_, number) => `line ${number}\n`).join('');

describe('the files that differ between two commits', () => {
	let repository: TemporaryRepository;
	let base: string;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		for (const name of ['changed.txt', 'moved.txt', 'program.sh', 'deleted.txt']) {
			await repository.write(name, `${name}\n${LINES}`);
		}
		await repository.write('image.png', Buffer.from([0x89, 0x50, 0, 1]));
		await repository.write('link', 'a file\n');
		base = await repository.commitAll('Before');
	});
	afterEach(() => repository.remove());

	const place = () => ({ gitPath: 'git', directory: repository.path, credentials: {} });
	const list = async () => listChangedFiles(place(), base, await repository.commitAll('After'));
	/** Lists what is in the index, whatever the working tree has. */
	const listCommitted = async () => {
		await repository.git('commit', '-q', '-m', 'After');
		return listChangedFiles(place(), base, await repository.head());
	};

	it('say how each has changed, with its lines', async () => {
		await repository.write('changed.txt', `changed.txt\n${LINES}one more\n`);
		await repository.git('mv', 'moved.txt', 'folder-moved.txt');
		await chmod(path.join(repository.path, 'program.sh'), 0o755);
		await rm(path.join(repository.path, 'deleted.txt'));
		await repository.write('image.png', Buffer.from([0x89, 0x50, 0, 2]));
		await rm(path.join(repository.path, 'link'));
		await symlink('changed.txt', path.join(repository.path, 'link'));
		await repository.write('added\n"é".txt', 'new\n');
		const files = await list();
		assert.deepEqual(
			files.map(file => [file.status, pathOf(file), file.lines, file.after?.kind]),
			[
				['A', 'added\n"é".txt', { added: 1, removed: 0 }, 'file'],
				['M', 'changed.txt', { added: 1, removed: 0 }, 'file'],
				['D', 'deleted.txt', { added: 0, removed: 21 }, undefined],
				['R', 'folder-moved.txt', { added: 0, removed: 0 }, 'file'],
				['M', 'image.png', undefined, 'file'],
				['T', 'link', { added: 1, removed: 1 }, 'link'],
				['M', 'program.sh', { added: 0, removed: 0 }, 'executable'],
			],
		);
		assert.equal(files[3]?.before?.path, 'moved.txt');
		assert.deepEqual(
			files.slice(5).map(({ before }) => before?.kind),
			['file', 'file'],
		);
	});

	it('have a submodule as what it is', async () => {
		await repository.git('update-index', '--add', '--cacheinfo', `160000,${base},library`);
		const [file] = await listCommitted();
		assert.deepEqual([file?.status, file?.after?.kind, file?.after?.object], ['A', 'submodule', base]);
	});

	it('have a submodule too that `.gitmodules` wants to be ignored', async () => {
		const library = (commit: string) =>
			repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},library`);
		await repository.write('.gitmodules', '[submodule "l"]\n\tpath = library\n\turl = ./library\n\tignore = all\n');
		await repository.git('config', 'diff.ignoreSubmodules', 'all');
		await repository.git('add', '.gitmodules');
		await library(base);
		await repository.git('commit', '-q', '-m', 'Submodule');
		const before = await repository.head();
		await library(before);
		await repository.git('commit', '-q', '--allow-empty', '-m', 'Submodule moved');
		for (const list of [listChangedFiles, listChangedNames]) {
			const files = await list(place(), before, await repository.head());
			assert.deepEqual(files.map(pathOf), ['library'], list.name);
		}
	});

	it('are listed in a clone that lacks their content, which is not fetched', async () => {
		await repository.git('switch', '-q', '-c', 'work');
		await repository.git('mv', 'moved.txt', 'elsewhere.txt');
		await repository.git('mv', 'deleted.txt', 'edited.txt');
		await repository.write('edited.txt', `deleted.txt\n${LINES}one more\n`);
		const tip = await repository.commitAll('Work');
		await repository.git('switch', '-q', 'main');
		await repository.git('rm', '-q', '-r', '.');
		await repository.commitAll('Nothing is left to be checked out');
		await repository.git('config', 'uploadpack.allowFilter', 'true');
		const directory = path.join(repository.folder, 'partial');
		await repository.git('clone', '-q', '--filter=blob:none', `file://${repository.path}`, directory);
		const files = await listChangedNames({ ...place(), directory }, base, tip);
		assert.deepEqual(
			files.map(file => [file.status, pathOf(file)]),
			[
				['D', 'deleted.txt'],
				['A', 'edited.txt'],
				['R', 'elsewhere.txt'],
			],
		);
		const missing = await repository.git('-C', directory, 'rev-list', '--objects', '--missing=print', base);
		assert.match(missing, /^\?/m);
	});

	it('mark a name that is not UTF-8, and keep the others in step', async () => {
		const blob = (await repository.git('hash-object', '-w', 'changed.txt')).trim();
		const entry = Buffer.concat([Buffer.from(`100644 ${blob}\t`), Buffer.from([0xff, 0x61, 0])]);
		const index = path.join(repository.folder, 'entries');
		await repository.write('../entries', entry);
		await repository.git('-c', `alias.feed=!git update-index -z --index-info < '${index}'`, 'feed');
		assert.deepEqual(
			(await listCommitted()).map(file => [file.hasUnreadableName, file.lines?.added]),
			[[true, 21]],
		);
	});

	it('heed neither the user’s configuration of diffs nor that of the repository, and run nothing', async () => {
		const trap = path.join(repository.folder, 'ran');
		await repository.git('config', 'diff.noprefix', 'true');
		await repository.git('config', 'diff.renames', 'false');
		await repository.git('config', 'diff.external', `touch ${trap}; false`);
		await repository.git('config', 'diff.shown.textconv', `touch ${trap}; false`);
		await repository.git('config', 'diff.shown.command', `touch ${trap}; false`);
		await repository.git('config', 'filter.shown.clean', `touch ${trap}; false`);
		await repository.write('.gitattributes', '*.txt diff=shown\n');
		await repository.git('mv', 'moved.txt', 'elsewhere.txt');
		assert.deepEqual(
			(await list()).map(({ status }) => status),
			['A', 'R'],
		);
		await assert.rejects(readFile(trap), { code: 'ENOENT' });
	});
});
