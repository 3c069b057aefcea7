import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { dependenciesOfBranch } from '../../../../../src/service/tasks/dependenciesOfBranch.ts';
import { TemporaryRepository } from '../../../../support/temporaryRepository.ts';

describe('the dependencies that a task is shown', () => {
	let repository: TemporaryRepository;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.write('.gitignore', 'node_modules\n.venv/\nvendor/\n');
	});
	afterEach(() => repository.remove());

	const has = (name: string, version: string, folder = 'node_modules') =>
		repository.write(`${folder}/${name}/package.json`, JSON.stringify({ name, version }));
	const needs = (dependencies: object, more: object = {}, folder = '.') =>
		repository.write(`${folder}/package.json`, JSON.stringify({ dependencies, ...more }));

	/** Returns what is installed and shown, with the branch as the files are now. */
	async function plan(installs: boolean) {
		await repository.git('add', '--all');
		await repository.git('commit', '--quiet', '--allow-empty', '-m', 'State');
		const ways = { installs, shows: true };
		const found = await dependenciesOfBranch(repository.path, 'main', ways, path.join(repository.folder, 'work'));
		return { installed: found.commands.map(({ lockfile }) => lockfile), shown: found.shown, unmet: found.unmet };
	}

	it('are those that the user has installed, where they are what the package names', async () => {
		await needs({ a: '^1.2.0', '@team/b': 'latest' }, { devDependencies: { mocha: '>=10 <12' } });
		await has('a', '1.4.0');
		await has('@team/b', '7.0.0');
		await has('mocha', '11.0.1');
		const shown = { installed: [], shown: ['node_modules'], unmet: [] };
		assert.deepEqual(await plan(true), shown);
		assert.deepEqual(await plan(false), shown);
	});

	it('are not those that lack something; then it is installed from the manifest, or named', async () => {
		await needs({ a: '^2.0.0', b: '1.0.0' }, { devDependencies: { mocha: '^11.0.0' } });
		await has('a', '1.4.0');
		await has('b', '1.0.0');
		assert.deepEqual(await plan(true), { installed: ['package.json'], shown: [], unmet: [] });
		assert.deepEqual(await plan(false), { installed: [], shown: [], unmet: ['mocha@^11.0.0', 'a@^2.0.0'] });
	});

	it('are none where nothing is installed', async () => {
		await needs({ a: '1' });
		assert.deepEqual(await plan(true), { installed: ['package.json'], shown: [], unmet: [] });
		assert.deepEqual(await plan(false), { installed: [], shown: [], unmet: [] });
	});

	it('are installed instead where there is a lockfile, above as well', async () => {
		await needs({ a: '1' });
		await has('a', '1.0.0');
		await has('c', '1.0.0', 'packages/c/node_modules');
		await repository.write('packages/c/index.js', '');
		await repository.write('.venv/bin/python', '');
		await repository.write('package-lock.json', '{}');
		assert.deepEqual(await plan(true), { installed: ['package-lock.json'], shown: ['.venv'], unmet: [] });
		assert.deepEqual((await plan(false)).shown, ['.venv', 'node_modules', 'packages/c/node_modules']);
	});

	it('are judged by what is above as well, as Node looks there', async () => {
		await needs({});
		await needs({ a: '1', b: '1' }, {}, 'packages/c');
		await has('a', '1.0.0');
		await has('b', '1.0.0', 'packages/c/node_modules');
		assert.deepEqual((await plan(false)).shown, ['node_modules', 'packages/c/node_modules']);
		await needs({ a: '1', b: '2' }, {}, 'packages/c');
		assert.deepEqual(await plan(false), { installed: [], shown: ['node_modules'], unmet: ['b@2'] });
	});

	it('are met by links, aliases, addresses and workspaces, and need nothing that is optional', async () => {
		await needs(
			{ linked: 'workspace:*', alias: 'npm:@team/real@^3.0.0', address: 'git+https://code.example/a.git', free: '*' },
			{ optionalDependencies: { fsevents: '^2' }, peerDependencies: { react: '*' } },
		);
		await repository.write('packages/linked/package.json', '{"name":"linked","version":"0.0.0"}');
		await mkdir(path.join(repository.path, 'node_modules'));
		await symlink('../packages/linked', path.join(repository.path, 'node_modules/linked'));
		await has('alias', '3.1.0');
		await has('address', '1.0.0');
		await repository.write('node_modules/free/package.json', '{}');
		assert.deepEqual(await plan(false), { installed: [], shown: ['node_modules'], unmet: [] });
		await has('alias', '4.0.0');
		assert.deepEqual((await plan(false)).unmet, ['alias@npm:@team/real@^3.0.0']);
	});

	it('are never what a name leads to outside of the folder', async () => {
		await needs({ '../outside': '*', '..': '*', '/etc': '*' });
		await repository.write('outside/package.json', '{"version":"1.0.0"}');
		await has('a', '1.0.0');
		assert.deepEqual((await plan(false)).unmet, ['../outside@*', '..@*', '/etc@*']);
	});

	it('are nothing that git does not ignore, that is a link, or that the branch has no folder for', async () => {
		await repository.write('.gitignore', 'node_modules/\n.venv\nweb\n');
		await repository.write('vendor/a.php', '');
		await repository.write('web/node_modules/a/index.js', '');
		await mkdir(path.join(repository.folder, 'elsewhere'));
		await symlink('../elsewhere', path.join(repository.path, '.venv'));
		assert.deepEqual(await plan(false), { installed: [], shown: [], unmet: [] });
	});

	it('are none of a repository without files', async () => {
		await repository.git('clone', '--quiet', '--bare', '.', '../bare.git');
		const found = await dependenciesOfBranch(
			path.join(repository.folder, 'bare.git'),
			'main',
			{ installs: false, shows: true },
			path.join(repository.folder, 'work'),
		);
		assert.deepEqual(found.shown, []);
	});
});
