import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { NOTHING, useCheckout } from './useCheckout.ts';

describe('the submodules of a branch', () => {
	const at = useCheckout();
	let library: TemporaryRepository;

	beforeEach(async () => {
		library = await TemporaryRepository.create();
		await library.write('src/code.txt', 'code\n');
		await library.commitAll('Code');
		await add('libs/one');
		await at.repository.commitAll('Submodule');
	});
	afterEach(() => library.remove());

	const add = (name: string) =>
		at.repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, name);
	const placeOf = (tree: string, ...parts: string[]) => path.join(tree, 'libs', 'one', ...parts);

	it('have their files in the tree, at the commit that the branch names and without what git ignores', async () => {
		const own = path.join(at.repository.path, 'libs', 'one');
		await writeFile(path.join(own, '.env'), 'SECRET=1\n');
		await writeFile(path.join(own, 'src', 'code.txt'), 'changed by the user\n');
		const checkout = await at.checkOut();
		assert.equal(await readFile(placeOf(checkout.tree, 'src', 'code.txt'), 'utf8'), 'code\n');
		assert.equal(existsSync(placeOf(checkout.tree, '.env')), false);
		assert.equal(existsSync(placeOf(checkout.tree, '.git')), false);
		assert.deepEqual(checkout.submodules.lent, [{ source: placeOf(checkout.tree), at: 'libs/one' }]);
		assert.deepEqual(
			checkout.submodules.notes().map(({ message }) => message),
			["The files of submodules are in the agent's folder to be read. What it changes there is left out: libs/one."],
		);
		assert.deepEqual(await checkout.commit('Nothing'), NOTHING);
	});

	it('are known where the work of an ended task is kept', async () => {
		const { tree } = await at.checkOut();
		assert.deepEqual(await (await at.reopen()).commit('Nothing'), NOTHING);
		await writeFile(placeOf(tree, 'new.txt'), 'new\n');
		assert.deepEqual((await (await at.reopen()).commit('Work')).submodules, ['libs/one']);
	});

	it('are empty where a file in their place names another repository of the user’s', async () => {
		const own = path.join(at.repository.path, 'libs', 'one');
		await rm(path.join(own, '.git'));
		await writeFile(path.join(own, '.git'), `gitdir: ${path.join(library.path, '.git')}\n`);
		const checkout = await at.checkOut();
		assert.equal(existsSync(placeOf(checkout.tree, 'src')), false);
		assert.match(
			checkout.submodules.notes()[0]?.message ?? '',
			/libs\/one \(its git folder is .*, outside of the repository\)/,
		);
	});

	for (const [what, act] of [
		['changes a file', (place: string) => writeFile(path.join(place, 'src', 'code.txt'), 'other\n')],
		['makes a file', (place: string) => writeFile(path.join(place, 'new.txt'), 'new\n')],
		['deletes a file', (place: string) => rm(path.join(place, 'README.md'))],
		['puts a file in the place', (place: string) => rm(place, { recursive: true }).then(() => writeFile(place, 'x'))],
	] as const) {
		it(`are named where an agent ${what}, and the commit has the rest`, async () => {
			const checkout = await at.checkOut();
			await writeFile(path.join(checkout.tree, 'own.txt'), 'own\n');
			await act(placeOf(checkout.tree));
			const { commit, submodules } = await checkout.commit('Work');
			assert.deepEqual(submodules, ['libs/one']);
			assert.deepEqual(await checkout.changedFiles(await checkout.start(), commit ?? ''), ['own.txt']);
		});
	}

	it('are empty where they are not checked out, or not at a commit that is there, and the task says so', async () => {
		await add('two');
		await library.commitAll('Only there');
		await at.repository.git('-C', 'two', 'fetch', '--quiet');
		const gone = await library.commitAll('Not fetched');
		await at.repository.git('update-index', '--cacheinfo', `160000,${gone},two`);
		await at.repository.git('commit', '--quiet', '-m', 'Two');
		await at.repository.git('submodule', '--quiet', 'deinit', '--force', 'libs/one');
		const checkout = await at.checkOut();
		const [note, ...others] = checkout.submodules.notes();
		assert.deepEqual(others, []);
		assert.equal(note?.type, 'warning');
		assert.match(note?.message ?? '', /libs\/one \(it is not checked out in /);
		assert.match(note?.message ?? '', new RegExp(`two \\(${gone.slice(0, 10)} is not in `));
		assert.deepEqual((await checkout.commit('Nothing')).submodules, []);
		await writeFile(path.join(checkout.tree, 'two', 'put.txt'), 'put\n');
		assert.deepEqual(await checkout.commit('Work'), { ...NOTHING, submodules: ['two'] });
	});

	it('are there anew for a later run, whatever an earlier one has left, and through no link', async () => {
		const first = await at.checkOut();
		await writeFile(placeOf(first.tree, 'src', 'code.txt'), 'left\n');
		const again = await at.checkOut();
		assert.equal(await readFile(placeOf(again.tree, 'src', 'code.txt'), 'utf8'), 'code\n');

		const outside = await mkdtemp(path.join(at.repository.folder, 'outside-'));
		await mkdir(path.join(outside, 'one'));
		await writeFile(path.join(outside, 'one', 'kept.txt'), 'kept\n');
		await rm(path.join(again.tree, 'libs'), { recursive: true });
		await symlink(outside, path.join(again.tree, 'libs'));
		const third = await at.checkOut();
		assert.equal(existsSync(path.join(outside, 'one', 'kept.txt')), true);
		assert.equal(existsSync(path.join(outside, 'one', 'src')), false);
		assert.match(third.submodules.notes()[0]?.message ?? '', /an earlier run has put something else/);
	});

	it('give way to what a branch has in their place when it was moved', async () => {
		const first = await at.checkOut();
		assert.equal(existsSync(placeOf(first.tree, 'src', 'code.txt')), true);
		await at.repository.git('rm', '--quiet', '--force', 'libs/one');
		await at.repository.write('libs/one', 'a file now\n');
		await at.repository.commitAll('File');
		const { tree } = await at.checkOut();
		assert.equal(await readFile(placeOf(tree), 'utf8'), 'a file now\n');
	});

	it('are in the folder that tests run in', async () => {
		const checkout = await at.checkOut();
		const folder = path.join(at.folder, 'tests');
		await mkdir(folder);
		await checkout.makeAgentRepository();
		await checkout.exportTo(folder, await checkout.start());
		assert.equal(await readFile(placeOf(folder, 'src', 'code.txt'), 'utf8'), 'code\n');
	});

	it('lead out of the tree by no link of theirs, and are empty where their own are', async () => {
		await symlink('/etc/hostname', path.join(library.path, 'link'));
		await library.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'inner');
		await library.commitAll('Link');
		await add('three');
		await at.repository.commitAll('Three');
		const checkout = await at.checkOut();
		assert.equal(existsSync(path.join(checkout.tree, 'three', 'link')), false);
		assert.equal(existsSync(path.join(checkout.tree, 'three', 'inner', 'README.md')), false);
		assert.deepEqual(await checkout.commit('Nothing'), NOTHING);
	});
});
